// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/agent-sandbox/kubectl-sandbox/apis/buildinfo"
	"github.com/agent-sandbox/kubectl-sandbox/apis/crds"
	"github.com/agent-sandbox/kubectl-sandbox/operator/install"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/installer"
)

// definitions checks each CustomResourceDefinition that the operator needs; a core-only operator needs one.
func definitions(ctx context.Context, c *cluster) []Finding {
	all, err := crds.All()
	if err != nil {
		return failed("this program is broken: install it again", "%v", err)
	}
	var found []Finding
	var live []*apiextensionsv1.CustomResourceDefinition
	for _, want := range all {
		if c.options().CoreOnly && !crds.IsCore(want) {
			continue
		}
		have, problem := c.definition(ctx, want)
		found, live = append(found, problem...), append(live, have)
	}
	if len(found) > 0 {
		return found
	}
	excluded := ""
	if versions := notServed(live); len(versions) > 0 {
		excluded = "; " + strings.Join(versions, ", ") + " is not served: requests for it get 404 (NotFound)"
	}
	return ok("%d CustomResourceDefinitions are established, in this program's version%s", len(live), excluded)
}

// notServed returns the versions that at least one of the definitions does not serve, as an administrator may choose.
func notServed(live []*apiextensionsv1.CustomResourceDefinition) []string {
	return slices.DeleteFunc(crds.Versions(), func(version string) bool {
		return !slices.ContainsFunc(live, func(crd *apiextensionsv1.CustomResourceDefinition) bool {
			return !slices.Contains(crds.Served(crd), version)
		})
	})
}

// definition checks one CustomResourceDefinition and returns the one in the cluster. It returns no finding if it is
// correct.
func (c *cluster) definition(
	ctx context.Context, want *apiextensionsv1.CustomResourceDefinition,
) (have *apiextensionsv1.CustomResourceDefinition, problem []Finding) {
	resource := schema.GroupVersionResource{
		Group: apiextensionsv1.GroupName, Version: "v1", Resource: "customresourcedefinitions",
	}
	content, err := c.dynamic.Resource(resource).Get(ctx, want.Name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err) && c.deploymentErr != nil && !crds.IsCore(want):
		return nil, unknown("CustomResourceDefinition %s is missing; %s may not read the operator's flags, which say "+
			"whether it needs it", want.Name, c.subject())
	case apierrors.IsNotFound(err):
		return nil, failed(c.repairCommand(), "CustomResourceDefinition %s is missing", want.Name)
	case err != nil:
		return nil, c.unreadable(err, "CustomResourceDefinition "+want.Name)
	}
	have = &apiextensionsv1.CustomResourceDefinition{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(content.Object, have); err != nil {
		return nil, failed(c.repairCommand(), "CustomResourceDefinition %s: %v", want.Name, err)
	}
	if have.DeletionTimestamp != nil {
		return nil, failed(
			fmt.Sprintf("wait until it is gone, or check the finalizers of its objects; then %s", c.repairCommand()),
			"CustomResourceDefinition %s is being deleted, with all its objects", want.Name)
	}
	if why := whyNotEstablished(have); why != "" {
		return nil, failed("kubectl describe crd "+want.Name, "CustomResourceDefinition %s is not established: %s",
			want.Name, why)
	}
	if sameVersions(have, want) {
		return have, nil
	}
	theirs := install.Version(content)
	if installer.IsNewer(theirs, buildinfo.Get().Version) {
		return nil, warning("upgrade this program",
			"CustomResourceDefinition %s has version %s, newer than this program's", want.Name, theirs)
	}
	return nil, failed(c.repairCommand(),
		"CustomResourceDefinition %s differs from that of this program: its version is %s, this program's is %s",
		want.Name, cmp.Or(theirs, "unknown"), buildinfo.Get().Version)
}

// whyNotEstablished returns why the API server does not serve a CustomResourceDefinition, or nothing if it does.
func whyNotEstablished(have *apiextensionsv1.CustomResourceDefinition) string {
	why := "the API server does not serve it yet"
	for _, condition := range have.Status.Conditions {
		switch {
		case condition.Type == apiextensionsv1.Established && condition.Status == apiextensionsv1.ConditionTrue:
			return ""
		case condition.Type == apiextensionsv1.NamesAccepted && condition.Status == apiextensionsv1.ConditionFalse:
			why = condition.Message
		}
	}
	return why
}

// sameVersions reports whether both have the same versions with the same schemas, and need no conversion. Which of them
// are served is the administrator's choice.
func sameVersions(have, want *apiextensionsv1.CustomResourceDefinition) bool {
	byName := func(a, b apiextensionsv1.CustomResourceDefinitionVersion) int { return cmp.Compare(a.Name, b.Name) }
	if conversion := have.Spec.Conversion; conversion != nil && conversion.Strategy != apiextensionsv1.NoneConverter {
		return false
	}
	want = want.DeepCopy()
	crds.Serve(want, crds.Served(have))
	return equality.Semantic.DeepEqual(
		slices.SortedFunc(slices.Values(have.Spec.Versions), byName),
		slices.SortedFunc(slices.Values(want.Spec.Versions), byName))
}
