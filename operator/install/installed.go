// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package install

import (
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/apis/arguments"
)

// Arguments that the manifests set.
const (
	argLeaderElect     = "--leader-elect=true"
	argExtensions      = "--extensions=true"
	argWatchNamespaces = "--" + arguments.WatchNamespaces + "="
	argTenantRouters   = "--" + arguments.TenantRouterNamespaces + "="
)

// manifestArguments returns the arguments that the manifests set, or set in an earlier version. An upgrade does not
// treat them as the user's choice. An argument that is removed from the manifests stays in this list.
func manifestArguments() []string { return []string{argLeaderElect} }

// ManifestVariable reports whether the manifests of the operator or a router may set an environment variable.
func ManifestVariable(name string) bool { return name == "POD_NAMESPACE" || name == "CLUSTER_DOMAIN" }

// chosenVariables returns the environment variables of a container that the manifests do not set.
func chosenVariables(container *corev1.Container) []corev1.EnvVar {
	var all []corev1.EnvVar
	for _, variable := range container.Env {
		if !ManifestVariable(variable.Name) {
			all = append(all, variable)
		}
	}
	return all
}

// arguments returns the arguments that the options add to those in the manifests.
func (o Options) arguments() []string {
	var all []string
	if !o.CoreOnly {
		all = append(all, argExtensions)
	}
	if len(o.WatchNamespaces) > 0 {
		all = append(all, argWatchNamespaces+strings.Join(o.WatchNamespaces, ","))
	}
	if tenants := o.tenantNamespaces(); len(tenants) > 0 {
		all = append(all, argTenantRouters+strings.Join(tenants, ","))
	}
	return append(all, o.Args...)
}

// Flag returns the last value of a flag in Args, and whether it is given. A flag without a value is "true".
func (o Options) Flag(name string) (value string, given bool) {
	return arguments.Value(o.Args, name)
}

// InstalledOptions returns the options that the Deployments of an operator and of routers were rendered with, by
// whatever tool. An upgrade keeps them. Without its own Deployment, a router that the operator expects in a tenant's
// namespace has the defaults. The Deployments do not tell which versions are served.
func InstalledOptions(deployment *appsv1.Deployment, routers ...appsv1.Deployment) Options {
	o := Options{Namespace: deployment.Namespace, Replicas: deployment.Spec.Replicas, CoreOnly: true}
	if o.Replicas == nil {
		o.Replicas = new(int32(1))
	}
	for i := range deployment.Spec.Template.Spec.Containers {
		container := &deployment.Spec.Template.Spec.Containers[i]
		if container.Name != apis.OperatorName {
			continue
		}
		o.Image, o.Env = container.Image, chosenVariables(container)
		for _, arg := range container.Args {
			namespaces, watch := strings.CutPrefix(arg, argWatchNamespaces)
			tenants, expects := strings.CutPrefix(arg, argTenantRouters)
			switch {
			case slices.Contains(manifestArguments(), arg):
			case arg == argExtensions, arg == "--extensions":
				o.CoreOnly = false
			case watch:
				o.WatchNamespaces = append(o.WatchNamespaces, strings.Split(namespaces, ",")...)
			case expects:
				for tenant := range strings.SplitSeq(tenants, ",") {
					o.Routers = append(o.Routers, Router{Namespace: tenant})
				}
			default:
				o.Args = append(o.Args, arg)
			}
		}
	}
	for i := range routers {
		is := InstalledRouter(&routers[i])
		o.Routers = append(slices.DeleteFunc(o.Routers, func(r Router) bool { return r.Namespace == is.Namespace }), is)
	}
	slices.Sort(o.WatchNamespaces)
	return o
}
