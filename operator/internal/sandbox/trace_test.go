// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sandbox

import "testing"

func TestThePodCarriesTheTraceOfItsSandbox(t *testing.T) {
	const key = "opentelemetry.io/trace-context"
	s := box()
	s.Annotations = map[string]string{key: "new"}
	s.Spec.PodTemplate.ObjectMeta.Annotations = map[string]string{key: "the template's"}
	pod, dropped := buildPod(s, nil)
	if pod.Annotations[key] != "new" || len(dropped) > 0 {
		t.Errorf("annotations: %v, dropped: %v", pod.Annotations, dropped)
	}
	s.Annotations[key] = "newer" // as after an adoption
	if pod, _ = buildPod(s, pod); pod.Annotations[key] != "newer" {
		t.Errorf("annotations: %v", pod.Annotations)
	}
	s.Annotations = nil
	s.Spec.PodTemplate.ObjectMeta.Annotations = nil
	if pod, _ = buildPod(s, nil); pod.Annotations[key] != "" {
		t.Errorf("annotations: %v", pod.Annotations)
	}
}
