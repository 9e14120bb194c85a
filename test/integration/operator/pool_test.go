// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"fmt"
	"slices"
	"testing"
	"time"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

// members returns the sorted names of the Sandboxes that the pool controls.
func (w *world) members(pool string) []string {
	w.Helper()
	var list agentsv1beta1.SandboxList
	if err := w.client.List(w.Context(), &list, client.InNamespace(w.namespace)); err != nil {
		w.Fatal(err)
	}
	var names []string
	for i := range list.Items {
		if ref := metav1.GetControllerOf(&list.Items[i]); ref != nil && ref.Kind == apis.KindSandboxWarmPool &&
			ref.Name == pool {
			names = append(names, list.Items[i].Name)
		}
	}
	slices.Sort(names)
	return names
}

// waitForPool waits until the pool has the given number of members and reports all of them ready. Meanwhile it makes
// Pods ready in place of a kubelet.
func (w *world) waitForPool(pool string, size int) []string {
	w.Helper()
	var now extensionsv1beta1.SandboxWarmPool
	w.eventually(fmt.Sprintf("%s has %d ready members", pool, size), func() error {
		names := w.members(pool)
		w.markPodsReady()
		if err := w.get(pool, &now); err != nil {
			return err
		}
		if s := now.Status; len(names) != size || int(s.Replicas) != size || int(s.ReadyReplicas) != size ||
			s.ObservedGeneration != now.Generation {
			return fmt.Errorf("%d members, status %+v of generation %d", len(names), s, now.Generation)
		}
		return nil
	})
	return w.members(pool)
}

// markPodsReady makes all Pods of the namespace ready, as a kubelet does.
func (w *world) markPodsReady() {
	w.Helper()
	var pods corev1.PodList
	if err := w.client.List(w.Context(), &pods, client.InNamespace(w.namespace)); err != nil {
		w.Fatal(err)
	}
	for i := range pods.Items {
		pod := &pods.Items[i]
		if pod.Status.Phase == corev1.PodRunning || pod.DeletionTimestamp != nil {
			continue
		}
		pod.Status.Phase, pod.Status.PodIP, pod.Status.PodIPs = corev1.PodRunning, "10.1.2.3", []corev1.PodIP{
			{IP: "10.1.2.3"},
		}
		pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
		_ = w.client.Status().Update(w.Context(), pod) // a Pod that has changed meanwhile is updated in the next round
	}
}

func (w *world) scalePool(name string, replicas int32) {
	w.Helper()
	var pool extensionsv1beta1.SandboxWarmPool
	if err := w.get(name, &pool); err != nil {
		w.Fatal(err)
	}
	scale := &autoscalingv1.Scale{Spec: autoscalingv1.ScaleSpec{Replicas: replicas}}
	if err := w.client.SubResource("scale").Update(w.Context(), &pool, client.WithSubResourceBody(scale)); err != nil {
		w.Fatal(err)
	}
}

func (w *world) editTemplate(name string, change func(*extensionsv1beta1.SandboxTemplateSpec)) {
	w.Helper()
	var template extensionsv1beta1.SandboxTemplate
	if err := w.get(name, &template); err != nil {
		w.Fatal(err)
	}
	was := template.DeepCopy()
	change(&template.Spec)
	if err := w.client.Patch(w.Context(), &template, client.MergeFrom(was)); err != nil {
		w.Fatal(err)
	}
}

