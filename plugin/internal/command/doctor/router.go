// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/apis/arguments"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/installer"
)

// routers checks each installed router.
func routers(ctx context.Context, c *cluster) []Finding {
	all, err := installer.ListRouters(ctx, c.kubernetes)
	if err != nil {
		return c.unreadable(err, "the routers")
	}
	if len(all) == 0 {
		return ok("there is none; %s install --router installs one", c.program)
	}
	var found []Finding
	for i := range all {
		found = append(found, c.router(ctx, &all[i])...)
	}
	return found
}

// router checks that a router is available, and that the default NetworkPolicies admit it.
func (c *cluster) router(ctx context.Context, d *appsv1.Deployment) []Finding {
	what := "the router in namespace " + d.Namespace
	if d.Spec.Replicas != nil && *d.Spec.Replicas == 0 {
		return failed(fmt.Sprintf("kubectl scale -n %s deployment/%s --replicas=2", d.Namespace, d.Name),
			"%s is scaled to zero", what)
	}
	obstacle, err := installer.Obstacle(ctx, c.kubernetes, d)
	if err != nil {
		return c.unreadable(err, "the Pods of "+what)
	}
	if obstacle != "" {
		look := fmt.Sprintf("kubectl describe pods -n %s -l %s=%s; kubectl logs -n %[1]s deployment/%[4]s",
			d.Namespace, apis.LabelApp, apis.AppRouter, d.Name)
		return failed(look, "%s is not available: %s", what, obstacle)
	}
	if cure := c.admission(d.Namespace); cure != "" {
		return failed(cure, "the default NetworkPolicies of templates do not admit %s", what)
	}
	if c.deployment == nil && (c.deploymentErr != nil || c.searchErr != nil) {
		return unknown("%s is ready, with %d replicas; %s may not read the operator's flags, which say whether the default "+
			"NetworkPolicies admit it", what, d.Status.AvailableReplicas, c.subject())
	}
	return ok("%s is ready, with %d replicas", what, d.Status.AvailableReplicas)
}

// admission returns the command that makes the operator admit a router of the namespace in its default policies, or
// nothing if it does, or if that is unknown.
func (c *cluster) admission(namespace string) string {
	if c.deployment == nil || c.options().CoreOnly {
		return ""
	}
	var args []string
	for i := range c.deployment.Spec.Template.Spec.Containers {
		args = append(args, c.deployment.Spec.Template.Spec.Containers[i].Args...)
	}
	tenants := arguments.Values(args, arguments.TenantRouterNamespaces)
	everywhere := arguments.Values(args, arguments.RouterNamespace)
	if len(everywhere) == 0 {
		everywhere = []string{c.operatorNamespace}
	}
	switch {
	case slices.Contains(everywhere, namespace), slices.Contains(tenants, namespace):
		return ""
	case namespace == c.operatorNamespace:
		return fmt.Sprintf("%s install --arg=--%s=%s", c.program, arguments.RouterNamespace,
			strings.Join(append(everywhere, namespace), ","))
	}
	return fmt.Sprintf("%s install --router-namespaces=%s", c.program, strings.Join(append(tenants, namespace), ","))
}
