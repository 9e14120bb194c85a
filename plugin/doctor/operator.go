// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/apis/buildinfo"
	"github.com/agent-sandbox/kubectl-sandbox/operator/install"
	installing "github.com/agent-sandbox/kubectl-sandbox/plugin/install"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/upgrade"
)

func operator(ctx context.Context, p *patient) []Finding {
	if p.deploymentErr != nil {
		return p.absent()
	}
	d := p.deployment
	if d == nil {
		return failed(p.repair(), "no operator is installed: there is no Deployment %s/%s", p.home, apis.OperatorName)
	}
	if d.Spec.Replicas != nil && *d.Spec.Replicas == 0 {
		return failed(fmt.Sprintf("kubectl scale -n %s deployment/%s --replicas=1", p.home, apis.OperatorName),
			"the operator is scaled to zero: nothing looks after sandboxes")
	}
	obstacle, err := installing.Obstacle(ctx, p.kubernetes, d)
	if err != nil {
		return missing(err, "the operator's Pods")
	}
	if obstacle != "" {
		return failed(fmt.Sprintf("kubectl describe pods -n %s -l %s=%s; kubectl logs -n %[1]s deployment/%[3]s", p.home, apis.LabelApp, apis.OperatorName),
			"the operator is not available: %s", obstacle)
	}
	return ok("%d of %d available in namespace %s", d.Status.AvailableReplicas, *d.Spec.Replicas, p.home)
}

// grace is how much later than promised a leader's renewal may be seen: clocks differ.
const grace = 15 * time.Second

func leader(ctx context.Context, p *patient) []Finding {
	if p.deployment == nil {
		return p.absent()
	}
	options := p.options()
	if elect, _ := options.Flag("leader-elect"); elect == "false" {
		return ok("leader election is turned off")
	}
	namespace, _ := options.Flag("leader-election-namespace")
	namespace = cmp.Or(namespace, p.home)
	logs := fmt.Sprintf("kubectl logs -n %s deployment/%s", p.home, apis.OperatorName)
	lease, err := p.kubernetes.CoordinationV1().Leases(namespace).Get(ctx, apis.LeaseName, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return failed(logs, "no operator has ever led: there is no Lease %s/%s", namespace, apis.LeaseName)
	case err != nil:
		return missing(err, "the leader's Lease")
	case lease.Spec.HolderIdentity == nil || *lease.Spec.HolderIdentity == "":
		return failed(logs, "no operator leads: nobody holds the Lease %s/%s", namespace, apis.LeaseName)
	}
	holder, _, _ := strings.Cut(*lease.Spec.HolderIdentity, "_")
	if renewed, seconds := lease.Spec.RenewTime, lease.Spec.LeaseDurationSeconds; renewed != nil && seconds != nil {
		late := p.clock.Since(renewed.Time) - time.Duration(*seconds)*time.Second
		if late > grace {
			return failed(logs, "no operator leads: %s held the Lease until %s ago", holder, late.Truncate(time.Second))
		}
	}
	return ok("%s leads", holder)
}

// flags looks for arguments that contradict the cluster.
func flags(ctx context.Context, p *patient) []Finding {
	if p.deployment == nil {
		return p.absent()
	}
	options := p.options()
	if elect, _ := options.Flag("leader-elect"); elect == "false" && options.Replicas > 1 {
		return failed(fmt.Sprintf("kubectl scale -n %s deployment/%s --replicas=1, or give --leader-elect=true", p.home, apis.OperatorName),
			"%d operators run without leader election: all of them act", options.Replicas)
	}
	if options.CoreOnly {
		if kind := p.unserved(ctx); kind != "" {
			return failed("give the operator --extensions=true ("+p.program+" install does)", "there are %s, and the operator runs without "+
				"--extensions: nothing looks after them", kind)
		}
	}
	if watched := options.WatchNamespaces; len(watched) > 0 && !slices.Contains(watched, p.namespace) {
		return warning(fmt.Sprintf("%s install --watch-namespaces=%s, or use one of those", p.program, strings.Join(append(watched, p.namespace), ",")),
			"the operator works in %s alone: nothing looks after sandboxes in namespace %s", strings.Join(options.WatchNamespaces, ", "), p.namespace)
	}
	return ok("%s", summary(options))
}

func summary(options install.Options) string {
	text := "sandboxes, claims, templates and pools"
	if options.CoreOnly {
		text = "sandboxes alone"
	}
	if len(options.WatchNamespaces) > 0 {
		return text + " in " + strings.Join(options.WatchNamespaces, ", ")
	}
	return text + " in all namespaces"
}

// unserved names a kind of the extensions that has objects.
func (p *patient) unserved(ctx context.Context) string {
	for _, resource := range []string{"sandboxclaims", "sandboxwarmpools"} {
		list, err := p.dynamic.Resource(schema.GroupVersionResource{
			Group: apis.GroupExtensions, Version: apis.VersionV1beta1, Resource: resource,
		}).List(ctx, metav1.ListOptions{Limit: 1})
		if err == nil && len(list.Items) > 0 {
			return resource
		}
	}
	return ""
}

func skew(_ context.Context, p *patient) []Finding {
	if p.deployment == nil {
		return p.absent()
	}
	theirs, ours := p.deployment.Labels[install.LabelVersion], buildinfo.Get().Version
	switch {
	case theirs == "":
		return unknown("the operator's Deployment does not say its version")
	case theirs == install.LabelOf(ours):
		return ok("operator and program are of version %s", ours)
	case upgrade.Newer(theirs, ours):
		return warning("upgrade this program", "the operator is of version %s, newer than this program's %s", theirs, ours)
	}
	return warning(p.repair(), "the operator is of version %s, this program of %s", theirs, ours)
}
