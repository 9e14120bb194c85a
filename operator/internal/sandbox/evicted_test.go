// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"context"
	"errors"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
)

// scratch adds an emptyDir volume with a size limit to the Pod template.
func scratch(s *agentsv1beta1.Sandbox) {
	s.Spec.PodTemplate.Spec.Volumes = []corev1.Volume{{Name: "scratch", VolumeSource: corev1.VolumeSource{
		EmptyDir: &corev1.EmptyDirVolumeSource{SizeLimit: new(resource.MustParse("1Mi"))},
	}}}
}

// podEvent returns an Event about the Pod as the kubelet writes it.
func podEvent(uid types.UID, reason string) *corev1.Event {
	return &corev1.Event{
		ObjectMeta:     metav1.ObjectMeta{Namespace: "team", Name: "box." + strings.ToLower(reason)},
		InvolvedObject: corev1.ObjectReference{Kind: "Pod", Namespace: "team", Name: "box", UID: uid},
		Reason:         reason,
		Message:        "Usage of EmptyDir volume \"scratch\" exceeds the limit \"1Mi\".",
	}
}

// A Pod that its kubelet evicts becomes Succeeded without a reason if its process exits with 0.
func TestAnEvictionThatOnlyAnEventTellsFinishesNothing(t *testing.T) {
	disk := func(s *agentsv1beta1.Sandbox) {
		s.Spec.PodTemplate.Spec.Containers[0].Resources.Limits = corev1.ResourceList{
			corev1.ResourceEphemeralStorage: resource.MustParse("1Mi"),
		}
	}
	refused := apierrors.NewForbidden(corev1.Resource("events"), "", errors.New("the role of an older installation"))
	tests := map[string]struct {
		limit    sandboxOption
		reason   string // of the Event; empty: there is no Event
		other    bool   // the Event is about another Pod with that name
		answer   error
		finished bool
		asked    int
	}{
		"it was evicted":                   {limit: scratch, reason: "Evicted", asked: 1},
		"for a container's limit":          {limit: disk, reason: "Evicted", asked: 1},
		"it ended by itself":               {limit: scratch, reason: "Killing", finished: true, asked: 1},
		"the Pod before it was evicted":    {limit: scratch, reason: "Evicted", other: true, finished: true, asked: 1},
		"no limit, no request":             {limit: func(*agentsv1beta1.Sandbox) {}, reason: "Evicted", finished: true},
		"events may not be looked at":      {limit: scratch, reason: "Evicted", answer: refused, finished: true, asked: 1},
		"it ended, and nobody said a word": {limit: scratch, finished: true, asked: 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, box(volume("data"), tt.limit))
			asked := 0
			w.reconciler.live = interceptor.NewClient(w.store, interceptor.Funcs{
				List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
					if asked++; tt.answer != nil {
						return tt.answer
					}
					return c.List(ctx, list, opts...)
				},
			})
			w.settle()
			w.makePodsReady()
			w.settle()
			var pod corev1.Pod
			if err := w.store.Get(t.Context(), client.ObjectKeyFromObject(box()), &pod); err != nil {
				t.Fatal(err)
			}
			if uid := pod.UID; tt.reason != "" {
				if tt.other {
					uid = "another"
				}
				if err := w.store.Create(t.Context(), podEvent(uid, tt.reason)); err != nil {
					t.Fatal(err)
				}
			}
			w.setPodStatus(exitedZero)
			w.settle()
			if got := apis.ConditionTrue(w.sandbox().Status.Conditions, apis.ConditionFinished); got != tt.finished ||
				asked != tt.asked {
				t.Errorf("finished: %v, want %v; events were asked for %d times, want %d", got, tt.finished, asked, tt.asked)
			}
			said := strings.Join(w.recordedEvents(), "; ")
			if replaced := strings.Contains(said, "RecreatingFailedPod"); replaced == tt.finished ||
				replaced && !strings.Contains(said, "exceeds the limit") {
				t.Errorf("what is said: %s", said)
			}
		})
	}
}

func TestAnUnansweredQuestionAboutAnEvictionFinishesNothing(t *testing.T) {
	w := newWorld(t, box(scratch))
	w.settle()
	w.makePodsReady()
	w.settle()
	w.reconciler.live = interceptor.NewClient(w.store, interceptor.Funcs{
		List: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) error {
			return errors.New("later")
		},
	})
	w.setPodStatus(exitedZero)
	if _, err := w.pass(); err == nil {
		t.Error("nobody tries again")
	}
	if apis.ConditionTrue(w.sandbox().Status.Conditions, apis.ConditionFinished) {
		t.Error("finished, without an answer")
	}
}
