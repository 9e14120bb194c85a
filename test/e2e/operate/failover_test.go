// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/e2e/harness"
)

// holder is the process that leads, or empty: its Pod's name and what tells it from that Pod's earlier processes; and since when.
func holder(h *harness.T) (name string, since time.Time) {
	var lease coordinationv1.Lease
	err := h.Client.Get(h.Context(), client.ObjectKey{Namespace: home, Name: apis.LeaseName}, &lease)
	if err != nil || lease.Spec.HolderIdentity == nil || lease.Spec.AcquireTime == nil {
		return "", time.Time{}
	}
	return *lease.Spec.HolderIdentity, lease.Spec.AcquireTime.Time
}

func podOf(holder string) string {
	pod, _, _ := strings.Cut(holder, "_")
	return pod
}

const (
	poolSize = 12 // so that the next leader finds warm ones
	// handover is what a graceful one may take, until the next leader serves a claim.
	handover = 3 * time.Second
)

// traffic is a stream of claims, and when each was asked for and got its Sandbox.
type traffic struct {
	*harness.T

	asked, served map[string]time.Time
	ready         map[string]time.Time // as the operator wrote it
	leader        string
	passed        time.Time // when the leader took the lease, as it wrote it
}

// flow asks for a claim every 200 ms until it has asked for that many and enough says so, and looks meanwhile what became of all.
func (l *traffic) flow(claims int, enough func() bool) {
	l.Helper()
	next := time.Now()
	l.Within(time.Minute, "the next leader at work", func() error {
		for ; claims > 0 && !time.Now().Before(next); claims-- {
			name := fmt.Sprintf("load-%d", len(l.asked))
			claim := &extensionsv1beta1.SandboxClaim{ObjectMeta: metav1.ObjectMeta{Namespace: l.Namespace, Name: name}}
			claim.Spec.TemplateRef = &extensionsv1beta1.SandboxTemplateRef{Name: "shell"}
			l.asked[name], next = time.Now(), next.Add(200*time.Millisecond)
			if err := l.Client.Create(l.Context(), claim); err != nil {
				l.Fatal(err)
			}
		}
		l.look()
		if claims > 0 || !enough() {
			return fmt.Errorf("%d claims, %d served, the lease is held by %q", len(l.asked), len(l.served), l.leader)
		}
		return nil
	})
}

func (l *traffic) look() {
	l.Helper()
	var claims extensionsv1beta1.SandboxClaimList
	if err := l.Client.List(l.Context(), &claims, client.InNamespace(l.Namespace)); err != nil {
		l.Fatal(err)
	}
	for i := range claims.Items {
		c := &claims.Items[i]
		if _, known := l.served[c.Name]; !known && c.Status.SandboxStatus.Name != "" {
			l.served[c.Name] = time.Now()
		}
		if at := c.Status.FirstReadyTime; at != nil {
			l.ready[c.Name] = at.Time
		}
	}
	if now, since := holder(l.T); now != "" {
		l.leader, l.passed = now, since
	}
}

// all says whether each claim has its Sandbox.
func (l *traffic) all() bool { return len(l.served) == len(l.asked) }

// follows says whether another leads than before, and has served a claim.
func (l *traffic) follows(before string) bool {
	if l.leader == before {
		return false
	}
	for _, at := range l.ready {
		if at.After(l.passed) {
			return true
		}
	}
	return false
}

// since is the first thing that a leader did after the lease came to it, and the longest that a claim waited that was asked for
// after the former leader went.
func (l *traffic) since(gone time.Time) (acted, slowest time.Duration) {
	for name, asked := range l.asked {
		served := l.served[name]
		if took := served.Sub(asked); asked.After(gone) && took > slowest {
			slowest = took
		}
	}
	for _, at := range l.ready {
		if took := at.Sub(gone); at.After(l.passed) && (acted == 0 || took < acted) {
			acted = took
		}
	}
	return acted.Round(time.Millisecond), slowest.Round(time.Millisecond)
}

