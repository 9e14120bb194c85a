// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/test/e2e/harness"
)

// operatorProcess finds the operator's Pod and its process on this machine.
func operatorProcess(h *harness.T) (name string, pid int, found bool) {
	var pods corev1.PodList
	err := h.Client.List(h.Context(), &pods, client.InNamespace(apis.OperatorNamespace), client.MatchingLabels{
		apis.LabelApp: apis.OperatorName,
	})
	if err != nil {
		h.Fatal(err)
	}
	for _, pod := range pods.Items {
		if pid, found = harness.Process(pod.UID, "/"+apis.OperatorName); found {
			return pod.Name, pid, true
		}
	}
	return "", 0, false
}

// leaderElection turns the operator's leader election on or off and waits for the rollout.
func leaderElection(h *harness.T, on bool) {
	h.Helper()
	h.MustKubectl("-n", apis.OperatorNamespace, "patch", "deployment", apis.OperatorName, "--type=json", "-p", fmt.Sprintf(
		`[{"op":"replace","path":"/spec/template/spec/containers/0/args/0","value":"--leader-elect=%v"}]`, on))
	h.MustKubectl("-n", apis.OperatorNamespace, "rollout", "status", "deployment/"+apis.OperatorName, "--timeout=120s")
}

func operatorReady(h *harness.T) bool {
	var d appsv1.Deployment
	err := h.Client.Get(h.Context(), client.ObjectKey{Namespace: apis.OperatorNamespace, Name: apis.OperatorName}, &d)
	return err == nil && d.Status.ReadyReplicas > 0 && d.Status.ObservedGeneration == d.Generation
}

// killOperator ends the operator with SIGKILL and deletes its Pod, because the kubelet waits longer before each
// restart.
func killOperator(h *harness.T) bool {
	pod, pid, found := operatorProcess(h)
	if !found || syscall.Kill(pid, syscall.SIGKILL) != nil {
		return false
	}
	h.Kubectl("-n", apis.OperatorNamespace, "delete", "pod", pod, "--grace-period=0", "--force")
	return true
}

// podCounter counts the Pods that each Sandbox has at the same time.
type podCounter struct {
	mu   sync.Mutex
	live map[types.UID]map[types.UID]bool // owner, Pod
	max  int
}

func (w *podCounter) most() int { w.mu.Lock(); defer w.mu.Unlock(); return w.max }

func watchPods(h *harness.T) *podCounter {
	h.Helper()
	w := &podCounter{live: map[types.UID]map[types.UID]bool{}}
	h.Watch(&corev1.PodList{}, func(event watch.EventType, object client.Object) {
		if len(object.GetOwnerReferences()) == 0 {
			return
		}
		owner := object.GetOwnerReferences()[0].UID
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.live[owner] == nil {
			w.live[owner] = map[types.UID]bool{}
		}
		if event == watch.Deleted {
			delete(w.live[owner], object.GetUID())
		} else {
			w.live[owner][object.GetUID()] = true
		}
		w.max = max(w.max, len(w.live[owner]))
	})
	return w
}

func TestTheLeasePassesOnAtOnceWhenTheLeaderIsAskedToStop(t *testing.T) {
	h := harness.New(t)
	operator := func(args ...string) string {
		return h.MustKubectl(append([]string{"-n", apis.OperatorNamespace}, args...)...)
	}
	operator("scale", "deployment/"+apis.OperatorName, "--replicas=2")
	defer operator("scale", "deployment/"+apis.OperatorName, "--replicas=1")
	operator("rollout", "status", "deployment/"+apis.OperatorName, "--timeout=120s")
	holder := func() string {
		var lease coordinationv1.Lease
		err := h.Client.Get(t.Context(), client.ObjectKey{Namespace: apis.OperatorNamespace, Name: apis.LeaseName}, &lease)
		if err != nil || lease.Spec.HolderIdentity == nil {
			return ""
		}
		pod, _, _ := strings.Cut(*lease.Spec.HolderIdentity, "_")
		return pod
	}
	first := ""
	h.Eventually("a leader", func() error {
		if first = holder(); first == "" {
			return fmt.Errorf("nobody holds the lease")
		}
		return nil
	})
	operator("delete", "pod", first, "--wait=false")
	began := time.Now()
	h.Within(30*time.Second, "the next leader", func() error {
		if now := holder(); now == "" || now == first {
			return fmt.Errorf("the lease is held by %q", now)
		}
		return nil
	})
	took := time.Since(began)
	t.Logf("the lease changed hands after %v", took)
	if took > 10*time.Second {
		t.Errorf("the lease changed hands after %v: it was not released", took)
	}
	h.Create(h.NewSandbox("led"))
	h.Ready("led")
}
