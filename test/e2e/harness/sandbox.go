// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
)

// NewSandbox returns a Sandbox with one shell container that stays, and changes applied.
func (h *T) NewSandbox(name string, changes ...func(*agentsv1beta1.Sandbox)) *agentsv1beta1.Sandbox {
	s := &agentsv1beta1.Sandbox{ObjectMeta: metav1.ObjectMeta{Namespace: h.Namespace, Name: name}}
	grace := int64(1)
	s.Spec.PodTemplate.Spec.TerminationGracePeriodSeconds = &grace
	s.Spec.PodTemplate.Spec.Containers = []corev1.Container{{Name: "main", Image: ImageShell}}
	for _, change := range changes {
		change(s)
	}
	return s
}

// Create creates a Sandbox and returns it as the server has it.
func (h *T) Create(s *agentsv1beta1.Sandbox) *agentsv1beta1.Sandbox {
	h.Helper()
	if err := h.Client.Create(h.Context(), s); err != nil {
		h.Fatalf("create Sandbox %s: %v", s.Name, err)
	}
	return s
}

// Edit changes a Sandbox as it is now.
func (h *T) Edit(name string, change func(*agentsv1beta1.Sandbox)) {
	h.Helper()
	Change(h, name, &agentsv1beta1.Sandbox{}, change)
}

// Condition waits until a condition reads as given ("Ready=True/DependenciesReady") for the current generation, and returns
// the Sandbox.
func (h *T) Condition(name, want string) *agentsv1beta1.Sandbox {
	h.Helper()
	var s agentsv1beta1.Sandbox
	h.Eventually("Sandbox "+name+" "+want, func() error {
		if !h.Get(name, &s) {
			return fmt.Errorf("there is no Sandbox %s", name)
		}
		return reads(s.Status.Conditions, s.Generation, want)
	})
	return &s
}

// reads says in what way a condition does not read as wanted for the generation.
func reads(conditions []metav1.Condition, generation int64, want string) error {
	kind, _, _ := strings.Cut(want, "=")
	c := apis.FindCondition(conditions, apis.ConditionType(kind))
	if c == nil {
		return fmt.Errorf("no such condition among %v", wordsOf(conditions))
	}
	if got := c.Type + "=" + string(c.Status) + "/" + c.Reason; got != want || c.ObservedGeneration != generation {
		return fmt.Errorf("conditions are %v at generation %d of %d", wordsOf(conditions), c.ObservedGeneration, generation)
	}
	return nil
}

// Ready waits until a Sandbox is ready.
func (h *T) Ready(name string) *agentsv1beta1.Sandbox {
	h.Helper()
	return h.Condition(name, "Ready=True/DependenciesReady")
}

// Gone waits until an object is gone.
func (h *T) Gone(name string, object client.Object) {
	h.Helper()
	h.Eventually(fmt.Sprintf("%T %s gone", object, name), func() error {
		if h.Get(name, object) {
			return fmt.Errorf("it is still there")
		}
		return nil
	})
}

// Words are the conditions of a Sandbox as a person reads them.
func Words(s *agentsv1beta1.Sandbox) []string { return wordsOf(s.Status.Conditions) }

func wordsOf(conditions []metav1.Condition) []string {
	var all []string
	for _, c := range conditions {
		all = append(all, fmt.Sprintf("%s=%s/%s: %s", c.Type, c.Status, c.Reason, c.Message))
	}
	return all
}

// OwnedPods lists the Pods that a Sandbox controls.
func (h *T) OwnedPods(s *agentsv1beta1.Sandbox) []corev1.Pod {
	h.Helper()
	var list corev1.PodList
	if err := h.Client.List(h.Context(), &list, client.InNamespace(h.Namespace)); err != nil {
		h.Fatalf("list Pods: %v", err)
	}
	var mine []corev1.Pod
	for _, pod := range list.Items {
		if metav1.IsControlledBy(&pod, s) {
			mine = append(mine, pod)
		}
	}
	return mine
}
