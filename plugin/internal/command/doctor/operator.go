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

func operator(ctx context.Context, c *cluster) []Finding {
	if c.deploymentErr != nil || c.searchErr != nil {
		return c.noOperator()
	}
	d := c.deployment
	if d == nil {
		return failed(c.repairCommand(), "no operator is installed: there is no Deployment %s/%s",
			c.operatorNamespace, apis.OperatorName)
	}
	if d.Spec.Replicas != nil && *d.Spec.Replicas == 0 {
		return failed(health.CureScaled(d), "the operator is scaled to zero and manages no sandboxes")
	}
	obstacle, err := installer.Obstacle(ctx, c.kubernetes, d)
	if err != nil {
		return c.unreadable(err, "the operator's Pods")
	}
	if obstacle != "" {
		return failed(health.CureUnavailable(d), "the operator is not available: %s", obstacle)
	}
	return ok("%d of %d replicas are available in namespace %s",
		d.Status.AvailableReplicas, *d.Spec.Replicas, c.operatorNamespace)
}

func leader(ctx context.Context, c *cluster) []Finding {
	if c.deployment == nil {
		return c.noOperator()
	}
	if !health.UsesLeaderElection(c.deployment) {
		return ok("leader election is turned off")
	}
	namespace := health.LeaseNamespace(c.deployment)
	lease, err := c.kubernetes.CoordinationV1().Leases(namespace).Get(ctx, apis.LeaseName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		lease, err = nil, nil
	}
	if err != nil {
		return c.unreadable(err, "the leader's Lease")
	}
	holder, vacant := health.Leader(lease, c.clock.Now())
	if vacant != "" {
		return failed(health.CureLeaderless(c.deployment), "%s", vacant)
	}
	return ok("%s leads", holder)
}

// flags checks for arguments of the operator that do not fit the cluster.
func flags(ctx context.Context, c *cluster) []Finding {
	if c.deployment == nil {
		return c.noOperator()
	}
	options := c.options()
	if elect, _ := options.Flag("leader-elect"); elect == "false" && options.Replicas != nil && *options.Replicas > 1 {
		scale := fmt.Sprintf("kubectl scale -n %s deployment/%s --replicas=1, or set --leader-elect=true",
			c.operatorNamespace, apis.OperatorName)
		return failed(scale, "%d operators run without leader election: all of them are active", *options.Replicas)
	}
	if options.CoreOnly {
		kind, err := c.extensionWithObjects(ctx)
		if err != nil {
			return c.unreadable(err, "claims and pools, which this operator does not manage")
		}
		if kind != "" {
			return failed(c.program+" install --core-only=false",
				"there are %s, but the operator runs without --extensions and does not manage them", kind)
		}
	}
	if watched := options.WatchNamespaces; len(watched) > 0 && !slices.Contains(watched, c.namespace) {
		reinstall := fmt.Sprintf("%s install --watch-namespaces=%s, or use a namespace that it watches",
			c.program, strings.Join(append(watched, c.namespace), ","))
		return warning(reinstall, "the operator watches only %s: no operator manages sandboxes in namespace %s",
			strings.Join(options.WatchNamespaces, ", "), c.namespace)
	}
	return ok("the operator manages %s", optionsText(options))
}

// optionsText says which kinds the operator manages, and where.
func optionsText(options install.Options) string {
	text := "sandboxes, claims, templates and pools"
	if options.CoreOnly {
		text = "only sandboxes"
	}
	if len(options.WatchNamespaces) > 0 {
		return text + " in " + strings.Join(options.WatchNamespaces, ", ")
	}
	return text + " in all namespaces"
}

// extensionWithObjects returns a resource of the extensions that has objects, or nothing.
func (c *cluster) extensionWithObjects(ctx context.Context) (string, error) {
	for _, resource := range []string{"sandboxclaims", "sandboxwarmpools"} {
		list, err := c.dynamic.Resource(schema.GroupVersionResource{
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

func versionSkew(_ context.Context, c *cluster) []Finding {
	if c.deployment == nil {
		return c.noOperator()
	}
	theirs, ours := c.deployment.Labels[apis.LabelVersion], buildinfo.Get().Version
	switch {
	case theirs == "":
		return unknown("the operator's Deployment has no label with its version")
	case theirs == install.VersionLabel(ours):
		return ok("the operator and this program have version %s", ours)
	case installer.IsNewer(theirs, ours):
		return warning("upgrade this program", "the operator has version %s, newer than this program's %s", theirs, ours)
	}
	cure := c.repairCommand()
	if installer.ImageRequired(c.deployment) {
		cure = fmt.Sprintf("%s upgrade --image IMAGE, with the image of version %s", c.program, ours)
	}
	return warning(cure, "the operator has version %s, this program %s", theirs, ours)
}
