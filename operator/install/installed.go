// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package install

import (
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
)

// Arguments of the operator that the manifests set.
const (
	argLeaderElect     = "--leader-elect=true"
	argExtensions      = "--extensions=true"
	argWatchNamespaces = "--watch-namespaces="
)

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
	for _, arg := range o.Args {
		flag, v, valued := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if flag == name {
			value, given = v, true
			if !valued {
				value = "true"
			}
		}
	}
	return value, given
}

// Installed are the options that the Deployment of an operator was rendered with, whoever rendered it: what an upgrade keeps.
func Installed(deployment *appsv1.Deployment) Options {
	o := Options{Namespace: deployment.Namespace, Replicas: 1, CoreOnly: true}
	if deployment.Spec.Replicas != nil {
		o.Replicas = *deployment.Spec.Replicas
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
			case arg == argLeaderElect:
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
