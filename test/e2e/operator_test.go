// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/e2e/harness"
)

// operatorProcess finds the operator's process on this machine by its Pod's UID, which its control group names.
func operatorProcess(h *harness.T) (name string, pid int, found bool) {
	var pods corev1.PodList
	err := h.Client.List(h.Context(), &pods, client.InNamespace(apis.OperatorNamespace), client.MatchingLabels{apis.LabelApp: apis.OperatorName})
	if err != nil {
		h.Fatal(err)
	}
	for _, pod := range pods.Items {
		if pid, found = processOf(pod.UID, "/"+apis.OperatorName); found {
			return pod.Name, pid, true
		}
	}
	return "", 0, false
}

func processOf(uid types.UID, program string) (pid int, found bool) {
	entries, _ := filepath.Glob("/proc/[0-9]*")
	for _, entry := range entries {
		cmdline, err := os.ReadFile(filepath.Join(entry, "cmdline"))
		if err != nil || !bytes.HasPrefix(cmdline, []byte(program+"\x00")) {
			continue
		}
		group, err := os.ReadFile(filepath.Join(entry, "cgroup"))
		if err != nil || !strings.Contains(strings.ReplaceAll(string(group), "_", "-"), string(uid)) {
			continue
		}
		pid, err = strconv.Atoi(filepath.Base(entry))
		return pid, err == nil
	}
	return 0, false
}

func TestKilledAtRandomMomentsTheOperatorLosesNothingAndDoublesNothing(t *testing.T) {
	h := harness.New(t)
	const count = 50
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))

	// Without a lease to wait for, the operator is killed in the midst of its work more often.
	leaderElection(h, false)
	defer leaderElection(h, true)
	pods := watchPods(h)
	stop, killed := make(chan struct{}), make(chan int)
	go func() {
		kills := 0
		defer func() { killed <- kills }()
		for {
			select {
			case <-stop:
				return
			case <-time.After(50 * time.Millisecond):
			}
			if !operatorReady(h) {
				continue // it would die before it has done anything
			}
			select {
			case <-stop:
				return
			case <-time.After(time.Duration(random.IntN(3000)) * time.Millisecond):
			}
			if killOperator(h) {
				kills++
			}
		}
	}()
	name := func(i int) string { return fmt.Sprintf("killed-%d", i) }
	each := func(do func(name string)) {
		for i := range count {
			do(name(i))
		}
	}
	long := func(want string) func(string) {
		return func(name string) {
			h.Within(5*time.Minute, name+" "+want, func() error {
				var s v1beta1.Sandbox
				h.Get(name, &s)
				if words := strings.Join(harness.Words(&s), " "); !strings.Contains(words, want) {
					return fmt.Errorf("conditions are %s", words)
				}
				return nil
			})
		}
	}
	scale := func(to int32) func(string) {
		return func(name string) { h.Edit(name, func(s *v1beta1.Sandbox) { s.Spec.Replicas = &to }) }
	}
	each(func(name string) { h.Create(h.NewSandbox(name)) })
	each(long("Ready=True"))
	each(scale(0))
	each(long("Suspended=True"))
	each(scale(1))
	each(long("Ready=True"))
	h.MustKubectl("delete", "sandboxes", "--all", "--wait=false")
	each(func(name string) { h.Gone(name, &v1beta1.Sandbox{}); h.Gone(name, &corev1.Pod{}) })
	close(stop)
	kills := <-killed
	t.Logf("the operator was killed %d times", kills)
	if kills < 3 {
		t.Errorf("the operator was killed %d times only: the test shows nothing", kills)
	}
	if most := pods.most(); most != 1 {
		t.Errorf("at one time a Sandbox had %d Pods", most)
	}
}

// leaderElection installs the operator with or without leader election and waits until it runs.
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

// killOperator ends the operator with SIGKILL, and its Pod with it: the kubelet would wait longer before each restart.
func killOperator(h *harness.T) bool {
	pod, pid, found := operatorProcess(h)
	if !found || syscall.Kill(pid, syscall.SIGKILL) != nil {
		return false
	}
	h.Kubectl("-n", apis.OperatorNamespace, "delete", "pod", pod, "--grace-period=0", "--force")
	return true
}

// podWatch counts the Pods that a Sandbox has at the same time.
type podWatch struct {
	mu   sync.Mutex
	live map[types.UID]map[types.UID]bool // owner, Pod
	max  int
}

func (w *podWatch) most() int { w.mu.Lock(); defer w.mu.Unlock(); return w.max }

func watchPods(h *harness.T) *podWatch {
	h.Helper()
	w := &podWatch{live: map[types.UID]map[types.UID]bool{}}
	watcher, err := h.WatchPods()
	if err != nil {
		h.Fatal(err)
	}
	h.Cleanup(watcher.Stop)
	go func() {
		for event := range watcher.ResultChan() {
			pod, ok := event.Object.(*corev1.Pod)
			if !ok || len(pod.OwnerReferences) == 0 {
				continue
			}
			owner := pod.OwnerReferences[0].UID
			w.mu.Lock()
			if w.live[owner] == nil {
				w.live[owner] = map[types.UID]bool{}
			}
			if event.Type == "DELETED" {
				delete(w.live[owner], pod.UID)
			} else {
				w.live[owner][pod.UID] = true
			}
			w.max = max(w.max, len(w.live[owner]))
			w.mu.Unlock()
		}
	}()
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
	t.Logf("the lease passed on in %v", took)
	if took > 10*time.Second {
		t.Errorf("the lease passed on in %v: it was not released", took)
	}
	h.Create(h.NewSandbox("led"))
	h.Ready("led")
}
