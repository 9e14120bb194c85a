// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package install

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/apis/buildinfo"
	"github.com/agent-sandbox/kubectl-sandbox/apis/crds"
)

// ImageRepository is the repository of the operator's released images.
const ImageRepository = "ghcr.io/agent-sandbox/agent-sandbox-controller"

// PartOf is the value of apis.LabelPartOf.
const PartOf = "agent-sandbox"

// Labels returns the labels that Render gives to every object.
func Labels() map[string]string {
	return map[string]string{
		apis.LabelApp:       apis.OperatorName,
		apis.LabelPartOf:    PartOf,
		apis.LabelManagedBy: apis.FieldOwnerPlugin,
		apis.LabelVersion:   VersionLabel(buildinfo.Get().Version),
	}
}

// Options change how the manifests are rendered. The zero value gives the defaults.
type Options struct {
	// Namespace of the operator; apis.OperatorNamespace if empty.
	Namespace string
	// Image of the operator; DefaultImage if empty.
	Image string
	// Replicas of the operator; 1 if nil. All replicas but the leader are standbys.
	Replicas *int32
	// Args are added to the arguments in the manifests.
	Args []string
	// Env are added to the environment variables in the manifests.
	Env []corev1.EnvVar
	// WatchNamespaces are the namespaces that the operator is confined to; all if empty. They must exist. The operator
	// gets Roles in these namespaces instead of ClusterRoles.
	WatchNamespaces []string
	// CoreOnly omits the CustomResourceDefinitions and the reconcilers of claims, templates and pools.
	CoreOnly bool
	// Routers are the routers to install: none, one beside the operator, and any in namespaces of tenants.
	Routers []Router
	// ServedVersions are the API versions of the four kinds that the API server serves; all if empty.
	ServedVersions []string
}

// DefaultImage returns the published image of this build's version.
func DefaultImage() string { return ImageRepository + ":" + buildinfo.Get().Version }

// Complete returns a copy of the options with all defaults set.
func (o Options) Complete() Options {
	o.Namespace = cmp.Or(o.Namespace, apis.OperatorNamespace)
	o.Image = cmp.Or(o.Image, DefaultImage())
	if o.Replicas == nil {
		o.Replicas = new(int32(1))
	}
	o.Args, o.Env = slices.Clone(o.Args), slices.Clone(o.Env)
	o.WatchNamespaces = slices.Compact(slices.Sorted(slices.Values(o.WatchNamespaces)))
	o.Routers = o.completeRouters()
	given := o.ServedVersions
	o.ServedVersions = slices.DeleteFunc(crds.Versions(), func(version string) bool {
		return len(given) > 0 && !slices.Contains(given, version)
	})
	return o
}

// Validate returns all errors in the options, joined.
func (o Options) Validate() error {
	var all []error
	namespaces := o.WatchNamespaces
	if o.Namespace != "" {
		namespaces = append([]string{o.Namespace}, namespaces...)
	}
	for _, namespace := range namespaces {
		for _, problem := range validation.IsDNS1123Label(namespace) {
			all = append(all, fmt.Errorf("namespace %q: %s", namespace, problem))
		}
	}
	if strings.ContainsAny(o.Image, " \t\n") {
		all = append(all, fmt.Errorf("image %q contains white space", o.Image))
	}
	if o.Replicas != nil && *o.Replicas < 0 {
		all = append(all, fmt.Errorf("replicas must not be negative: %d", *o.Replicas))
	}
	if len(o.ServedVersions) > 0 {
		all = append(all, crds.ValidateServed(o.ServedVersions))
	}
	all = append(all, o.validateRouters())
	all = append(all, validateVariables(o.Env))
	return errors.Join(all...)
}

func validateVariables(variables []corev1.EnvVar) error {
	var all []error
	for _, variable := range variables {
		if ManifestVariable(variable.Name) {
			all = append(all, fmt.Errorf("the environment variable %s cannot be chosen", variable.Name))
		}
	}
	return errors.Join(all...)
}

// IsOurs reports whether an object in a cluster was installed from these manifests.
func IsOurs(object *unstructured.Unstructured) bool {
	labels := object.GetLabels()
	return labels[apis.LabelPartOf] == PartOf && labels[apis.LabelManagedBy] == apis.FieldOwnerPlugin
}

// Version returns the version of the manifests that an object was installed from, or "".
func Version(object *unstructured.Unstructured) string { return object.GetLabels()[apis.LabelVersion] }

// VersionLabel converts a version to a label value: characters that are not allowed there, such as "+", become "-".
func VersionLabel(version string) string {
	value := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '-', r == '_':
			return r
		}
		return '-'
	}, version)
	value = value[:min(len(value), validation.LabelValueMaxLength)]
	return strings.Trim(value, "-._")
}
