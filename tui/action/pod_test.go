// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package action

import (
	"reflect"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	b "github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

// twoContainers makes a Pod spec with two containers, of which the second one declares ports.
func twoContainers(spec *corev1.PodSpec) {
	spec.Containers = append(spec.Containers, corev1.Container{Name: "web", Ports: []corev1.ContainerPort{
		{Name: "http", ContainerPort: 8888}, {ContainerPort: 53, Protocol: corev1.ProtocolUDP},
		{ContainerPort: 9000, Protocol: corev1.ProtocolTCP},
	}})
}

func TestThePodSaysWhichContainersAndPortsThereAre(t *testing.T) {
	dev := target(resolve.KindSandbox, "dev")
	want := &Pod{Containers: []string{"main", "web"}, Default: "main",
		Ports: []Port{{Number: 8888, Name: "http", Container: "web"}, {Number: 9000, Container: "web"}}}
	t.Run("the Pod itself", func(t *testing.T) {
		r := newRig(t, true, nil)
		pods := r.cluster.Kubernetes.CoreV1().Pods(b.Namespace)
		pod, err := pods.Get(t.Context(), "dev", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		twoContainers(&pod.Spec)
		if _, err := pods.Update(t.Context(), pod, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		if got := r.Dispatch(t.Context(), Request{Verb: ReadPod, Targets: []Target{dev}}); !reflect.DeepEqual(got.Pod, want) {
			t.Errorf("%+v, %v", got.Pod, got.Err)
		}
	})
	t.Run("its template, while there is none", func(t *testing.T) {
		r := newRig(t, true, nil)
		if err := r.cluster.Kubernetes.CoreV1().Pods(b.Namespace).Delete(t.Context(), "dev",
			metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		sandboxes := r.cluster.Sandboxes.AgentsV1beta1().Sandboxes(b.Namespace)
		sandbox, err := sandboxes.Get(t.Context(), "dev", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		twoContainers(&sandbox.Spec.PodTemplate.Spec)
		if _, err := sandboxes.Update(t.Context(), sandbox, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		got := r.Dispatch(t.Context(), Request{Verb: ReadPod, Targets: []Target{dev}})
		if got.Err != nil || !reflect.DeepEqual(got.Pod.Ports, want.Ports) || len(got.Pod.Containers) == 0 {
			t.Errorf("%+v, %v", got.Pod, got.Err)
		}
	})
	t.Run("neither", func(t *testing.T) {
		got := newRig(t, true, nil).Dispatch(t.Context(), Request{Verb: ReadPod,
			Targets: []Target{target(resolve.KindClaim, "held")}})
		if got.Err == nil || !strings.Contains(got.Err.Error(), "claim/held has no Sandbox yet") {
			t.Errorf("%+v, %v", got.Pod, got.Err)
		}
	})
}
