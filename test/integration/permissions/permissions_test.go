// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package permissions proves that the operator's roles grant exactly the permissions that it uses. The tests exercise
// everything that makes the operator use a verb, on a real API server that reports each authorization request.
package permissions

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/install"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
	"github.com/agent-sandbox/kubectl-sandbox/test/integration/apiserver"
)

var (
	server   *apiserver.Server
	requests *recorder
)

func TestMain(m *testing.M) {
	ctrllog.SetLogger(logr.Discard())
	// API servers before 1.34 cannot stream lists, so the operator lists and then watches.
	if err := os.Setenv("KUBE_FEATURE_WatchListClient", "false"); err != nil {
		panic(err)
	}
	r, err := newRecorder()
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	requests = r
	code := apiserver.Run(m, func(s *apiserver.Server) { server = s }, r.configure)
	r.close()
	os.Exit(code)
}

func TestTheOperatorIsGrantedWhatItUsesAndNothingElse(t *testing.T) {
	t.Run("for Sandboxes alone", func(t *testing.T) {
		w := start(t, install.Options{CoreOnly: true}, false)
		exerciseSandboxes(w)
		w.checkPermissions()
	})
	t.Run("for all kinds", func(t *testing.T) {
		w := start(t, install.Options{}, false)
		exerciseSandboxes(w)
		exerciseClaims(w)
		w.checkPermissions()
	})
	t.Run("in one namespace, with secure metrics", func(t *testing.T) {
		w := start(t, install.Options{Args: []string{"--metrics-secure"}}, true)
		exerciseSandboxes(w)
		exerciseClaims(w)
		checkMetricsAccess(w)
		w.checkPermissions()
	})
}

