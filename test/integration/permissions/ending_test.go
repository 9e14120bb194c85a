// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package permissions

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
)

// exerciseEviction finishes a Pod with a limit of its disk usage, for which the operator reads events: only an event
// shows that the kubelet has evicted such a Pod.
func exerciseEviction(w *world) {
	w.Helper()
	limited := sandbox("limited")
	limited.Spec.PodTemplate.Spec.Volumes = []corev1.Volume{{Name: "scratch", VolumeSource: corev1.VolumeSource{
		EmptyDir: &corev1.EmptyDirVolumeSource{SizeLimit: new(resource.MustParse("1Mi"))},
	}}}
	w.create(limited)
	w.condition("limited", apis.ConditionReady, apis.ReasonDependenciesReady)
	w.eventually("the Pod ends", func() error {
		var pod corev1.Pod
		if err := w.get("limited", &pod); err != nil {
			return err
		}
		pod.Status.Phase = corev1.PodSucceeded
		return w.client.Status().Update(w.Context(), &pod)
	})
	w.condition("limited", apis.ConditionFinished, apis.ReasonPodSucceeded)
}
