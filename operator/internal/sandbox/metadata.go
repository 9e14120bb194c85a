// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
)

// identityLabels say which claim, template and pool a Sandbox belongs to. They live in its metadata and reach the Pod only
// while a claim or a pool controls it: a tenant who writes them on a Sandbox of their own gets nothing. The template's stays while
// the Pod runs: without it the Pod would leave its NetworkPolicy.
var identityLabels = [...]string{apis.LabelClaimUID, apis.LabelSandboxTemplateRefHash, apis.LabelWarmPoolSandbox}

// setPodMetadata makes the keys we own right and returns the keys of the template that tenants may not set, sorted.
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
		// Somebody works in it. The template may go on saying so for warm Pods: a change of it would cost an adoption two writes.
		delete(wantAnnotations, apis.AnnotationSafeToEvict)
	}
	setTracked(pod, &pod.Labels, wantLabels, apis.AnnotationPropagatedLabels)
	setTracked(pod, &pod.Annotations, wantAnnotations, apis.AnnotationPropagatedAnnotations)
	setIdentity(pod, sandbox)
	slices.Sort(dropped)
	return slices.Compact(dropped)
}

// setTracked applies wanted keys, removes those that we set before and that are wanted no more, and notes which are ours.
// Keys that came from elsewhere stay.
func setTracked(pod *corev1.Pod, live *map[string]string, want map[string]string, note string) {
	for key := range strings.SplitSeq(pod.Annotations[note], ",") {
		if _, still := want[key]; !still && key != "" && !apis.ReservedKey(key) {
			delete(*live, key)
		}
	}
	for key, value := range want {
		setKey(live, key, value)
	}
	if keys := strings.Join(slices.Sorted(maps.Keys(want)), ","); keys != "" {
		setKey(&pod.Annotations, note, keys)
	} else {
		delete(pod.Annotations, note)
	}
}

func setIdentity(pod *corev1.Pod, sandbox *agentsv1beta1.Sandbox) {
	setKey(&pod.Labels, apis.LabelSandboxNameHash, naming.Hash(sandbox.Name))
	setKey(&pod.Labels, apis.LabelSandboxUID, string(sandbox.UID))
	if trace := sandbox.Annotations[apis.AnnotationTraceContext]; trace != "" {
		setKey(&pod.Annotations, apis.AnnotationTraceContext, trace) // the Pod is part of the request that the Sandbox serves
	}
	held := isClaimed(sandbox) || isPoolMember(sandbox)
	for _, key := range identityLabels {
		if value := sandbox.Labels[key]; held && value != "" {
			pod.Labels[key] = value
		} else if key != apis.LabelSandboxTemplateRefHash {
			delete(pod.Labels, key)
		}
	}
}
