// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package install

import (
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/apis/arguments"
)

// Arguments that the manifests set.
const (
	argLeaderElect     = "--leader-elect=true"
	argExtensions      = "--extensions=true"
	argWatchNamespaces = "--watch-namespaces="
)

// manifestArguments returns the arguments that the manifests set, or set in an earlier version. An upgrade does not
// treat them as the user's choice. An argument that is removed from the manifests stays in this list.
func manifestArguments() []string { return []string{argLeaderElect} }

// arguments returns the arguments that the options add to those in the manifests.
func (o Options) arguments() []string {
	var all []string
	if !o.CoreOnly {
		all = append(all, argExtensions)
	}
	if len(o.WatchNamespaces) > 0 {
		all = append(all, argWatchNamespaces+strings.Join(o.WatchNamespaces, ","))
	}
	return append(all, o.Args...)
}

// Flag returns the last value of a flag in Args, and whether it is given. A flag without a value is "true".
func (o Options) Flag(name string) (value string, given bool) {
	return arguments.Value(o.Args, name)
}

// InstalledOptions returns the options that an operator's Deployment was rendered with, by whatever tool. An upgrade
// keeps them.
func InstalledOptions(deployment *appsv1.Deployment) Options {
	o := Options{Namespace: deployment.Namespace, Replicas: deployment.Spec.Replicas, CoreOnly: true}
	if o.Replicas == nil {
		o.Replicas = new(int32(1))
	}
	for i := range deployment.Spec.Template.Spec.Containers {
		container := &deployment.Spec.Template.Spec.Containers[i]
		if container.Name != apis.OperatorName {
			continue
		}
		o.Image = container.Image
		for _, arg := range container.Args {
			namespaces, watch := strings.CutPrefix(arg, argWatchNamespaces)
			switch {
			case slices.Contains(manifestArguments(), arg):
			case arg == argExtensions, arg == "--extensions":
				o.CoreOnly = false
			case watch:
				o.WatchNamespaces = append(o.WatchNamespaces, strings.Split(namespaces, ",")...)
			default:
				o.Args = append(o.Args, arg)
			}
		}
	}
	slices.Sort(o.WatchNamespaces)
	return o
}
