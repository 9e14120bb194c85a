// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/waits"
)

// lifecycleSteps is the life of a Sandbox. Each step is a change by a user or the cluster that the operator reacts to.
var lifecycleSteps = []struct {
	name string
	do   func(*world)
}{
	{"created", func(*world) {}},
	{"its Pod becomes ready", func(w *world) { w.makePodsReady() }},
	{"suspended", func(w *world) { w.edit(scaledTo(0)) }},
	{"resumed", func(w *world) { w.edit(scaledTo(1)) }},
	{"its Pod becomes ready again", func(w *world) { w.makePodsReady() }},
	{"expired", func(w *world) { w.clock.SetTime(testNow.Add(time.Hour)) }},
}

func newLifecycleWorld(t *testing.T) *world {
	return newWorld(t, box(service(true), volume("data"), shutdown(time.Hour, agentsv1beta1.ShutdownPolicyRetain)))
}

func TestKilledBetweenAnyTwoWritesAndStartedAgain(t *testing.T) {
	var want [][]string
	undisturbed := newLifecycleWorld(t)
	for _, step := range lifecycleSteps {
		step.do(undisturbed)
		undisturbed.settle()
		want = append(want, undisturbed.snapshot())
	}
	for i, step := range lifecycleSteps {
		for n := 1; n < 20; n++ {
			reached := false
			for _, after := range []bool{false, true} {
				w := newLifecycleWorld(t)
				for _, earlier := range lifecycleSteps[:i] {
					earlier.do(w)
					w.settle()
				}
				step.do(w)
				reached = w.killedPass(n, after) || reached
				w.settle()
				if diff := cmp.Diff(want[i], w.snapshot()); diff != "" {
					t.Errorf("%s, killed at write %d (done: %v) (-undisturbed +got):\n%s", step.name, n, after, diff)
				}
			}
			if !reached {
				break
			}
		}
	}
}

func TestAnswersOfTheServer(t *testing.T) {
	conflict := apierrors.NewConflict(corev1.Resource("pods"), "box", errors.New("changed"))
	invalid := apierrors.NewInvalid(corev1.SchemeGroupVersion.WithKind("Pod").GroupKind(), "box", nil)
	tests := map[string]struct {
		write     string
		answer    error
		wantReady string
		wantRetry time.Duration
		wantErr   bool
	}{
		// A policy of the cluster, which may change, can be why the server calls it invalid.
		"what the server calls invalid waits for a change of the Sandbox, and is tried now and then": {
			write:     "create Pod",
			answer:    invalid,
			wantReady: "ReconcilerError",
			wantRetry: waits.Rejected,
		},
		"a server that is ill is asked again with patience": {
			write:     "create Pod",
			answer:    apierrors.NewInternalError(errors.New("ill")),
			wantReady: "ReconcilerError",
			wantErr:   true,
		},
		"a quota that is full is asked again with patience": {
			write: "create Pod", answer: apierrors.NewForbidden(corev1.Resource("pods"), "box", errors.New("exceeded quota")),
			wantReady: "ReconcilerError", wantErr: true,
		},
		"a conflict is no error that a user sees": {
			write: "patch Sandbox", answer: conflict, wantReady: "DependenciesNotReady", wantRetry: waits.Conflict,
		},
		"a status that the server refuses is heard of": {
			write: "patch Sandbox/status", answer: invalid, wantErr: true,
		},
		"a status that lost a race is written again": {
			write: "patch Sandbox/status", answer: conflict, wantRetry: waits.Conflict,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, box())
			w.intercept = func(what string, do func() error) error {
				if what == tt.write {
					return tt.answer
				}
				return do()
			}
			retry, err := w.pass()
			if retry != tt.wantRetry || (err != nil) != tt.wantErr {
				t.Errorf("retry %v, error %v; want %v, %v", retry, err, tt.wantRetry, tt.wantErr)
			}
			var got string
			if c := apis.FindCondition(w.sandbox().Status.Conditions, apis.ConditionReady); c != nil {
				got = c.Reason
			}
			if got != tt.wantReady {
				t.Errorf("Ready is %q, want %q", got, tt.wantReady)
			}
			w.intercept = nil
			w.settle()
			if _, err := w.pod("box"); err != nil {
				t.Errorf("did not recover: %v", err)
			}
		})
	}
}

func (w *world) pod(name string) (*corev1.Pod, error) {
	var p corev1.Pod
	return &p, w.store.Get(context.Background(), client.ObjectKey{Namespace: "team", Name: name}, &p)
}

func TestACacheThatLagsMakesNoSecondPodAndNoFalseSuspended(t *testing.T) {
	w := newWorld(t, box(service(true), volume("data")))
	w.settle()
	w.hidden["Pod box"], w.hidden["Service box"], w.hidden["PersistentVolumeClaim data-box"] = true, true, true
	if _, err := w.pass(); err != nil {
		t.Fatalf("a creation that finds its own object is an error: %v", err)
	}
	w.edit(scaledTo(0))
	w.writes = nil
	if _, err := w.pass(); err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(w.writes, "delete Pod") {
		t.Errorf("the Pod that the cache does not show yet was not deleted: %v", w.writes)
	}
	if apis.ConditionTrue(w.sandbox().Status.Conditions, apis.ConditionSuspended) {
		t.Error("Suspended=True while the Pod was there")
	}
}

