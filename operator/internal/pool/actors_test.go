// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pool

import (
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
	"github.com/agent-sandbox/kubectl-sandbox/test/simulation"
)

func key(name string) types.NamespacedName {
	return types.NamespacedName{Namespace: builders.Namespace, Name: name}
}

// makeReady makes all Sandboxes Ready.
func (w *world) makeReady() {
	w.t.Helper()
	for _, s := range w.stored() {
		if !isReady(s) {
			w.setCondition(s.Name, apis.ConditionReady, true)
		}
	}
}

// sandbox reads a Sandbox from the API server.
func (w *world) sandbox(name string) *agentsv1beta1.Sandbox {
	w.t.Helper()
	var s agentsv1beta1.Sandbox
	if err := w.store.Get(context.Background(), key(name), &s); err != nil {
		w.t.Fatal(err)
	}
	return &s
}

func (w *world) setCondition(name string, kind apis.ConditionType, is bool) {
	w.t.Helper()
	s := w.sandbox(name)
	condition := apis.NewCondition(s.Status.Conditions, kind, is, apis.ReasonDependenciesReady, "", s.Generation,
		metav1.NewTime(w.clock.Now()))
	s.Status.Conditions = slices.DeleteFunc(s.Status.Conditions, func(c metav1.Condition) bool {
		return c.Type == string(kind)
	})
	s.Status.Conditions = append(s.Status.Conditions, condition)
	if err := w.store.Status().Update(context.Background(), s); err != nil {
		w.t.Fatal(err)
	}
}

// adoptByClaim makes a claim the controller of a member, as the claim reconciler does.
func (w *world) adoptByClaim(name string) {
	w.t.Helper()
	s := w.sandbox(name)
	yes := true
	s.OwnerReferences = []metav1.OwnerReference{{
		APIVersion: extensionsv1beta1.SchemeGroupVersion.String(), Kind: apis.KindSandboxClaim, Name: "claim-" + name,
		UID: types.UID("claim-" + name), Controller: &yes,
	}}
	delete(s.Labels, apis.LabelWarmPoolSandbox)
	if err := w.store.Update(context.Background(), s); err != nil {
		w.t.Fatal(err)
	}
}

// setLabel sets a label of a Sandbox as a user might. An empty value removes it.
func (w *world) setLabel(name, label, value string) {
	w.t.Helper()
	s := w.stored()[name]
	if s.Labels[label] = value; value == "" {
		delete(s.Labels, label)
	}
	if err := w.store.Update(context.Background(), s); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) pool() *extensionsv1beta1.SandboxWarmPool {
	w.t.Helper()
	var p extensionsv1beta1.SandboxWarmPool
	if err := w.store.Get(context.Background(), key("pool"), &p); err != nil {
		w.t.Fatal(err)
	}
	return &p
}

// scale changes the pool's replicas as a user does.
func (w *world) scale(replicas int32) {
	w.t.Helper()
	p := w.pool()
	p.Spec.Replicas = &replicas
	p.Generation++
	if err := w.store.Update(context.Background(), p); err != nil {
		w.t.Fatal(err)
	}
}

// updateTemplate changes the template as a user does.
func (w *world) updateTemplate(change func(*extensionsv1beta1.SandboxTemplateSpec)) {
	w.t.Helper()
	var t extensionsv1beta1.SandboxTemplate
	if err := w.store.Get(context.Background(), key("python"), &t); err != nil {
		w.t.Fatal(err)
	}
	change(&t.Spec)
	if err := w.store.Update(context.Background(), &t); err != nil {
		w.t.Fatal(err)
	}
}

// members returns the sorted names of the Sandboxes that the pool controls on the API server.
func (w *world) members() []string {
	w.t.Helper()
	var names []string
	for name, s := range w.stored() {
		if ref := poolOf(s); ref != nil && ref.UID == "pool-uid" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (w *world) expectMembers(count int) []string {
	w.t.Helper()
	names := w.members()
	if len(names) != count {
		w.t.Fatalf("the pool has %d members, not %d: %v", len(names), count, names)
	}
	return names
}

// crashingPass runs a reconcile that fails from its n-th write on, and restarts the operator. after says whether the
// server carries out the n-th write. It returns whether the reconcile got that far.
func (w *world) crashingPass(n int, after bool) (died bool) {
	w.t.Helper()
	intercept, diedAt := simulation.CutOff(n, after)
	w.intercept = intercept
	_, _ = w.pass()
	w.intercept = nil
	w.restart()
	return diedAt()
}

func python(options ...builders.TemplateOption) *extensionsv1beta1.SandboxTemplate {
	return builders.Template("python", options...)
}

func poolOfThree(options ...builders.PoolOption) *extensionsv1beta1.SandboxWarmPool {
	return builders.Pool("pool", "python", append([]builders.PoolOption{
		builders.WithUID("pool-uid"), builders.WithGeneration(1), builders.WithReplicas(3),
	}, options...)...)
}

func image(name string) func(*extensionsv1beta1.SandboxTemplateSpec) {
	return func(s *extensionsv1beta1.SandboxTemplateSpec) { s.PodTemplate.Spec.Containers[0].Image = name }
}

func podOf(s *agentsv1beta1.Sandbox, condition corev1.PodCondition) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: s.Name,
		OwnerReferences: []metav1.OwnerReference{
			*metav1.NewControllerRef(s, agentsv1beta1.SchemeGroupVersion.WithKind(apis.KindSandbox)),
		}}}
	p.Status.Conditions = []corev1.PodCondition{condition}
	return p
}

func (w *world) create(o client.Object) {
	w.t.Helper()
	if err := w.store.Create(context.Background(), o); err != nil {
		w.t.Fatal(err)
	}
}

func metav1Time(at time.Time) metav1.Time { return metav1.NewTime(at) }
