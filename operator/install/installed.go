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

// Arguments of the operator that the manifests set.
const (
	argLeaderElect     = "--leader-elect=true"
	argExtensions      = "--extensions=true"
	argWatchNamespaces = "--watch-namespaces="
)

// manifestArguments are the arguments that the manifests set or have ever set: an upgrade does not take them for somebody's choice. One that is
// dropped from the manifests stays in this list.
func manifestArguments() []string { return []string{argLeaderElect} }

// arguments are what the options add to the arguments in the manifests.
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

// Flag is the last value of a flag among the further arguments; a flag without one is true.
func (o Options) Flag(name string) (value string, given bool) {
	return arguments.Value(o.Args, name)
}

// InstalledOptions are the options that the Deployment of an operator was rendered with, whoever rendered it: what an upgrade keeps.
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
