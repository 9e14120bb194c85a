// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/metadata"
)

// identityLabels name the claim, template and pool that a Sandbox belongs to. They are copied to the Pod only while a
// claim or a pool controls the Sandbox, so a tenant gains nothing by setting them. The template's label stays while the
// Pod runs: without it the NetworkPolicy would no longer select the Pod.
var identityLabels = [...]string{apis.LabelClaimUID, apis.LabelSandboxTemplateRefHash, apis.LabelWarmPoolSandbox}

// setPodMetadata sets the keys that the operator owns and returns the keys of the Pod template that are reserved,
// sorted.
func setPodMetadata(pod *corev1.Pod, sandbox *agentsv1beta1.Sandbox) (dropped []string) {
	wantLabels, wantAnnotations := map[string]string{}, map[string]string{}
	for key, value := range sandbox.Spec.PodTemplate.ObjectMeta.Labels {
		if apis.ReservedLabel(key, value) {
			dropped = append(dropped, key)
			continue
		}
		wantLabels[key] = value
	}
	for key, value := range sandbox.Spec.PodTemplate.ObjectMeta.Annotations {
		if apis.ReservedKey(key) {
			dropped = append(dropped, key)
			continue
		}
		wantAnnotations[key] = value
	}
	if isClaimed(sandbox) && wantAnnotations[apis.AnnotationSafeToEvict] == apis.ValueTrue {
		// A user works in a claimed Sandbox. The template keeps the annotation: changing it would cost an adoption a second
		// write.
		delete(wantAnnotations, apis.AnnotationSafeToEvict)
	}
	trackerFor(pod, apis.AnnotationPropagatedLabels).Apply(&pod.Labels, wantLabels)
	trackerFor(pod, apis.AnnotationPropagatedAnnotations).Apply(&pod.Annotations, wantAnnotations)
	setIdentity(pod, sandbox)
	slices.Sort(dropped)
	return slices.Compact(dropped)
}

// trackerFor returns a Tracker that records the keys which come from the Pod template in an annotation of the Pod.
func trackerFor(pod *corev1.Pod, record string) metadata.Tracker {
	return metadata.Tracker{Annotations: &pod.Annotations, Record: record, Protected: apis.ReservedKey}
}

// setIdentity sets the labels that connect the Pod with its Sandbox and, if there is one, with the claim or pool that
// controls it.
//
// So each adoption patches the Pod, even if the claim brings no metadata of its own. The patch is needed: a pool's
// status.selector counts the Pods with the pool's label, so it must not stay on one that a claim took; the label with
// the claim's UID selects the Pods of a claim; and the cluster autoscaler may evict the Pod until the annotation that
// permits it is gone. A claim's Ready depends on none of it, so the patch holds while claims wait (hold.go).
func setIdentity(pod *corev1.Pod, sandbox *agentsv1beta1.Sandbox) {
	metadata.Set(&pod.Labels, apis.LabelSandboxNameHash, naming.Hash(sandbox.Name))
	metadata.Set(&pod.Labels, apis.LabelSandboxUID, string(sandbox.UID))
	if trace := sandbox.Annotations[apis.AnnotationTraceContext]; trace != "" {
		metadata.Set(&pod.Annotations, apis.AnnotationTraceContext, trace) // the Pod belongs to the same trace as its Sandbox
	}
	controlled := isClaimed(sandbox) || isPoolMember(sandbox)
	for _, key := range identityLabels {
		if value := sandbox.Labels[key]; controlled && value != "" {
			pod.Labels[key] = value
		} else if key != apis.LabelSandboxTemplateRefHash {
			delete(pod.Labels, key)
		}
	}
}
