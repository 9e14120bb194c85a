// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/apis/buildinfo"
	"github.com/agent-sandbox/kubectl-sandbox/operator/install"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/installer"
	health "github.com/agent-sandbox/kubectl-sandbox/sdk/operator"
)

func operator(ctx context.Context, p *cluster) []Finding {
	if p.deploymentErr != nil || p.searchErr != nil {
		return p.noOperator()
	}
	d := p.deployment
	if d == nil {
		return failed(p.repairCommand(), "no operator is installed: there is no Deployment %s/%s", p.operatorNamespace, apis.OperatorName)
	}
	if d.Spec.Replicas != nil && *d.Spec.Replicas == 0 {
		return failed(fmt.Sprintf("kubectl scale -n %s deployment/%s --replicas=1", p.operatorNamespace, apis.OperatorName),
			"the operator is scaled to zero: nothing looks after sandboxes")
	}
	obstacle, err := installer.Obstacle(ctx, p.kubernetes, d)
	if err != nil {
		return unreadable(err, "the operator's Pods")
	}
	if obstacle != "" {
		return failed(
			fmt.Sprintf(
				"kubectl describe pods -n %s -l %s=%s; kubectl logs -n %[1]s deployment/%[3]s", p.operatorNamespace, apis.LabelApp,
				apis.OperatorName,
			),
			"the operator is not available: %s",
			obstacle,
		)
	}
	return ok("%d of %d available in namespace %s", d.Status.AvailableReplicas, *d.Spec.Replicas, p.operatorNamespace)
}

func leader(ctx context.Context, p *cluster) []Finding {
	if p.deployment == nil {
		return p.noOperator()
	}
	if !health.UsesLeaderElection(p.deployment) {
		return ok("leader election is turned off")
	}
	namespace := health.LeaseNamespace(p.deployment)
	lease, err := p.kubernetes.CoordinationV1().Leases(namespace).Get(ctx, apis.LeaseName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		lease, err = nil, nil
	}
	if err != nil {
		return unreadable(err, "the leader's Lease")
	}
	holder, vacant := health.Leader(lease, p.clock.Now())
	if vacant != "" {
		return failed(fmt.Sprintf("kubectl logs -n %s deployment/%s", p.operatorNamespace, apis.OperatorName), "%s", vacant)
	}
	return ok("%s leads", holder)
}

// flags looks for arguments that contradict the cluster.
func flags(ctx context.Context, p *cluster) []Finding {
	if p.deployment == nil {
		return p.noOperator()
	}
	options := p.options()
	if elect, _ := options.Flag("leader-elect"); elect == "false" && options.Replicas != nil && *options.Replicas > 1 {
		return failed(
			fmt.Sprintf(
				"kubectl scale -n %s deployment/%s --replicas=1, or give --leader-elect=true", p.operatorNamespace, apis.OperatorName,
			),
			"%d operators run without leader election: all of them act",
			*options.Replicas,
		)
	}
	if options.CoreOnly {
		kind, err := p.extensionWithObjects(ctx)
		if err != nil {
			return unreadable(err, "claims and pools, which this operator does not look after")
		}
		if kind != "" {
			return failed(p.program+" install --core-only=false", "there are %s, and the operator runs without "+
				"--extensions: nothing looks after them", kind)
		}
	}
	if watched := options.WatchNamespaces; len(watched) > 0 && !slices.Contains(watched, p.namespace) {
		return warning(
			fmt.Sprintf(
				"%s install --watch-namespaces=%s, or use one of those", p.program, strings.Join(append(watched, p.namespace), ","),
			),
			"the operator works in %s alone: nothing looks after sandboxes in namespace %s",
			strings.Join(options.WatchNamespaces, ", "),
			p.namespace,
		)
	}
	return ok("%s", optionsText(options))
}

func optionsText(options install.Options) string {
	text := "sandboxes, claims, templates and pools"
	if options.CoreOnly {
		text = "sandboxes alone"
	}
	if len(options.WatchNamespaces) > 0 {
		return text + " in " + strings.Join(options.WatchNamespaces, ", ")
	}
	return text + " in all namespaces"
}

// extensionWithObjects names a kind of the extensions that has objects.
func (p *cluster) extensionWithObjects(ctx context.Context) (string, error) {
	for _, resource := range []string{"sandboxclaims", "sandboxwarmpools"} {
		list, err := p.dynamic.Resource(schema.GroupVersionResource{
			Group: apis.GroupExtensions, Version: apis.VersionV1beta1, Resource: resource,
		}).List(ctx, metav1.ListOptions{Limit: 1})
		switch {
		case apierrors.IsNotFound(err): // the kind is not served
		case err != nil:
			return "", err
		case len(list.Items) > 0:
			return resource, nil
		}
	}
	return "", nil
}

func versionSkew(_ context.Context, p *cluster) []Finding {
	if p.deployment == nil {
		return p.noOperator()
	}
	theirs, ours := p.deployment.Labels[install.LabelVersion], buildinfo.Get().Version
	switch {
	case theirs == "":
		return unknown("the operator's Deployment does not say its version")
	case theirs == install.VersionLabel(ours):
		return ok("operator and program are of version %s", ours)
	case installer.IsNewer(theirs, ours):
		return warning("upgrade this program", "the operator is of version %s, newer than this program's %s", theirs, ours)
	}
	cure := p.repairCommand()
	if installer.ImageRequired(p.deployment) {
		cure = fmt.Sprintf("%s upgrade --image IMAGE, with the image of version %s", p.program, ours)
	}
	return warning(cure, "the operator is of version %s, this program of %s", theirs, ours)
}
