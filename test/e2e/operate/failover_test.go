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

// holder returns the identity of the leader and the time at which it acquired the lease, or an empty identity. The
// identity is the Pod's name and a suffix that differs between processes of one Pod.
func holder(h *harness.T) (name string, since time.Time) {
	var lease coordinationv1.Lease
	err := h.Client.Get(h.Context(), client.ObjectKey{Namespace: operatorNamespace, Name: apis.LeaseName}, &lease)
	if err != nil || lease.Spec.HolderIdentity == nil || lease.Spec.AcquireTime == nil {
		return "", time.Time{}
	}
	return *lease.Spec.HolderIdentity, lease.Spec.AcquireTime.Time
}

func podName(holder string) string {
	pod, _, _ := strings.Cut(holder, "_")
	return pod
}

const (
	poolSize = 12 // so that the next leader finds warm members
	// handoverLimit is how long the next leader may take to serve a claim after the leader is stopped gracefully.
	handoverLimit = 3 * time.Second
)

// claimLoad is a stream of claims. It records when each was created and got its Sandbox.
type claimLoad struct {
	*harness.T

	created, served map[string]time.Time
	ready           map[string]time.Time // the operator's firstReadyTime
	leader          string
	acquired        time.Time // when the leader acquired the lease, as it wrote it
}

// run creates the given number of claims, one every 200 ms, and updates the state of all until enough returns true.
func (l *claimLoad) run(claims int, enough func() bool) {
	l.Helper()
	next := time.Now()
	l.Within(time.Minute, "the next leader at work", func() error {
		for ; claims > 0 && !time.Now().Before(next); claims-- {
			name := fmt.Sprintf("load-%d", len(l.created))
			claim := &extensionsv1beta1.SandboxClaim{ObjectMeta: metav1.ObjectMeta{Namespace: l.Namespace, Name: name}}
			claim.Spec.TemplateRef = &extensionsv1beta1.SandboxTemplateRef{Name: "shell"}
			l.created[name], next = time.Now(), next.Add(200*time.Millisecond)
			if err := l.Client.Create(l.Context(), claim); err != nil {
				l.Fatal(err)
			}
		}
		l.update()
		if claims > 0 || !enough() {
			return fmt.Errorf("%d claims, %d served, the lease is held by %q", len(l.created), len(l.served), l.leader)
		}
		return nil
	})
}

func (l *claimLoad) update() {
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
		l.leader, l.acquired = now, since
	}
}

// allServed reports whether each claim has its Sandbox.
func (l *claimLoad) allServed() bool { return len(l.served) == len(l.created) }

// newLeaderServes reports whether there is another leader than before and it has served a claim.
func (l *claimLoad) newLeaderServes(before string) bool {
	if l.leader == before {
		return false
	}
	for _, at := range l.ready {
		if at.After(l.acquired) {
			return true
		}
	}
	return false
}

// latencies returns how long after gone the new leader first made a claim ready, and the longest wait of a claim that
// was created after gone.
func (l *claimLoad) latencies(gone time.Time) (acted, slowest time.Duration) {
	for name, asked := range l.created {
		served := l.served[name]
		if took := served.Sub(asked); asked.After(gone) && took > slowest {
			slowest = took
		}
	}
	for _, at := range l.ready {
		if took := at.Sub(gone); at.After(l.acquired) && (acted == 0 || took < acted) {
			acted = took
		}
	}
	return acted.Round(time.Millisecond), slowest.Round(time.Millisecond)
}

func TestClaimsThatArriveWhileLeadersEndAllGetOneSandboxEach(t *testing.T) {
	h := harness.New(t)
	operator(h, "install", "--image", harness.RequireEnv("E2E_IMAGE"), "--replicas", "2")
	defer operator(h, "install", "--image", harness.RequireEnv("E2E_IMAGE"), "--replicas", "1")
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
		if ready := h.MustKubectl("get", "sandboxwarmpool", "warm", "-o",
			"jsonpath={.status.readyReplicas}"); ready != fmt.Sprint(poolSize) {
			return fmt.Errorf("%s members are ready", ready)
		}
		return nil
	}
	h.Eventually("a full pool", full)
	l := &claimLoad{T: h, created: map[string]time.Time{}, served: map[string]time.Time{}, ready: map[string]time.Time{}}
	l.run(5, l.allServed)

	first := l.leader
	logged := keepLog(h, podName(first))
	leader := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: operatorNamespace, Name: podName(first)}}
	if err := h.Client.Delete(h.Context(), leader); err != nil { // as a rollout does
		t.Fatal(err)
	}
	gone := time.Now()
	l.run(20, func() bool { return l.newLeaderServes(first) && l.allServed() })
	acted, slowest := l.latencies(gone)
	h.Logf("asked to stop: the next leader acted after %v; no claim waited longer than %v", acted, slowest)
	if acted > handoverLimit {
		t.Errorf("the handover takes more than %v: was the lease released?", handoverLimit)
	}
	logged()
	// another replica must be ready to take over
	h.MustKubectl("-n", operatorNamespace, "rollout", "status", "deployment/"+apis.OperatorName, "--timeout=60s")

	second := l.leader
	kill(h, podName(second))
	gone = time.Now()
	l.run(10, func() bool { return l.newLeaderServes(second) && l.allServed() })
	acted, slowest = l.latencies(gone)
	h.Logf("killed: the next leader acted after %v; no claim waited longer than %v", acted, slowest)
	checkOneSandboxEach(h, len(l.created))
	h.Eventually("a full pool again", full)
}

// keepLog copies a Pod's log to a file that run.sh reads, because the log is deleted with the Pod. wait returns when
// the Pod has ended.
func keepLog(h *harness.T, name string) (wait func()) {
	h.Helper()
	done := make(chan error, 1)
	go func() {
		r := h.KubectlWithoutNamespace("-n", operatorNamespace, "logs", "--follow", name)
		if r.Code != 0 {
			done <- fmt.Errorf("%v", r)
			return
		}
		done <- os.WriteFile(filepath.Join(harness.RequireEnv("ARTIFACTS"), "operator-"+name+".log"), []byte(r.Stdout), 0o600)
	}()
	return func() {
		h.Helper()
		if err := <-done; err != nil {
			h.Error(err)
		}
	}
}

// kill ends an operator's process with SIGKILL.
func kill(h *harness.T, name string) {
	h.Helper()
	var pod corev1.Pod
	if err := h.Client.Get(h.Context(), client.ObjectKey{Namespace: operatorNamespace, Name: name}, &pod); err != nil {
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

// checkOneSandboxEach waits until all claims are Ready, and checks that each has a Sandbox of its own.
func checkOneSandboxEach(h *harness.T, load int) {
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
			h.Errorf("Sandbox %s has no controller", s.Name)
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
