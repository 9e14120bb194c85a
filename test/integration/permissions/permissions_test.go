// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package permissions proves that the operator is granted what it uses and nothing else: it runs against a real API server
// that tells about everything it authorizes, through all that makes the operator use a verb.
package permissions

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/install"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
	"github.com/agent-sandbox/kubectl-sandbox/test/integration/apiserver"
)

var (
	server    *apiserver.Server
	witnesses *recorder
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
	witnesses = r
	code := apiserver.Run(m, func(s *apiserver.Server) { server = s }, r.configure)
	r.close()
	os.Exit(code)
}

func TestTheOperatorIsGrantedWhatItUsesAndNothingElse(t *testing.T) {
	t.Run("for Sandboxes alone", func(t *testing.T) {
		w := start(t, install.Options{CoreOnly: true}, false)
		sandboxes(w)
		w.balance()
	})
	t.Run("for all kinds", func(t *testing.T) {
		w := start(t, install.Options{}, false)
		sandboxes(w)
		claims(w)
		w.balance()
	})
	t.Run("in one namespace, with secure metrics", func(t *testing.T) {
		w := start(t, install.Options{Args: []string{"--metrics-secure"}}, true)
		sandboxes(w)
		claims(w)
		scrapes(w)
		w.balance()
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
	if err := w.client.Get(t.Context(), client.ObjectKeyFromObject(other), other); err != nil || len(other.Status.Conditions) > 0 {
		t.Errorf("the other namespace's Sandbox has status %+v (%v)", other.Status, err)
	}
}

// balance compares what was used with what was granted, both ways, in the operator's own namespace and where it works.
func (w *world) balance() {
	w.Helper()
	w.granted()
	own, work := witnesses.by(w.user, w.home)
	for _, permission := range beyond(listed(w.own), own) {
		w.Errorf("granted at home and never used: %s", permission)
	}
	for _, permission := range beyond(listed(w.rules), work) {
		w.Errorf("granted where it works and never used: %s", permission)
	}
}

// granted says what was used so far and is not granted.
func (w *world) granted() {
	w.Helper()
	own, work := witnesses.by(w.user, w.home)
	for _, permission := range beyond(own, listed(w.own)) {
		w.Errorf("used at home and not granted: %s", permission)
	}
	for _, permission := range beyond(work, listed(w.rules)) {
		w.Errorf("used where it works and not granted: %s", permission)
	}
}

// refused says that the operator asked for something that is not granted, and so waits in vain.
func (w *world) refused() bool {
	own, work := witnesses.by(w.user, w.home)
	return len(beyond(own, listed(w.own))) > 0 || len(beyond(work, listed(w.rules))) > 0
}

// beyond are the permissions that the others lack.
func beyond(permissions, others []string) []string {
	return slices.DeleteFunc(slices.Clone(permissions), func(p string) bool { return slices.Contains(others, p) })
}

func sandbox(name string, options ...builders.SandboxOption) *agentsv1beta1.Sandbox {
	return builders.Sandbox(name, append([]builders.SandboxOption{builders.WithService(true)}, options...)...)
}

// condition waits until the condition is there with that reason.
func (w *world) condition(name string, kind apis.ConditionType, reason apis.Reason) {
	w.Helper()
	w.eventually(name+" "+string(reason), func() error {
		var s agentsv1beta1.Sandbox
		if err := w.get(name, &s); err != nil {
			return err
		}
		if c := apis.FindCondition(s.Status.Conditions, kind); c == nil || c.Reason != string(reason) || c.ObservedGeneration != s.Generation {
			return fmt.Errorf("conditions are %+v", s.Status.Conditions)
		}
		return nil
	})
}

// sandboxes are lives of Sandboxes: with children that are made, found, repaired, taken over and removed.
func sandboxes(w *world) {
	w.Helper()
	offered := map[string]string{apis.LabelAdoptable: apis.ValueTrue}
	w.create(
		&corev1.Service{
			ObjectMeta: metav1.ObjectMeta{Name: "box", Labels: offered},
			Spec:       corev1.ServiceSpec{ClusterIP: corev1.ClusterIPNone, Selector: map[string]string{"a": "b"}, Ports: []corev1.ServicePort{{Port: 1}}},
		},
		&corev1.PersistentVolumeClaim{
			ObjectMeta: metav1.ObjectMeta{Name: "data-box", Labels: offered},
			Spec: corev1.PersistentVolumeClaimSpec{
				AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
				Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
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
	end(w)
	complain(w)
}

// complain has the operator say the same about each generation: the second time it patches the event of the first.
func complain(w *world) {
	w.Helper()
	w.create(sandbox("loud", builders.WithPodLabel(apis.LabelSandboxNameHash, "hijack")))
	w.eventually("the complaint is repeated", func() error {
		if _, used := witnesses.by(w.user, w.home); slices.Contains(used, "patch events.events.k8s.io") {
			return nil
		}
		var loud agentsv1beta1.Sandbox
		if err := w.get("loud", &loud); err != nil {
			return err
		}
		if c := apis.FindCondition(loud.Status.Conditions, apis.ConditionReady); c != nil && c.ObservedGeneration == loud.Generation {
			edit(w, "loud", &loud, func(s *agentsv1beta1.Sandbox) { s.Spec.Service = new(!*s.Spec.Service) })
		}
		return errors.New("no event was patched")
	})
}

// claims are lives of templates, pools and claims.
func claims(w *world) {
	w.Helper()
	// Under Recreate, claims ask the API server for pools and templates themselves.
	strategy := builders.WithUpdateStrategy(extensionsv1beta1.RecreateSandboxWarmPoolUpdateStrategyType)
	w.create(builders.Template("python"), builders.Pool("warm", "python", builders.WithReplicas(2), strategy))
	broken := builders.WithTemplateSpec(func(s *extensionsv1beta1.SandboxTemplateSpec) { s.PodTemplate.Spec.Containers[0].Image = nowhere })
	w.create(builders.Template("broken", broken), builders.Pool("broken", "broken", builders.WithReplicas(1)))
	w.poolReady("warm", 2)
	edit(w, "python-network-policy", &networkingv1.NetworkPolicy{}, func(p *networkingv1.NetworkPolicy) { p.Spec.Egress = nil })

	w.interfere()
	w.create(builders.Claim("first", "python"))
	name := w.bound("first")
	w.before.Store(nil)
	if err := w.client.Delete(w.Context(), &agentsv1beta1.Sandbox{ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: name}}); err != nil {
		w.Fatal(err)
	}
	w.eventually("the claim notices", func() error {
		var claim extensionsv1beta1.SandboxClaim
		if err := w.get("first", &claim); err != nil {
			return err
		}
		if claim.Status.SandboxStatus.Name == name {
			return errors.New("it still names the Sandbox that is gone")
		}
		return nil
	})
	w.create(builders.Claim("cold", "python", builders.WithWarmPool("none")), builders.Claim("named", "", builders.FromPool("warm")))
	w.bound("cold")
	w.bound("named")
	for _, policy := range []extensionsv1beta1.ShutdownPolicy{extensionsv1beta1.ShutdownPolicyRetain, extensionsv1beta1.ShutdownPolicyDelete} {
		name := "over-" + strings.ToLower(string(policy))
		w.create(builders.Claim(name, "python", builders.WithClaimShutdown(time.Now().Add(2*time.Second), policy)))
		member := w.bound(name)
		if policy == extensionsv1beta1.ShutdownPolicyDelete {
			w.gone(name, &extensionsv1beta1.SandboxClaim{}) // the garbage collector, which a cluster has, takes its Sandbox
			continue
		}
		w.gone(member, &agentsv1beta1.Sandbox{})
	}
	w.poolReady("warm", 2)
	edit(w, "warm", &extensionsv1beta1.SandboxWarmPool{}, func(p *extensionsv1beta1.SandboxWarmPool) { p.Spec.Replicas = new(int32(0)) })
	w.poolReady("warm", 0)
	edit(w, "python", &extensionsv1beta1.SandboxTemplate{}, func(t *extensionsv1beta1.SandboxTemplate) {
		t.Spec.NetworkPolicyManagement = extensionsv1beta1.NetworkPolicyManagementUnmanaged
	})
	w.gone("python-network-policy", &networkingv1.NetworkPolicy{})
}

// interfere changes a member of the pool just before the operator hands it over.
func (w *world) interfere() {
	var once atomic.Bool
	change := func(r *http.Request) {
		_, name, member := strings.Cut(r.URL.Path, "/sandboxes/")
		if !member || r.Method != http.MethodPatch || strings.Contains(name, "/") ||
			r.URL.Query().Get("fieldManager") != apis.FieldOwnerClaim || !once.CompareAndSwap(false, true) {
			return
		}
		edit(w, name, &agentsv1beta1.Sandbox{}, func(s *agentsv1beta1.Sandbox) { metav1.SetMetaDataAnnotation(&s.ObjectMeta, "test", "changed") })
	}
	w.before.Store(&change)
}

func (w *world) poolReady(name string, size int32) {
	w.Helper()
	w.eventually(fmt.Sprintf("%s has %d ready members", name, size), func() error {
		var pool extensionsv1beta1.SandboxWarmPool
		if err := w.get(name, &pool); err != nil {
			return err
		}
		if s := pool.Status; s.Replicas != size || s.ReadyReplicas != size || s.ObservedGeneration != pool.Generation {
			return fmt.Errorf("status %+v of generation %d", s, pool.Generation)
		}
		return nil
	})
}

// bound waits until a claim has a Sandbox.
func (w *world) bound(claim string) string {
	w.Helper()
	var now extensionsv1beta1.SandboxClaim
	w.eventually("claim "+claim+" is bound", func() error {
		if err := w.get(claim, &now); err != nil {
			return err
		}
		if now.Status.SandboxStatus.Name == "" {
			return fmt.Errorf("status %+v", now.Status)
		}
		return nil
	})
	return now.Status.SandboxStatus.Name
}
