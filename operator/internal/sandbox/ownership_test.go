// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/waits"
)

func TestObjectsInTheWay(t *testing.T) {
	stranger := func(o client.Object) client.Object { o.SetOwnerReferences(nil); o.SetLabels(nil); return o }
	foreign := map[string]client.Object{
		"Pod":                   stranger(builtPod(box())),
		"Service":               stranger(serviceOf(box())),
		"PersistentVolumeClaim": stranger(buildVolume(box(), &box(volume("data")).Spec.VolumeClaimTemplates[0], nil)),
	}
	for kind, object := range foreign {
		t.Run(kind, func(t *testing.T) {
			w := newWorld(t, box(service(true), volume("data")), object.DeepCopyObject().(client.Object))
			again, err := w.pass()
			if err != nil || again != waits.Blocked {
				t.Errorf("again in %v, error %v; want a look now and then", again, err)
			}
			ready := apis.FindCondition(w.sandbox().Status.Conditions, apis.ConditionReady)
			for _, word := range []string{kind, object.GetName(), "delete it", apis.LabelAdoptable + "=true"} {
				if !strings.Contains(ready.Message, word) {
					t.Errorf("message lacks %q: %s", word, ready.Message)
				}
			}
			if slices.Contains(w.writes, "patch "+kind) || slices.Contains(w.writes, "delete "+kind) {
				t.Errorf("touched somebody's object: %v", w.writes)
			}
			if err := w.store.Delete(context.Background(), object.DeepCopyObject().(client.Object)); err != nil {
				t.Fatal(err)
			}
			w.settle()
			w.makePodsReady()
			w.settle()
			if !apis.ConditionTrue(w.sandbox().Status.Conditions, apis.ConditionReady) {
				t.Errorf("did not recover: %v", conditionStrings(w.sandbox().Status))
			}
		})
	}
}

func TestOrphansAreTakenBack(t *testing.T) {
	w := newWorld(t, box(service(true), volume("data")))
	w.settle()
	w.makePodsReady()
	var pods corev1.PodList
	if err := w.store.List(context.Background(), &pods); err != nil {
		t.Fatal(err)
	}
	orphan := func(o client.Object) {
		o.SetOwnerReferences(nil)
		if err := w.store.Update(context.Background(), o); err != nil {
			t.Fatal(err)
		}
	}
	key := client.ObjectKeyFromObject(box())
	var svc corev1.Service
	var pvc corev1.PersistentVolumeClaim
	for name, o := range map[string]client.Object{"box": &svc, "data-box": &pvc} {
		key.Name = name
		if err := w.store.Get(context.Background(), key, o); err != nil {
			t.Fatal(err)
		}
		orphan(o)
	}
	orphan(&pods.Items[0])
	again := box(service(true), volume("data"))
	again.UID = "second-life"
	if err := w.store.Delete(context.Background(), box()); err != nil {
		t.Fatal(err)
	}
	again.ResourceVersion = ""
	if err := w.store.Create(context.Background(), again); err != nil {
		t.Fatal(err)
	}
	w.settle()
	if !apis.ConditionTrue(w.sandbox().Status.Conditions, apis.ConditionReady) {
		t.Errorf("not ready: %v", conditionStrings(w.sandbox().Status))
	}
	for _, line := range w.snapshot() {
		if !strings.HasPrefix(line, "Sandbox") && !strings.Contains(line, "second-life") {
			t.Errorf("not taken back: %s", line)
		}
	}
}

func TestAHintAtSomebodyElsesPodIsNoHint(t *testing.T) {
	other := builtPod(box(), named("other"), ownedBy(apis.KindSandbox, "other", "other-uid"))
	w := newWorld(t, box(annotated(apis.AnnotationPodName, "other")), other)
	w.settle()
	if _, err := w.pod("box"); err != nil {
		t.Errorf("no Pod under the Sandbox's own name: %v", err)
	}
	if noted := w.sandbox().Annotations[apis.AnnotationPodName]; noted != "box" {
		t.Errorf("the hint is still %q", noted)
	}
}

func TestWhatIsOnItsWayOutAndUnseenByTheCacheIsLookedAtAgain(t *testing.T) {
	w := newWorld(t, box())
	w.settle()
	pod, err := w.pod("box")
	if err != nil {
		t.Fatal(err)
	}
	pod.Labels, pod.Finalizers = nil, []string{"example.com/slow"}
	if err := w.store.Update(context.Background(), pod); err != nil {
		t.Fatal(err)
	}
	if err := w.store.Delete(context.Background(), pod); err != nil {
		t.Fatal(err)
	}
	w.hidden["Pod box"] = true // the cache holds labelled objects only
	if retry, err := w.pass(); err != nil || retry != waits.DeletionPoll {
		t.Errorf("retry %v, error %v; want %v: its end is no event for us", retry, err, waits.DeletionPoll)
	}
}