func TestAnOperatorOfOneNamespaceLeavesTheOthersAlone(t *testing.T) {
	w := start(t, install.Options{}, true)
	other := sandbox("other")
	other.Namespace = server.Namespace(t)
	if err := w.client.Create(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	w.create(sandbox("mine"))
	w.condition("mine", apis.ConditionReady, apis.ReasonDependenciesReady)
	if err := w.client.Get(t.Context(), client.ObjectKeyFromObject(other), other); err != nil ||
		len(other.Status.Conditions) > 0 {
		t.Errorf("the other namespace's Sandbox has status %+v (%v)", other.Status, err)
	}
}

// checkPermissions fails the test for permissions that are used and not granted, or granted and never used, in the
// operator's own namespace and in those that it watches.
func (w *world) checkPermissions() {
	w.Helper()
	w.checkGranted()
	own, work := requests.usedBy(w.user, w.operatorNamespace)
	for _, permission := range difference(listPermissions(w.ownRules), own) {
		w.Errorf("granted in the operator's namespace and never used: %s", permission)
	}
	for _, permission := range difference(listPermissions(w.rules), work) {
		w.Errorf("granted in watched namespaces and never used: %s", permission)
	}
}

// checkGranted fails the test for permissions that were used so far and are not granted.
func (w *world) checkGranted() {
	w.Helper()
	own, work := requests.usedBy(w.user, w.operatorNamespace)
	for _, permission := range difference(own, listPermissions(w.ownRules)) {
		w.Errorf("used in the operator's namespace and not granted: %s", permission)
	}
	for _, permission := range difference(work, listPermissions(w.rules)) {
		w.Errorf("used in watched namespaces and not granted: %s", permission)
	}
}

// wasRefused reports whether the operator used a permission that is not granted, so that waiting is useless.
func (w *world) wasRefused() bool {
	own, work := requests.usedBy(w.user, w.operatorNamespace)
	return len(difference(own, listPermissions(w.ownRules))) > 0 || len(difference(work, listPermissions(w.rules))) > 0
}

// difference returns the permissions that are not among the others.
func difference(permissions, others []string) []string {
	return slices.DeleteFunc(slices.Clone(permissions), func(p string) bool { return slices.Contains(others, p) })
}

func sandbox(name string, options ...builders.SandboxOption) *agentsv1beta1.Sandbox {
	return builders.Sandbox(name, append([]builders.SandboxOption{builders.WithService(true)}, options...)...)
}

// condition waits until the condition has the reason for the current generation.
func (w *world) condition(name string, kind apis.ConditionType, reason apis.Reason) {
	w.Helper()
	w.eventually(name+" "+string(reason), func() error {
		var s agentsv1beta1.Sandbox
		if err := w.get(name, &s); err != nil {
			return err
		}
		if c := apis.FindCondition(s.Status.Conditions, kind); c == nil || c.Reason != string(reason) ||
			c.ObservedGeneration != s.Generation {
			return fmt.Errorf("conditions are %+v", s.Status.Conditions)
		}
		return nil
	})
}

// exerciseSandboxes exercises Sandboxes whose children are created, found, repaired, adopted and deleted.
func exerciseSandboxes(w *world) {
	w.Helper()
	offered := map[string]string{apis.LabelAdoptable: apis.ValueTrue}
	w.create(
		&corev1.Service{
			ObjectMeta: metav1.ObjectMeta{Name: "box", Labels: offered},
			Spec: corev1.ServiceSpec{
				ClusterIP: corev1.ClusterIPNone, Selector: map[string]string{"a": "b"}, Ports: []corev1.ServicePort{{Port: 1}},
			},
		},
		&corev1.PersistentVolumeClaim{
			ObjectMeta: metav1.ObjectMeta{Name: "data-box", Labels: offered},
			Spec: corev1.PersistentVolumeClaimSpec{
				AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
				Resources: corev1.VolumeResourceRequirements{
					Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")},
				},
			},
		},
		sandbox("box", builders.WithVolume("data", "1Gi")), sandbox("plain", builders.WithVolume("data", "1Gi")))
	w.condition("box", apis.ConditionReady, apis.ReasonDependenciesReady)
	w.condition("plain", apis.ConditionReady, apis.ReasonDependenciesReady)
	edit(w, "plain", &corev1.Pod{}, func(p *corev1.Pod) { delete(p.Labels, apis.LabelSandboxNameHash) })
	w.eventually("the Pod's label is back", func() error {
		var pod corev1.Pod
		if err := w.get("plain", &pod); err != nil {
			return err
		}
		if pod.Labels[apis.LabelSandboxNameHash] == "" {
			return fmt.Errorf("labels %v", pod.Labels)
		}
		return nil
	})
	edit(w, "plain", &agentsv1beta1.Sandbox{}, func(s *agentsv1beta1.Sandbox) { s.Spec.Replicas = new(int32(0)) })
	w.condition("plain", apis.ConditionSuspended, apis.ReasonPodTerminated)
	now, policy := metav1.Now(), agentsv1beta1.ShutdownPolicyDelete
	edit(w, "box", &agentsv1beta1.Sandbox{}, func(s *agentsv1beta1.Sandbox) { s.Spec.ShutdownTime = &now })
	w.gone("box", &corev1.Service{})
	edit(w, "box", &agentsv1beta1.Sandbox{}, func(s *agentsv1beta1.Sandbox) { s.Spec.ShutdownPolicy = &policy })
	w.gone("box", &agentsv1beta1.Sandbox{})
	exerciseEviction(w)
	exerciseRepeatedEvent(w)
}

// exerciseRepeatedEvent makes the operator repeat an event for a new generation, for which it patches the first event.
func exerciseRepeatedEvent(w *world) {
	w.Helper()
	w.create(sandbox("loud", builders.WithPodLabel(apis.LabelSandboxNameHash, "hijack")))
	w.eventually("the event is repeated", func() error {
		if _, used := requests.usedBy(w.user, w.operatorNamespace); slices.Contains(used, "patch events.events.k8s.io") {
			return nil
		}
		var loud agentsv1beta1.Sandbox
		if err := w.get("loud", &loud); err != nil {
			return err
		}
		if c := apis.FindCondition(loud.Status.Conditions, apis.ConditionReady); c != nil &&
			c.ObservedGeneration == loud.Generation {
			edit(w, "loud", &loud, func(s *agentsv1beta1.Sandbox) { s.Spec.Service = new(!*s.Spec.Service) })
		}
		return errors.New("no event was patched")
	})
}