func TestClaimsThatArriveWhileLeadersEndAllGetOneSandboxEach(t *testing.T) {
	h := harness.New(t)
	operator(h, "install", "--image", harness.Need("E2E_IMAGE"), "--replicas", "2")
	defer operator(h, "install", "--image", harness.Need("E2E_IMAGE"), "--replicas", "1")
	h.Apply(fmt.Sprintf(`
apiVersion: extensions.agents.x-k8s.io/v1beta1
kind: SandboxTemplate
metadata: {name: shell}
spec: {podTemplate: {spec: {terminationGracePeriodSeconds: 1, containers: [{name: main, image: %q}]}}}
---
apiVersion: extensions.agents.x-k8s.io/v1beta1
kind: SandboxWarmPool
metadata: {name: warm}
spec: {replicas: %d, sandboxTemplateRef: {name: shell}}
`, harness.ImageShell, poolSize))
	full := func() error {
		if ready := h.MustKubectl("get", "sandboxwarmpool", "warm", "-o", "jsonpath={.status.readyReplicas}"); ready != fmt.Sprint(poolSize) {
			return fmt.Errorf("%s members are ready", ready)
		}
		return nil
	}
	h.Eventually("a full pool", full)
	l := &traffic{T: h, asked: map[string]time.Time{}, served: map[string]time.Time{}, ready: map[string]time.Time{}}
	l.flow(5, l.all)

	first := l.leader
	logged := keepLog(h, podOf(first))
	leader := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: home, Name: podOf(first)}}
	if err := h.Client.Delete(h.Context(), leader); err != nil { // as a rollout does
		t.Fatal(err)
	}
	gone := time.Now()
	l.flow(20, func() bool { return l.follows(first) && l.all() })
	acted, slowest := l.since(gone)
	h.Logf("asked to stop: the next leader acted after %v; no claim waited longer than %v", acted, slowest)
	if acted > handover {
		t.Errorf("the hand-over takes more than %v: was the lease released?", handover)
	}
	logged()
	h.MustKubectl("-n", home, "rollout", "status", "deployment/"+apis.OperatorName, "--timeout=60s") // somebody is to follow again

	second := l.leader
	kill(h, podOf(second))
	gone = time.Now()
	l.flow(10, func() bool { return l.follows(second) && l.all() })
	acted, slowest = l.since(gone)
	h.Logf("killed: the next leader acted after %v; no claim waited longer than %v", acted, slowest)
	oneEach(h, len(l.asked))
	h.Eventually("a full pool again", full)
}

// keepLog follows a Pod's log into a file that run.sh reads, until the Pod ends: the log goes with the Pod. wait returns then.
func keepLog(h *harness.T, name string) (wait func()) {
	h.Helper()
	done := make(chan error, 1)
	go func() {
		r := h.KubectlAlone("-n", home, "logs", "--follow", name)
		if r.Code != 0 {
			done <- fmt.Errorf("%v", r)
			return
		}
		done <- os.WriteFile(filepath.Join(harness.Need("ARTIFACTS"), "operator-"+name+".log"), []byte(r.Stdout), 0o600)
	}()
	return func() {
		h.Helper()
		if err := <-done; err != nil {
			h.Error(err)
		}
	}
}

// kill ends an operator's process without a chance to say goodbye.
func kill(h *harness.T, name string) {
	h.Helper()
	var pod corev1.Pod
	if err := h.Client.Get(h.Context(), client.ObjectKey{Namespace: home, Name: name}, &pod); err != nil {
		h.Fatal(err)
	}
	pid, found := harness.Process(pod.UID, "/"+apis.OperatorName)
	if !found {
		h.Fatalf("no process of Pod %s", name)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		h.Fatal(err)
	}
}

// list reads all objects of a kind in the test's namespace.
func list[T any](h *harness.T, resource string) T {
	h.Helper()
	var all T
	if err := json.Unmarshal([]byte(h.MustKubectl("get", resource, "-o", "json")), &all); err != nil {
		h.Fatal(err)
	}
	return all
}

// oneEach waits until all claims are Ready, and checks that each has a Sandbox of its own.
func oneEach(h *harness.T, load int) {
	h.Helper()
	var claims extensionsv1beta1.SandboxClaimList
	h.Within(3*time.Minute, "all claims Ready", func() error {
		claims = list[extensionsv1beta1.SandboxClaimList](h, "sandboxclaims")
		ready := 0
		for i := range claims.Items {
			if apis.ConditionTrue(claims.Items[i].Status.Conditions, apis.ConditionReady) {
				ready++
			}
		}
		if ready != load {
			return fmt.Errorf("%d of %d", ready, load)
		}
		return nil
	})
	owned := map[types.UID]string{}
	for _, s := range list[agentsv1beta1.SandboxList](h, "sandboxes").Items {
		owner := metav1.GetControllerOf(&s)
		switch {
		case owner == nil:
			h.Errorf("Sandbox %s belongs to nobody", s.Name)
		case owner.Kind == apis.KindSandboxClaim && owned[owner.UID] != "":
			h.Errorf("claim %s owns %s and %s", owner.Name, owned[owner.UID], s.Name)
		default:
			owned[owner.UID] = s.Name
		}
	}
	for i := range claims.Items {
		if c := &claims.Items[i]; owned[c.UID] != c.Status.SandboxStatus.Name {
			h.Errorf("claim %s names %s and owns %s", c.Name, c.Status.SandboxStatus.Name, owned[c.UID])
		}
	}
}