func TestASandboxThatWasGivenMoreTimeMeanwhileIsNotDeleted(t *testing.T) {
	w := newWorld(t, box(shutdown(0, agentsv1beta1.ShutdownPolicyDelete)))
	stale := w.sandbox()
	w.edit(shutdown(time.Hour, agentsv1beta1.ShutdownPolicyDelete))
	if _, err := w.reconciler.Reconcile(context.Background(), stale); err != nil {
		t.Fatal(err)
	}
	w.sandbox() // fails the test if the Sandbox is gone
}

func TestAMessageTooLongForTheAPIIsCut(t *testing.T) {
	c := apis.NewCondition(
		nil, apis.ConditionReady, false, apis.ReasonReconcilerError, strings.Repeat("ü", 40_000), 1, metav1.NewTime(testNow),
	)
	if len(c.Message) > 32768 || !strings.HasSuffix(c.Message, "(cut)") || !utf8.ValidString(c.Message) {
		t.Errorf("%d bytes, ends in %q", len(c.Message), c.Message[len(c.Message)-10:])
	}
}

func TestAPodOfAnotherNameIsOursByItsOwner(t *testing.T) {
	w := newWorld(t, box())
	w.settle()
	pod := &corev1.Pod{}
	if err := w.store.Get(context.Background(), client.ObjectKeyFromObject(box()), pod); err != nil {
		t.Fatal(err)
	}
	if err := w.store.Delete(context.Background(), pod); err != nil {
		t.Fatal(err)
	}
	pod.Name, pod.ResourceVersion = "warm-box", ""
	if err := w.store.Create(context.Background(), pod); err != nil {
		t.Fatal(err)
	}
	w.writes = nil
	w.settle()
	if slices.Contains(w.writes, "create Pod") {
		t.Errorf("a second Pod: %v", w.writes)
	}
}

// The garbage collector removes the owner references from the children of a Sandbox that is deleted with
// --cascade=orphan, and the watch may show that before the deletion. If the operator adopted the children at that
// moment, they would be deleted with the Sandbox.
func TestNothingIsTakenForASandboxThatIsGoing(t *testing.T) {
	ends := map[string]func(*testing.T, *world){
		"going": func(t *testing.T, w *world) {
			w.edit(func(s *agentsv1beta1.Sandbox) { s.Finalizers = []string{metav1.FinalizerOrphanDependents} })
			if err := w.store.Delete(context.Background(), box()); err != nil {
				t.Fatal(err)
			}
		},
		"gone": func(t *testing.T, w *world) {
			if err := w.store.Delete(context.Background(), box()); err != nil {
				t.Fatal(err)
			}
		},
		"made again": func(t *testing.T, w *world) {
			if err := w.store.Delete(context.Background(), box()); err != nil {
				t.Fatal(err)
			}
			again := box(service(true), volume("data"))
			again.UID, again.ResourceVersion = "second-life", ""
			if err := w.store.Create(context.Background(), again); err != nil {
				t.Fatal(err)
			}
		},
	}
	for name, end := range ends {
		for _, hidden := range []bool{false, true} { // hidden from the cache: creations find the names taken
			t.Run(fmt.Sprintf("%s, children hidden: %t", name, hidden), func(t *testing.T) {
				w := newWorld(t, box(service(true), volume("data")))
				w.settle()
				w.makePodsReady()
				w.settle()
				old := w.sandbox()
				children := map[string]client.Object{
					"Pod box":                        &corev1.Pod{},
					"Service box":                    &corev1.Service{},
					"PersistentVolumeClaim data-box": &corev1.PersistentVolumeClaim{},
				}
				for which, o := range children {
					kind, name, _ := strings.Cut(which, " ")
					if err := w.store.Get(
						context.Background(), client.ObjectKey{Namespace: old.Namespace, Name: name}, o,
					); err != nil {
						t.Fatal(err)
					}
					o.SetOwnerReferences(nil)
					if err := w.store.Update(context.Background(), o); err != nil {
						t.Fatal(err)
					}
					w.hidden[kind+" "+name] = hidden
				}
				end(t, w)
				result, err := w.reconciler.Reconcile(context.Background(), old)
				if err != nil || result.RequeueAfter != waits.Conflict {
					t.Errorf("again after %s, error %v: it is a conflict and nothing else", result.RequeueAfter, err)
				}
				for which, o := range children {
					if err := w.store.Get(context.Background(), client.ObjectKeyFromObject(o), o); err != nil {
						t.Errorf("%s: %v", which, err)
					}
					if metav1.GetControllerOf(o) != nil {
						t.Errorf("%s was given to a Sandbox that is %s", which, name)
					}
				}
			})
		}
	}
}