func TestTheServiceHasThePortsOfThePod(t *testing.T) {
	ports := func(s *agentsv1beta1.Sandbox) {
		s.Spec.PodTemplate.Spec.Containers[0].Ports = []corev1.ContainerPort{{Name: "http", ContainerPort: 8080}}
	}
	w := newWorld(t, box(service(true), ports))
	w.settle()
	var svc corev1.Service
	if err := w.store.Get(context.Background(), client.ObjectKeyFromObject(box()), &svc); err != nil {
		t.Fatal(err)
	}
	if len(svc.Spec.Ports) != 1 || svc.Spec.Ports[0].Name != "http" || svc.Spec.Ports[0].TargetPort.IntValue() != 8080 {
		t.Errorf("ports %+v", svc.Spec.Ports)
	}
}

func TestWritesOfALife(t *testing.T) {
	w := newLifecycleWorld(t)
	want := []string{
		"create PersistentVolumeClaim create Pod create Service patch Sandbox patch Sandbox/status",
		"patch Sandbox/status",
		"delete Pod patch Sandbox patch Sandbox/status patch Sandbox/status",
		"create Pod patch Sandbox patch Sandbox/status",
		"patch Sandbox/status",
		"delete Pod delete Service patch Sandbox patch Sandbox/status patch Sandbox/status",
	}
	for i, step := range lifecycleSteps {
		w.writes = nil
		step.do(w)
		w.settle()
		if got := strings.Join(w.writes, " "); got != want[i] {
			t.Errorf("%s: writes\n got %s\nwant %s", step.name, got, want[i])
		}
	}
}

func TestTheNodeNameAloneIsNotWorthAWrite(t *testing.T) {
	w := newWorld(t, box())
	w.settle()
	pod, err := w.pod("box")
	if err != nil {
		t.Fatal(err)
	}
	pod.Spec.NodeName = "node-1"
	if err := w.store.Update(context.Background(), pod); err != nil {
		t.Fatal(err)
	}
	w.writes = nil
	w.settle()
	if len(w.writes) != 0 || w.sandbox().Status.NodeName != "" {
		t.Errorf("writes %v, node %q", w.writes, w.sandbox().Status.NodeName)
	}
	w.makePodsReady()
	w.settle()
	if w.sandbox().Status.NodeName != "node-1" {
		t.Error("the node's name did not come along with the next change")
	}
}

func TestExpiryIsLookedForAtItsInstant(t *testing.T) {
	w := newWorld(t, box(shutdown(90*time.Minute, agentsv1beta1.ShutdownPolicyDelete)))
	if retry, err := w.pass(); err != nil || retry != 90*time.Minute {
		t.Errorf("look again in %v, error %v; want 90m", retry, err)
	}
	w.clock.SetTime(testNow.Add(90 * time.Minute))
	if _, err := w.pass(); err != nil {
		t.Fatal(err)
	}
	if err := w.store.Get(context.Background(), client.ObjectKeyFromObject(box()), box()); !apierrors.IsNotFound(err) {
		t.Errorf("the Sandbox is still there: %v", err)
	}
}

func TestALaterShutdownTimeRevivesARetainedSandbox(t *testing.T) {
	w := newWorld(t, box(shutdown(0, agentsv1beta1.ShutdownPolicyRetain)))
	w.settle()
	w.edit(shutdown(time.Hour, agentsv1beta1.ShutdownPolicyRetain))
	w.settle()
	w.makePodsReady()
	w.settle()
	if !apis.ConditionTrue(w.sandbox().Status.Conditions, apis.ConditionReady) {
		t.Errorf("not revived: %v", conditionStrings(w.sandbox().Status))
	}
}

func TestEventsTellWhatChangedAndNothingTwice(t *testing.T) {
	w := newWorld(t, box(podLabels(map[string]string{apis.LabelSandboxUID: "x"})))
	w.settle()
	w.settle()
	w.edit(scaledTo(0))
	w.settle()
	w.settle()
	close(w.recorder.Events)
	var got []string
	for e := range w.recorder.Events {
		got = append(got, strings.Join(strings.Fields(e)[:2], " "))
	}
	want := []string{"Warning MetadataDropped", "Normal Suspended"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestAStatusFromAnOldPictureOverwritesNothing(t *testing.T) {
	w := newWorld(t, box())
	w.intercept = func(what string, do func() error) error {
		if what == "patch Sandbox/status" {
			s := w.sandbox()
			s.Status.Conditions = []metav1.Condition{
				{Type: "Ready", Status: "True", Reason: "Newer", LastTransitionTime: metav1.NewTime(testNow)},
			}
			if err := w.store.Status().Update(context.Background(), s); err != nil {
				t.Fatal(err)
			}
		}
		return do()
	}
	if again, err := w.pass(); err != nil || again != waits.Conflict {
		t.Errorf("again in %s, %v", again, err)
	}
	if c := w.sandbox().Status.Conditions; len(c) != 1 || c[0].Reason != "Newer" {
		t.Errorf("conditions %v", c)
	}
	w.intercept = nil
	w.settle()
	if c := w.sandbox().Status.Conditions; len(c) != 1 || c[0].Reason != "DependenciesNotReady" {
		t.Errorf("a forged status stays: %v", c)
	}
}