func TestAPoolFollowsItsScale(t *testing.T) {
	w := start(t, server, extensions)
	w.create(builders.Template("python"))
	w.create(builders.Pool("warm", "python", builders.WithReplicas(0)))
	w.waitForPool("warm", 0)
	began := time.Now()
	w.scalePool("warm", 10)
	ten := w.waitForPool("warm", 10)
	t.Logf("0 to 10 ready members in %s", time.Since(began))
	w.scalePool("warm", 3)
	for _, name := range w.waitForPool("warm", 3) {
		if !slices.Contains(ten, name) {
			t.Errorf("%s was created while the pool shrank", name)
		}
	}
	w.scalePool("warm", 0)
	w.waitForPool("warm", 0)
	var scale autoscalingv1.Scale
	var pool extensionsv1beta1.SandboxWarmPool
	if err := w.get("warm", &pool); err != nil {
		t.Fatal(err)
	}
	if err := w.client.SubResource("scale").Get(t.Context(), &pool, &scale); err != nil {
		t.Fatal(err)
	}
	if scale.Status.Replicas != 0 || scale.Status.Selector != pool.Status.Selector || pool.Status.Selector == "" {
		t.Errorf("an autoscaler sees %+v", scale.Status)
	}
}

func TestRolloutsOfAPool(t *testing.T) {
	w := start(t, server, extensions)
	w.create(builders.Template("python"))
	w.create(builders.Template("other"))
	w.create(builders.Pool("eager", "python", builders.WithReplicas(3),
		builders.WithUpdateStrategy(extensionsv1beta1.RecreateSandboxWarmPoolUpdateStrategyType)))
	w.create(builders.Pool("lazy", "python", builders.WithReplicas(2)))
	eager, lazy := w.waitForPool("eager", 3), w.waitForPool("lazy", 2)

	w.editTemplate("python", func(s *extensionsv1beta1.SandboxTemplateSpec) {
		s.PodTemplate.ObjectMeta.Labels = map[string]string{"team": "blue"}
	})
	w.editTemplate("other", func(s *extensionsv1beta1.SandboxTemplateSpec) {
		s.PodTemplate.Spec.Containers[0].Image = "localhost/other:v2"
	})
	w.scalePool("eager", 4) // causes a pass after the changes, neither of which may replace a member
	for _, name := range eager {
		if !slices.Contains(w.waitForPool("eager", 4), name) {
			t.Errorf("%s was replaced for a change of metadata", name)
		}
	}
	w.editTemplate("python", func(s *extensionsv1beta1.SandboxTemplateSpec) {
		s.PodTemplate.Spec.Containers[0].Image = "localhost/python:v2"
	})
	w.waitForReplacement("eager", eager, 4)
	if got := w.waitForPool("lazy", 2); !slices.Equal(got, lazy) {
		t.Errorf("the lazy pool went from %v to %v", lazy, got)
	}
	if err := w.client.Delete(t.Context(), &agentsv1beta1.Sandbox{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: lazy[0]},
	}); err != nil {
		t.Fatal(err)
	}
	w.eventually("a new member of the lazy pool has the new image", func() error {
		w.markPodsReady()
		for _, name := range w.members("lazy") {
			var s agentsv1beta1.Sandbox
			if err := w.get(name, &s); err == nil && name != lazy[1] &&
				s.Spec.PodTemplate.Spec.Containers[0].Image == "localhost/python:v2" {
				return nil
			}
		}
		return fmt.Errorf("members are %v", w.members("lazy"))
	})
	now := w.waitForPool("eager", 4)
	var pool extensionsv1beta1.SandboxWarmPool
	if err := w.get("eager", &pool); err != nil {
		t.Fatal(err)
	}
	was := pool.DeepCopy()
	pool.Spec.TemplateRef.Name = "other"
	if err := w.client.Patch(t.Context(), &pool, client.MergeFrom(was)); err != nil {
		t.Fatal(err)
	}
	w.waitForReplacement("eager", now, 4)
}

// waitForReplacement waits until none of the given members is left and the pool is full again.
func (w *world) waitForReplacement(pool string, before []string, size int) {
	w.Helper()
	w.eventually("all members of "+pool+" are new", func() error {
		for _, name := range w.members(pool) {
			if slices.Contains(before, name) {
				return fmt.Errorf("%s is still there", name)
			}
		}
		return nil
	})
	w.waitForPool(pool, size)
}
