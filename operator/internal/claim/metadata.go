// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"maps"
	"slices"
	"strings"

	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/sandboxspec"
)

// checkMetadata refuses what no claim may set, whatever the template says.
func checkMetadata(claim *extensionsv1beta1.SandboxClaim) *rejection {
	spec := &claim.Spec
	fields := []struct {
		name                string
		labels, annotations map[string]string
	}{
		{"additionalPodMetadata", spec.AdditionalPodMetadata.Labels, spec.AdditionalPodMetadata.Annotations},
		{"podMetadata", labelsOf(spec.PodMetadata), annotationsOf(spec.PodMetadata)},
		{"sandboxMetadata", labelsOf(spec.SandboxMetadata), annotationsOf(spec.SandboxMetadata)},
	}
	for _, field := range fields {
		if why := checkKeys(field.name+".labels", field.labels, checkLabel); why != nil {
			return why
		}
		if why := checkKeys(field.name+".annotations", field.annotations, checkAnnotation); why != nil {
			return why
		}
		if err := apivalidation.ValidateAnnotationsSize(field.annotations); err != nil {
			return rejectf(apis.ReasonInvalidMetadata, "%s.annotations: %v: shorten them", field.name, err)
		}
	}
	return nil
}

// checkKeys looks at keys in order, so that the message stays the same from pass to pass.
func checkKeys(field string, keys map[string]string, check func(key, value string) string) *rejection {
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if domain := apis.ReservedDomain(key); domain != "" {
			return rejectf(apis.ReasonInvalidMetadata, "%s: key %q is in the reserved domain %s: remove it from the claim", field, key, domain)
		}
		if problem := check(key, keys[key]); problem != "" {
			return rejectf(apis.ReasonInvalidMetadata, "%s: %s", field, problem)
		}
	}
	return nil
}

func checkLabel(key, value string) string {
	if problems := validation.IsQualifiedName(key); len(problems) > 0 {
		return "key \"" + key + "\" is not valid: " + strings.Join(problems, "; ")
	}
	if problems := validation.IsValidLabelValue(value); len(problems) > 0 {
		return "the value of \"" + key + "\" is not valid: " + strings.Join(problems, "; ")
	}
	if apis.ReservedLabel(key, value) {
		return "\"" + key + "=" + value + "\" is how the router is found: use another value"
	}
	return ""
}

func checkAnnotation(key, _ string) string {
	if problems := validation.IsQualifiedName(strings.ToLower(key)); len(problems) > 0 {
		return "key \"" + key + "\" is not valid: " + strings.Join(problems, "; ")
	}
	return ""
}

// checkOverrides refuses keys of additionalPodMetadata that the template sets to another value. What the live podTemplate says
// already is fine: a template that changed later breaks no running Sandbox.
func checkOverrides(claim *extensionsv1beta1.SandboxClaim, template *extensionsv1beta1.SandboxTemplate, live agentsv1beta1.PodMetadata) *rejection {
	if template == nil {
		return nil
	}
	add, has := claim.Spec.AdditionalPodMetadata, template.Spec.PodTemplate.ObjectMeta
	if why := checkOverride("labels", add.Labels, has.Labels, live.Labels); why != nil {
		return why
	}
	return checkOverride("annotations", add.Annotations, has.Annotations, live.Annotations)
}

func checkOverride(field string, add, has, live map[string]string) *rejection {
	for _, key := range slices.Sorted(maps.Keys(add)) {
		theirs, both := has[key]
		is, there := live[key]
		if both && theirs != add[key] && (!there || is != add[key]) {
			return rejectf(apis.ReasonInvalidMetadata, "additionalPodMetadata.%s: the template sets %q to %q already: remove it from the "+
				"claim, or use podMetadata, which may override", field, key, theirs)
		}
	}
	return nil
}

// setMetadata brings the keys of the template and of the claim on the Sandbox and on its podTemplate up to date: what is there, then the
// template's keys, then the claim's. What the template has no more stays.
func setMetadata(sandbox *agentsv1beta1.Sandbox, claim *extensionsv1beta1.SandboxClaim, template *extensionsv1beta1.SandboxTemplate) *rejection {
	pod := &sandbox.Spec.PodTemplate.ObjectMeta
	if why := checkOverrides(claim, template, *pod); why != nil {
		return why
	}
	var has agentsv1beta1.PodMetadata
	var labels, annotations map[string]string
	if isMadeFrom(sandbox, template) {
		has = template.Spec.PodTemplate.ObjectMeta
		labels, annotations = sandboxspec.InheritedMetadata(template)
		pod.Labels, pod.Annotations = mergeKeys(pod.Labels, has.Labels), mergeKeys(pod.Annotations, has.Annotations)
		sandbox.Labels, sandbox.Annotations = mergeKeys(sandbox.Labels, labels), mergeKeys(sandbox.Annotations, annotations)
	}
	spec := &claim.Spec
	podLabels := mergeKeys(spec.AdditionalPodMetadata.Labels, labelsOf(spec.PodMetadata))
	podAnnotations := mergeKeys(spec.AdditionalPodMetadata.Annotations, annotationsOf(spec.PodMetadata))
	setTracked(sandbox, &pod.Labels, podLabels, has.Labels, apis.AnnotationClaimPodLabels)
	setTracked(sandbox, &pod.Annotations, podAnnotations, has.Annotations, apis.AnnotationClaimPodAnnotations)
	setTracked(sandbox, &sandbox.Labels, labelsOf(spec.SandboxMetadata), labels, apis.AnnotationClaimLabels)
	setTracked(sandbox, &sandbox.Annotations, annotationsOf(spec.SandboxMetadata), annotations, apis.AnnotationClaimAnnotations)
	return nil
}

// isMadeFrom says whether the Sandbox was made from the template (nil: there is none).
func isMadeFrom(sandbox *agentsv1beta1.Sandbox, template *extensionsv1beta1.SandboxTemplate) bool {
	return template != nil && sandbox.Labels[apis.LabelSandboxTemplateRefHash] == naming.Hash(template.Name)
}

// setTracked sets the claim's keys and takes back those it set before and has no more: they get the template's value, or go.
// Keys that came from elsewhere stay. The note on the Sandbox remembers which keys are the claim's.
func setTracked(sandbox *agentsv1beta1.Sandbox, live *map[string]string, want, has map[string]string, note string) {
	for key := range strings.SplitSeq(sandbox.Annotations[note], ",") {
		if _, still := want[key]; still || key == "" || apis.ReservedDomain(key) != "" {
			continue
		}
		if value, templated := has[key]; templated {
			setKey(live, key, value)
		} else {
			delete(*live, key)
		}
	}
	for key, value := range want {
		setKey(live, key, value)
	}
	if keys := strings.Join(slices.Sorted(maps.Keys(want)), ","); keys != "" {
		setKey(&sandbox.Annotations, note, keys)
	} else {
		delete(sandbox.Annotations, note)
	}
}

func setKey(all *map[string]string, key, value string) {
	if *all == nil {
		*all = map[string]string{}
	}
	(*all)[key] = value
}

// mergeKeys is both; where they differ, over wins.
func mergeKeys(under, over map[string]string) map[string]string {
	all := maps.Clone(under)
	for key, value := range over {
		setKey(&all, key, value)
	}
	return all
}

func labelsOf(m *extensionsv1beta1.Metadata) map[string]string {
	if m == nil {
		return nil
	}
	return m.Labels
}

func annotationsOf(m *extensionsv1beta1.Metadata) map[string]string {
	if m == nil {
		return nil
	}
	return m.Annotations
}
