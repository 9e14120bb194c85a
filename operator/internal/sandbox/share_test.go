// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

// of returns a Sandbox with a container that has this image.
func of(name, image string) *agentsv1beta1.Sandbox {
	sandbox := builders.Sandbox(name)
	sandbox.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "kubectl"}}
	sandbox.Spec.PodTemplate.Spec = corev1.PodSpec{
		NodeSelector: map[string]string{"zone": "a"},
		Containers:   []corev1.Container{{Name: "main", Image: image, Env: []corev1.EnvVar{{Name: "A", Value: "b"}}}},
	}
	return sandbox
}

// cached returns what the cache keeps of a Sandbox.
func cached(t *testing.T, by *specs, sandbox *agentsv1beta1.Sandbox) *agentsv1beta1.Sandbox {
	t.Helper()
	kept, err := by.trim(sandbox)
	if err != nil {
		t.Fatal(err)
	}
	return kept.(*agentsv1beta1.Sandbox)
}

func TestTheCacheKeepsEqualSpecsOnce(t *testing.T) {
	by := newSpecs()
	a, b, other := cached(t, by, of("a", "x")), cached(t, by, of("b", "x")), cached(t, by, of("c", "y"))
	main := func(s *agentsv1beta1.Sandbox) *corev1.Container { return &s.Spec.PodTemplate.Spec.Containers[0] }
	if main(a) != main(b) {
		t.Error("equal specs are kept twice")
	}
	if main(a) == main(other) {
		t.Error("different specs are one")
	}
	for _, s := range []*agentsv1beta1.Sandbox{a, b, other} {
		want := of(s.Name, main(s).Image)
		want.ManagedFields = nil
		if diff := cmp.Diff(want, s); diff != "" {
			t.Errorf("%s (-sent +kept):\n%s", s.Name, diff)
		}
	}
	if a.Name != "a" || main(other).Image != "y" {
		t.Errorf("%s, %s", a.Name, main(other).Image)
	}
}

func TestPodsOfEqualSpecsKeepTheirNodes(t *testing.T) {
	by := newSpecs()
	var pods []*corev1.Pod
	for i := range 2 {
		pod := wholePod()
		pod.Spec.NodeName = fmt.Sprint("node-", i)
		kept, err := by.trimPod(pod)
		if err != nil {
			t.Fatal(err)
		}
		pods = append(pods, kept.(*corev1.Pod))
	}
	if &pods[0].Spec.Containers[0] != &pods[1].Spec.Containers[0] {
		t.Error("equal specs are kept twice")
	}
	for i, pod := range pods {
		if want := fmt.Sprint("node-", i); pod.Spec.NodeName != want {
			t.Errorf("the node of Pod %d is %q", i, pod.Spec.NodeName)
		}
	}
}

func TestManyDifferentSpecsAreNotAllRemembered(t *testing.T) {
	by := newSpecs()
	for i := range sharedSpecs + 10 {
		cached(t, by, of("a", fmt.Sprint("image-", i)))
	}
	if n := by.known.Len(); n != sharedSpecs {
		t.Errorf("%d are remembered, want %d", n, sharedSpecs)
	}
}
