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

// NewSandbox returns a Sandbox with one shell container that keeps running, with the changes applied.
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

// Create creates a Sandbox and returns it as the API server stored it.
func (h *T) Create(s *agentsv1beta1.Sandbox) *agentsv1beta1.Sandbox {
	h.Helper()
	if err := h.Client.Create(h.Context(), s); err != nil {
		h.Fatalf("create Sandbox %s: %v", s.Name, err)
	}
	return s
}

// Edit reads a Sandbox, changes it, and writes the difference.
func (h *T) Edit(name string, change func(*agentsv1beta1.Sandbox)) {
	h.Helper()
	Patch(h, name, &agentsv1beta1.Sandbox{}, change)
}

// Condition waits until a Sandbox has the given condition, such as "Ready=True/DependenciesReady", for its current
// generation. It returns the Sandbox.
func (h *T) Condition(name, want string) *agentsv1beta1.Sandbox {
	h.Helper()
	var s agentsv1beta1.Sandbox
	h.Eventually("Sandbox "+name+" "+want, func() error {
		if !h.Get(name, &s) {
			return fmt.Errorf("there is no Sandbox %s", name)
		}
		return checkCondition(s.Status.Conditions, s.Generation, want)
	})
	return &s
}

// checkCondition returns an error unless the wanted condition holds for the generation.
func checkCondition(conditions []metav1.Condition, generation int64, want string) error {
	kind, _, _ := strings.Cut(want, "=")
	c := apis.FindCondition(conditions, apis.ConditionType(kind))
	if c == nil {
		return fmt.Errorf("no such condition among %v", formatConditions(conditions))
	}
	if got := c.Type + "=" + string(c.Status) + "/" + c.Reason; got != want || c.ObservedGeneration != generation {
		return fmt.Errorf("conditions are %v at generation %d of %d", formatConditions(conditions), c.ObservedGeneration,
			generation)
	}
	return nil
}

// Ready waits until a Sandbox is ready, and returns it.
func (h *T) Ready(name string) *agentsv1beta1.Sandbox {
	h.Helper()
	return h.Condition(name, "Ready=True/DependenciesReady")
}

// Gone waits until an object does not exist.
func (h *T) Gone(name string, object client.Object) {
	h.Helper()
	h.Eventually(fmt.Sprintf("%T %s gone", object, name), func() error {
		if h.Get(name, object) {
			return fmt.Errorf("it is still there")
		}
		return nil
	})
}

// FormatConditions formats the conditions of a Sandbox for messages.
func FormatConditions(s *agentsv1beta1.Sandbox) []string {
	return formatConditions(s.Status.Conditions)
}

func formatConditions(conditions []metav1.Condition) []string {
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
