// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package install

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/apis/arguments"
	"github.com/agent-sandbox/kubectl-sandbox/apis/buildinfo"
)

// RouterImageRepository is the repository of the router's released images.
const RouterImageRepository = "ghcr.io/agent-sandbox/" + apis.AppRouter

// argSigningKey is the argument of the router that the manifests set.
const argSigningKey = "--signing-key-file=/etc/sandbox-router/keys/" + SigningKeyEntry

// resumeOnRequest is the flag of the router that needs the permission to patch Sandboxes.
const resumeOnRequest = "resume-on-request"

// Router are the options of one router.
type Router struct {
	// Namespace of the router; the operator's if empty. A router in another namespace serves only the sandboxes there,
	// and only their default NetworkPolicies admit it.
	Namespace string
	// Image of the router; DefaultRouterImage if empty.
	Image string
	// Replicas of the router; 2 if nil.
	Replicas *int32
	// Args are added to the arguments in the manifests.
	Args []string
	// Env are added to the environment variables in the manifests.
	Env []corev1.EnvVar
}

// DefaultRouterImage returns the published image of this build's version.
func DefaultRouterImage() string { return RouterImageRepository + ":" + buildinfo.Get().Version }

// complete returns a copy of the router with all defaults set.
func (r Router) complete(operator string) Router {
	r.Namespace = cmp.Or(r.Namespace, operator)
	r.Image = cmp.Or(r.Image, DefaultRouterImage())
	if r.Replicas == nil {
		r.Replicas = new(int32(2))
	}
	r.Args, r.Env = slices.Clone(r.Args), slices.Clone(r.Env)
	return r
}

// resumes reports whether the router resumes suspended sandboxes.
func (r Router) resumes() bool {
	value, _ := arguments.Value(r.Args, resumeOnRequest)
	return value == "true"
}

// completeRouters returns the routers with all defaults set, that of the operator's namespace first.
func (o Options) completeRouters() []Router {
	var all []Router
	for _, r := range o.Routers {
		all = append(all, r.complete(o.Namespace))
	}
	slices.SortFunc(all, func(a, b Router) int {
		if own := a.Namespace == o.Namespace; own != (b.Namespace == o.Namespace) {
			return map[bool]int{true: -1, false: 1}[own]
		}
		return strings.Compare(a.Namespace, b.Namespace)
	})
	return slices.CompactFunc(all, func(a, b Router) bool { return a.Namespace == b.Namespace })
}

// tenantNamespaces returns the namespaces of the routers that are not beside the operator.
func (o Options) tenantNamespaces() []string {
	var all []string
	for _, r := range o.Routers {
		if r.Namespace != "" && r.Namespace != cmp.Or(o.Namespace, apis.OperatorNamespace) {
			all = append(all, r.Namespace)
		}
	}
	return slices.Compact(slices.Sorted(slices.Values(all)))
}

func (o Options) validateRouters() error {
	var all []error
	for _, r := range o.Routers {
		if strings.ContainsAny(r.Image, " \t\n") {
			all = append(all, fmt.Errorf("the router's image %q contains white space", r.Image))
		}
		if r.Replicas != nil && *r.Replicas < 0 {
			all = append(all, fmt.Errorf("the replicas of a router must not be negative: %d", *r.Replicas))
		}
		all = append(all, validateVariables(r.Env))
	}
	for _, namespace := range o.tenantNamespaces() {
		for _, problem := range validation.IsDNS1123Label(namespace) {
			all = append(all, fmt.Errorf("namespace %q of a router: %s", namespace, problem))
		}
		if len(o.WatchNamespaces) > 0 && !slices.Contains(o.WatchNamespaces, namespace) {
			all = append(all, fmt.Errorf("the operator does not watch namespace %q, so a router has no sandboxes there",
				namespace))
		}
	}
	return errors.Join(all...)
}

// InstalledRouter returns the options that a router's Deployment was rendered with, by whatever tool.
func InstalledRouter(deployment *appsv1.Deployment) Router {
	r := Router{Namespace: deployment.Namespace, Replicas: deployment.Spec.Replicas}
	if r.Replicas == nil {
		r.Replicas = new(int32(1))
	}
	for i := range deployment.Spec.Template.Spec.Containers {
		container := &deployment.Spec.Template.Spec.Containers[i]
		if container.Name != apis.AppRouter {
			continue
		}
		r.Image, r.Env = container.Image, chosenVariables(container)
		for _, arg := range container.Args {
			if arg != argSigningKey && !strings.HasPrefix(arg, argWatchNamespaces) {
				r.Args = append(r.Args, arg)
			}
		}
	}
	return r
}
