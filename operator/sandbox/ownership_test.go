// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"context"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
)

func TestObjectsInTheWay(t *testing.T) {
	stranger := func(o client.Object) client.Object { o.SetOwnerReferences(nil); o.SetLabels(nil); return o }
	foreign := map[string]client.Object{
		"Pod":                   stranger(ours(box())),
		"Service":               stranger(serviceOf(box())),
		"PersistentVolumeClaim": stranger(buildClaim(box(), &box(volume("data")).Spec.VolumeClaimTemplates[0], nil)),
	}
	for kind, object := range foreign {
		t.Run(kind, func(t *testing.T) {
			w := newWorld(t, box(service(true), volume("data")), object.DeepCopyObject().(client.Object))
			retry, err := w.pass()
			if err != nil || retry != refusedRetry {
				t.Errorf("retry %v, error %v; want a look now and then", retry, err)
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
			w.kubelet()
			w.settle()
			if !apis.ConditionTrue(w.sandbox().Status.Conditions, apis.ConditionReady) {
				t.Errorf("did not recover: %v", words(w.sandbox().Status))
			}
		})
	}
}

func TestOrphansAreTakenBack(t *testing.T) {
	w := newWorld(t, box(service(true), volume("data")))
	w.settle()
	w.kubelet()
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
		t.Errorf("not ready: %v", words(w.sandbox().Status))
	}
	for _, line := range w.picture() {
		if !strings.HasPrefix(line, "Sandbox") && !strings.Contains(line, "second-life") {
			t.Errorf("not taken back: %s", line)
		}
	}
}
