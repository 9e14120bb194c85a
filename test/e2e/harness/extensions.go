// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
)

// CreateAll creates objects in the test's namespace.
func (h *T) CreateAll(objects ...client.Object) {
	h.Helper()
	for _, object := range objects {
		object.SetNamespace(h.Namespace)
		if err := h.Client.Create(h.Context(), object); err != nil {
			h.Fatalf("create %T %s: %v", object, object.GetName(), err)
		}
	}
}

// Patch reads the named object into the given one, changes it, and writes the difference as a merge patch.
func Patch[O client.Object](h *T, name string, into O, change func(O)) {
	h.Helper()
	if !h.Get(name, into) {
		h.Fatalf("there is no %T %s", into, name)
	}
	was, ok := into.DeepCopyObject().(client.Object)
	if !ok {
		h.Fatalf("%T copies to no object", into)
	}
	change(into)
	if err := h.Client.Patch(h.Context(), into, client.MergeFrom(was)); err != nil {
		h.Fatalf("patch %T %s: %v", into, name, err)
	}
}

// NewTemplate returns a template of one shell container that keeps running, with the changes applied.
func (h *T) NewTemplate(
	name string, changes ...func(*extensionsv1beta1.SandboxTemplate),
) *extensionsv1beta1.SandboxTemplate {
	template := &extensionsv1beta1.SandboxTemplate{ObjectMeta: metav1.ObjectMeta{Namespace: h.Namespace, Name: name}}
	template.Spec.PodTemplate = h.NewSandbox(name).Spec.PodTemplate
	for _, change := range changes {
		change(template)
	}
	return template
}

// NewPool returns a pool that uses the template, with the changes applied.
func (h *T) NewPool(
	name, template string, replicas int32, changes ...func(*extensionsv1beta1.SandboxWarmPool),
) *extensionsv1beta1.SandboxWarmPool {
	pool := &extensionsv1beta1.SandboxWarmPool{ObjectMeta: metav1.ObjectMeta{Namespace: h.Namespace, Name: name}}
	pool.Spec.Replicas, pool.Spec.TemplateRef.Name = &replicas, template
	for _, change := range changes {
		change(pool)
	}
	return pool
}

// NewClaim returns a claim that names the template, with the changes applied.
func (h *T) NewClaim(
	name, template string, changes ...func(*extensionsv1beta1.SandboxClaim),
) *extensionsv1beta1.SandboxClaim {
	claim := &extensionsv1beta1.SandboxClaim{ObjectMeta: metav1.ObjectMeta{Namespace: h.Namespace, Name: name}}
	claim.Spec.TemplateRef = &extensionsv1beta1.SandboxTemplateRef{Name: template}
	for _, change := range changes {
		change(claim)
	}
	return claim
}

// ClaimCondition waits until a claim has the given condition, such as "Ready=False/TemplateNotFound", for its current
// generation. It returns the claim.
func (h *T) ClaimCondition(name, want string) *extensionsv1beta1.SandboxClaim {
	h.Helper()
	var claim extensionsv1beta1.SandboxClaim
	h.Eventually("claim "+name+" "+want, func() error {
		if !h.Get(name, &claim) {
			return fmt.Errorf("there is no claim %s", name)
		}
		return checkCondition(claim.Status.Conditions, claim.Generation, want)
	})
	return &claim
}

// Claimed waits until a claim is ready, and returns its Sandbox.
func (h *T) Claimed(name string) *agentsv1beta1.Sandbox {
	h.Helper()
	claim := h.ClaimCondition(name, "Ready=True/DependenciesReady")
	var s agentsv1beta1.Sandbox
	if !h.Get(claim.Status.SandboxStatus.Name, &s) {
		h.Fatalf("claim %s is ready but its Sandbox %q does not exist", name, claim.Status.SandboxStatus.Name)
	}
	if !metav1.IsControlledBy(&s, claim) {
		h.Fatalf("claim %s does not control its Sandbox: owners are %v", name, s.OwnerReferences)
	}
	return &s
}

// Warm reports whether a claimed Sandbox came from a pool.
func Warm(s *agentsv1beta1.Sandbox) bool {
	return s.Labels[apis.LabelLaunchType] == apis.LaunchTypeWarm
}

// Pod returns the only Pod of a Sandbox, and fails the test if there is not exactly one.
func (h *T) Pod(s *agentsv1beta1.Sandbox) *corev1.Pod {
	h.Helper()
	pods := h.OwnedPods(s)
	if len(pods) != 1 {
		h.Fatalf("Sandbox %s has %d Pods", s.Name, len(pods))
	}
	return &pods[0]
}

// Members lists the Sandboxes that a pool controls, including those that are being deleted.
func (h *T) Members(pool metav1.Object) []agentsv1beta1.Sandbox {
	h.Helper()
	var list agentsv1beta1.SandboxList
	if err := h.Client.List(h.Context(), &list, client.InNamespace(h.Namespace)); err != nil {
		h.Fatalf("list Sandboxes: %v", err)
	}
	var members []agentsv1beta1.Sandbox
	for _, s := range list.Items {
		if metav1.IsControlledBy(&s, pool) {
			members = append(members, s)
		}
	}
	return members
}

// FullPool waits until a pool has all its members, its status reports them, and each is ready and passes the checks. It
// returns the members.
func (h *T) FullPool(name string, fit ...func(*agentsv1beta1.Sandbox) error) []agentsv1beta1.Sandbox {
	h.Helper()
	var members []agentsv1beta1.Sandbox
	h.Eventually("pool "+name+" full", func() error {
		var pool extensionsv1beta1.SandboxWarmPool
		if !h.Get(name, &pool) {
			return fmt.Errorf("there is no pool %s", name)
		}
		members = h.Members(&pool)
		for i := range members {
			if !apis.ConditionTrue(members[i].Status.Conditions, apis.ConditionReady) || members[i].DeletionTimestamp != nil {
				return fmt.Errorf("member %s is not ready: %v", members[i].Name, FormatConditions(&members[i]))
			}
			for _, check := range fit {
				if err := check(&members[i]); err != nil {
					return fmt.Errorf("member %s: %w", members[i].Name, err)
				}
			}
		}
		status, want := pool.Status, *pool.Spec.Replicas
		if int32(len(members)) != want || status.Replicas != want || status.ReadyReplicas != want ||
			status.ObservedGeneration != pool.Generation {
			return fmt.Errorf("%d members of %d, status %+v at generation %d", len(members), want, status, pool.Generation)
		}
		return nil
	})
	return members
}

// Watch calls handle with each event about objects of the list's kind in the test's namespace, until the test ends. The
// calls come one at a time from a goroutine of their own.
func (h *T) Watch(list client.ObjectList, see func(watch.EventType, client.Object)) {
	h.Helper()
	watcher, err := h.Client.Watch(h.Context(), list, client.InNamespace(h.Namespace))
	if err != nil {
		h.Fatalf("watch %T: %v", list, err)
	}
	h.Cleanup(watcher.Stop)
	go func() {
		for event := range watcher.ResultChan() {
			if object, ok := event.Object.(client.Object); ok {
				see(event.Type, object)
			}
		}
	}()
}
