// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/metadata"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/sandboxspec"
)

// checkMetadata rejects labels and annotations that no claim may set, whatever its template says.
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
		if rejected := checkKeys(field.name+".labels", field.labels, checkLabel); rejected != nil {
			return rejected
		}
		if rejected := checkKeys(field.name+".annotations", field.annotations, checkAnnotation); rejected != nil {
			return rejected
		}
		if err := apivalidation.ValidateAnnotationsSize(field.annotations); err != nil {
			return rejectf(apis.ReasonInvalidMetadata, "%s.annotations: %v: shorten them", field.name, err)
		}
	}
	return nil
}

// checkKeys checks keys in sorted order, so that repeated reconciles give the same message.
func checkKeys(field string, keys map[string]string, check func(key, value string) string) *rejection {
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if domain := apis.ReservedDomain(key); domain != "" {
			return rejectf(
				apis.ReasonInvalidMetadata,
				"%s: key %q is in the reserved domain %s: remove it from the claim",
				field, key, domain,
			)
		}
		if problem := check(key, keys[key]); problem != "" {
			return rejectf(apis.ReasonInvalidMetadata, "%s: %s", field, problem)
		}
	}
	return nil
}

func checkLabel(key, value string) string {
	if problems := validation.IsQualifiedName(key); len(problems) > 0 {
		return fmt.Sprintf("key %q is not valid: %s", key, strings.Join(problems, "; "))
	}
	if problems := validation.IsValidLabelValue(value); len(problems) > 0 {
		return fmt.Sprintf("the value of %q is not valid: %s", key, strings.Join(problems, "; "))
	}
	if apis.ReservedLabel(key, value) {
		return fmt.Sprintf("%q identifies the router: use another value", key+"="+value)
	}
	return ""
}

func checkAnnotation(key, _ string) string {
	if problems := validation.IsQualifiedName(strings.ToLower(key)); len(problems) > 0 {
		return fmt.Sprintf("key %q is not valid: %s", key, strings.Join(problems, "; "))
	}
	return ""
}

// checkOverrides rejects keys of additionalPodMetadata that the template sets to another value. Values that the live
// podTemplate already has are accepted, so that a later change of the template does not break a running Sandbox.
func checkOverrides(
	claim *extensionsv1beta1.SandboxClaim, template *extensionsv1beta1.SandboxTemplate, live agentsv1beta1.PodMetadata,
) *rejection {
	if template == nil {
		return nil
	}
	added, templated := claim.Spec.AdditionalPodMetadata, template.Spec.PodTemplate.ObjectMeta
	if rejected := checkOverride("labels", added.Labels, templated.Labels, live.Labels); rejected != nil {
		return rejected
	}
	return checkOverride("annotations", added.Annotations, templated.Annotations, live.Annotations)
}

func checkOverride(field string, added, templated, live map[string]string) *rejection {
	for _, key := range slices.Sorted(maps.Keys(added)) {
		templateValue, inTemplate := templated[key]
		liveValue, inLive := live[key]
		if inTemplate && templateValue != added[key] && (!inLive || liveValue != added[key]) {
			return rejectf(
				apis.ReasonInvalidMetadata,
				"additionalPodMetadata.%s: the template already sets %q to %q: remove it from the "+
					"claim, or use podMetadata, which overrides the template",
				field, key, templateValue,
			)
		}
	}
	return nil
}

// setMetadata updates the labels and annotations of the Sandbox and of its podTemplate: the template's keys are set,
// and then the claim's. Keys that were removed from the template stay.
func setMetadata(
	sandbox *agentsv1beta1.Sandbox, claim *extensionsv1beta1.SandboxClaim, template *extensionsv1beta1.SandboxTemplate,
) *rejection {
	pod := &sandbox.Spec.PodTemplate.ObjectMeta
	if rejected := checkOverrides(claim, template, *pod); rejected != nil {
		return rejected
	}
	var templatePod agentsv1beta1.PodMetadata
	var labels, annotations map[string]string // of the template, that its Sandboxes inherit
	if isMadeFrom(sandbox, template) {
		templatePod = template.Spec.PodTemplate.ObjectMeta
		labels, annotations = sandboxspec.InheritedMetadata(template)
		pod.Labels = metadata.Merge(pod.Labels, templatePod.Labels)
		pod.Annotations = metadata.Merge(pod.Annotations, templatePod.Annotations)
		sandbox.Labels = metadata.Merge(sandbox.Labels, labels)
		sandbox.Annotations = metadata.Merge(sandbox.Annotations, annotations)
	}
	spec := &claim.Spec
	podLabels := metadata.Merge(spec.AdditionalPodMetadata.Labels, labelsOf(spec.PodMetadata))
	podAnnotations := metadata.Merge(spec.AdditionalPodMetadata.Annotations, annotationsOf(spec.PodMetadata))
	tracker := func(record string, fallback map[string]string) metadata.Tracker {
		return metadata.Tracker{
			Annotations: &sandbox.Annotations, Record: record, Fallback: fallback,
			Protected: func(key string) bool { return apis.ReservedDomain(key) != "" },
		}
	}
	tracker(apis.AnnotationClaimPodLabels, templatePod.Labels).Apply(&pod.Labels, podLabels)
	tracker(apis.AnnotationClaimPodAnnotations, templatePod.Annotations).Apply(&pod.Annotations, podAnnotations)
	tracker(apis.AnnotationClaimLabels, labels).Apply(&sandbox.Labels, labelsOf(spec.SandboxMetadata))
	tracker(apis.AnnotationClaimAnnotations, annotations).Apply(&sandbox.Annotations, annotationsOf(spec.SandboxMetadata))
	return nil
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
