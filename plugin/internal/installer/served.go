// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package installer

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/apis/crds"
	"github.com/agent-sandbox/kubectl-sandbox/operator/install"
)

// useSample is the number of objects of a kind that are examined for signs of a version that is no longer served.
const useSample = 500

// servedVersions returns the versions that the API server serves, or all of them if it has no definition or the user
// may not read them: check reports all missing permissions at once.
func (a *applier) servedVersions(ctx context.Context) ([]string, error) {
	all, err := crds.All()
	if err != nil {
		return nil, err
	}
	var live []*apiextensionsv1.CustomResourceDefinition
	for _, crd := range all {
		name := &unstructured.Unstructured{}
		name.SetGroupVersionKind(apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition"))
		name.SetName(crd.Name)
		have, err := a.get(ctx, name)
		switch {
		case apierrors.IsForbidden(err), err == nil && have == nil:
			continue
		case err != nil:
			return nil, err
		}
		definition, err := toDefinition(have)
		if err != nil {
			return nil, err
		}
		live = append(live, definition)
	}
	return crds.Served(live...), nil
}

func toDefinition(object *unstructured.Unstructured) (*apiextensionsv1.CustomResourceDefinition, error) {
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, crd); err != nil {
		return nil, fmt.Errorf("read %s: %w", install.ResourceName(object), err)
	}
	return crd, nil
}

// warnOfUse prints a warning if the plan ends the serving of a version that objects show signs of. It reads a sample of
// them, and they do not show who reads: no warning is no proof.
func (a *applier) warnOfUse(ctx context.Context, plan []step) error {
	var seen use
	for _, s := range plan {
		if s.want.GetKind() != "CustomResourceDefinition" || s.have == nil {
			continue
		}
		have, err := toDefinition(s.have)
		if err != nil {
			return err
		}
		want, err := toDefinition(s.want)
		if err != nil {
			return err
		}
		for _, version := range endedVersions(have, want) {
			if err := a.lookForUse(ctx, want, version, &seen); err != nil {
				return err
			}
		}
	}
	for _, sign := range []string{seen.owner, seen.write} {
		if sign != "" {
			a.printNote("Warning: %s. --served-versions=%s serves it again.", sign, strings.Join(crds.Versions(), ","))
		}
	}
	return nil
}

// endedVersions returns the versions that are served and will not be.
func endedVersions(have, want *apiextensionsv1.CustomResourceDefinition) []string {
	will := crds.Served(want)
	return slices.DeleteFunc(crds.Served(have), func(version string) bool {
		return slices.Contains(will, version)
	})
}

// lookForUse examines objects of a definition, and Pods, which Sandboxes own. It skips what the user may not list.
func (a *applier) lookForUse(
	ctx context.Context, crd *apiextensionsv1.CustomResourceDefinition, version string, seen *use,
) error {
	resources := map[schema.GroupVersionResource]string{
		{Group: crd.Spec.Group, Version: apis.VersionV1beta1, Resource: crd.Spec.Names.Plural}: "",
	}
	if crds.IsCore(crd) {
		resources[corev1.SchemeGroupVersion.WithResource("pods")] = apis.LabelSandboxNameHash
	}
	for resource, selector := range resources {
		list, err := a.dynamic.Resource(resource).List(ctx, metav1.ListOptions{Limit: useSample, LabelSelector: selector})
		switch {
		case apierrors.IsForbidden(err), apierrors.IsNotFound(err):
			continue
		case err != nil:
			return fmt.Errorf("list %s to find out who uses %s: %w", resource.Resource, version, err)
		}
		for i := range list.Items {
			seen.examine(&list.Items[i], version)
		}
	}
	return nil
}

// use is what objects show about the use of a version.
type use struct {
	owner string    // an object that names its owner by the version
	write string    // the latest write as the version
	at    time.Time // of the write
}

// examine looks at the owner references and the field managers of an object. The garbage collector looks up an owner
// by the version in the reference.
func (u *use) examine(object *unstructured.Unstructured, version string) {
	name := fmt.Sprintf("%s %s/%s", object.GetKind(), object.GetNamespace(), object.GetName())
	for _, reference := range object.GetOwnerReferences() {
		if isOf(reference.APIVersion, version) {
			u.owner = fmt.Sprintf("%s names its owner as %s, and is not deleted with it while %[2]s is not served",
				name, version)
		}
	}
	for _, entry := range object.GetManagedFields() {
		if at := ptr.Deref(entry.Time, metav1.Time{}); isOf(entry.APIVersion, version) && !at.Time.Before(u.at) {
			u.at = at.Time
			u.write = fmt.Sprintf("%s wrote %s as %s on %s, and now gets 404 (NotFound) for %[3]s", entry.Manager, name, version,
				at.UTC().Format(time.DateOnly))
		}
	}
}

// isOf reports whether an apiVersion is this version of one of our groups.
func isOf(apiVersion, version string) bool {
	gv, err := schema.ParseGroupVersion(apiVersion)
	return err == nil && gv.Version == version && (gv.Group == apis.GroupAgents || gv.Group == apis.GroupExtensions)
}
