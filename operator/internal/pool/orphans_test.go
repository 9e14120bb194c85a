// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pool

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/sandboxspec"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/waits"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

func TestAnOrphanIsTakenIfItsContentIsRightAndThereIsRoom(t *testing.T) {
	orphan := func(change func(*extensionsv1beta1.SandboxTemplate)) client.Object {
		template := python()
		s := newMember(poolOfThree(), python(), sandboxspec.BlueprintHash(template), "pool-lost1")
		if change != nil {
			change(template)
			s.Spec = sandboxspec.FromTemplate(template).Spec // the labels still claim the template's hash
		}
		s.OwnerReferences, s.UID, s.CreationTimestamp = nil, "lost", metav1Time(testNow)
		return s
	}
	but := func(change func(*agentsv1beta1.Sandbox)) client.Object {
		s := newMember(poolOfThree(), python(), sandboxspec.BlueprintHash(python()), "pool-lost1")
		s.OwnerReferences, s.UID, s.CreationTimestamp = nil, "lost", metav1Time(testNow)
		change(s)
		return s
	}
	soon := metav1Time(testNow.Add(time.Hour))
	tests := map[string]struct {
		orphan   client.Object
		replicas int32
		taken    bool
	}{
		"one that is right": {orphan(nil), 3, true},
		"one of another content": {orphan(func(t *extensionsv1beta1.SandboxTemplate) { image("evil")(&t.Spec) }), 3,
			false},
		"one that would be one too many": {orphan(nil), 0, false},
		"one that is asleep":             {but(func(s *agentsv1beta1.Sandbox) { s.Spec.Replicas = new(int32(0)) }), 3, false},
		"one that ends by itself":        {but(func(s *agentsv1beta1.Sandbox) { s.Spec.ShutdownTime = &soon }), 3, false},
		"one that has ended": {but(func(s *agentsv1beta1.Sandbox) {
			s.Status.Conditions = []metav1.Condition{apis.NewCondition(nil, apis.ConditionFinished, true,
				apis.ReasonPodSucceeded, "", 1, metav1Time(testNow))}
		}), 3, false},
		"one whose Pod has another's labels": {but(func(s *agentsv1beta1.Sandbox) {
			s.Spec.PodTemplate.ObjectMeta.Labels = map[string]string{"app": "somebody"}
		}), 3, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, testOptions, python(), poolOfThree(builders.WithReplicas(tt.replicas)), tt.orphan)
			w.settle()
			names := w.expectMembers(int(tt.replicas))
			if taken := slices.Contains(names, "pool-lost1"); taken != tt.taken {
				t.Errorf("taken: %t", taken)
			}
			if w.stored()["pool-lost1"] == nil {
				t.Error("the orphan was deleted by a pool that does not own it")
			}
		})
	}
}

func TestAnOrphanThatCouldNotBeTakenIsTriedAgain(t *testing.T) {
	lost := newMember(poolOfThree(), python(), sandboxspec.BlueprintHash(python()), "pool-lost1")
	lost.OwnerReferences, lost.UID, lost.CreationTimestamp = nil, "lost", metav1Time(testNow)
	w := newWorld(t, testOptions, python(), poolOfThree(builders.WithReplicas(1)), lost)
	w.intercept = func(what string, do func() error) error {
		if what == "patch Sandbox" {
			return apierrors.NewForbidden(schema.GroupResource{Resource: "sandboxes"}, lost.Name, errors.New("a policy"))
		}
		return do()
	}
	w.syncCache()
	if _, err := w.pass(); err == nil {
		t.Error("the refusal is not told")
	}
	w.intercept = nil
	w.settle()
	if names := w.expectMembers(1); names[0] != lost.Name {
		t.Errorf("members %v: a refused call counts as one that is under way", names)
	}
}

// See Recheck in operator/internal/owner: an orphan that a pool takes on its way out would be deleted with it.
func TestNoOrphanIsTakenByAPoolThatIsGoing(t *testing.T) {
	lost := newMember(poolOfThree(), python(), sandboxspec.BlueprintHash(python()), "pool-lost1")
	lost.OwnerReferences, lost.UID, lost.CreationTimestamp = nil, "lost", metav1Time(testNow)
	w := newWorld(t, testOptions, python(), poolOfThree(), lost)
	w.syncCache()
	going := true
	w.live = interceptor.NewClient(w.store, interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object,
			opts ...client.GetOption) error {
			err := c.Get(ctx, key, o, opts...)
			if pool, ok := o.(*extensionsv1beta1.SandboxWarmPool); ok && going {
				pool.DeletionTimestamp = new(metav1Time(testNow))
			}
			return err
		},
	})
	w.restart()
	if again, err := w.pass(); err != nil || again != waits.Conflict {
		t.Errorf("again after %s, error %v: it is a conflict and nothing else", again, err)
	}
	if len(w.writes) != 0 {
		t.Errorf("written for a pool that is going: %q", w.writes)
	}
	going = false
	w.settle()
	if names := w.expectMembers(3); !slices.Contains(names, lost.Name) {
		t.Errorf("members %v: the orphan was not taken back", names)
	}
}
