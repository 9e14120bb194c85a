// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/e2e/harness"
)

const (
	policyDelete     = extensionsv1beta1.ShutdownPolicyDelete
	policyForeground = extensionsv1beta1.ShutdownPolicyDeleteForeground
	policyRetain     = extensionsv1beta1.ShutdownPolicyRetain
)

// secondsFromNow returns a time in whole seconds, which is the precision of the API server.
func secondsFromNow(n int) *metav1.Time {
	at := metav1.NewTime(time.Now().Add(time.Duration(n) * time.Second).Truncate(time.Second))
	return &at
}

func withLifecycle(l extensionsv1beta1.Lifecycle) func(*extensionsv1beta1.SandboxClaim) {
	return func(claim *extensionsv1beta1.SandboxClaim) { claim.Spec.Lifecycle = &l }
}

// setShutdown sets a claim's shutdown time and policy.
func setShutdown(h *harness.T, name string, at *metav1.Time, policy extensionsv1beta1.ShutdownPolicy) {
	h.Helper()
	harness.Patch(h, name, &extensionsv1beta1.SandboxClaim{},
		withLifecycle(extensionsv1beta1.Lifecycle{ShutdownTime: at, ShutdownPolicy: policy}))
}

// exitsAtOnce makes the template's container exit with code 0.
func exitsAtOnce(template *extensionsv1beta1.SandboxTemplate) {
	template.Spec.PodTemplate.Spec.RestartPolicy = corev1.RestartPolicyNever
	template.Spec.PodTemplate.Spec.Containers[0].Command = []string{"true"}
}

// waitUntilGone waits until a Sandbox and its Pod are gone.
func waitUntilGone(h *harness.T, s *agentsv1beta1.Sandbox) {
	h.Helper()
	h.Gone(s.Name, &agentsv1beta1.Sandbox{})
	h.Gone(s.Name, &corev1.Pod{})
}

func TestEveryWayInWhichAClaimEnds(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.CreateAll(h.NewTemplate("shell"), h.NewTemplate("job", exitsAtOnce), h.NewPool("warm", "shell", 1))
	h.FullPool("warm")
	ttl := func(seconds int32, policy extensionsv1beta1.ShutdownPolicy) extensionsv1beta1.Lifecycle {
		return extensionsv1beta1.Lifecycle{TTLSecondsAfterFinished: &seconds, ShutdownPolicy: policy}
	}
	each := func(name string, check func(h *harness.T)) {
		t.Run(name, func(t *testing.T) { t.Parallel(); check(h.In(t)) })
	}
	each("with Delete at its shutdown time the claim is gone with all it had, and not before", func(h *harness.T) {
		h.CreateAll(h.NewClaim("deleted", "shell", withoutWarmPool))
		s := h.Claimed("deleted")
		at := secondsFromNow(3)
		setShutdown(h, "deleted", at, policyDelete)
		h.Gone("deleted", &extensionsv1beta1.SandboxClaim{})
		if early := time.Until(at.Time); early > 0 {
			h.Errorf("gone %v too early", early)
		}
		waitUntilGone(h, s)
	})
	each("with DeleteForeground the claim outlives what it had", func(h *harness.T) {
		h.CreateAll(h.NewClaim("foreground", "shell", withoutWarmPool))
		s := h.Claimed("foreground")
		left := make(chan string, 100)
		h.Watch(&extensionsv1beta1.SandboxClaimList{}, func(event watch.EventType, claim client.Object) {
			if event != watch.Deleted || claim.GetName() != "foreground" {
				return
			}
			if h.Client.Get(h.Context(), client.ObjectKeyFromObject(s), &agentsv1beta1.Sandbox{}) == nil {
				left <- "the Sandbox was still there"
			}
			if h.Client.Get(h.Context(), client.ObjectKeyFromObject(s), &corev1.Pod{}) == nil {
				left <- "the Pod was still there"
			}
			close(left)
		})
		setShutdown(h, "foreground", secondsFromNow(1), policyForeground)
		h.Gone("foreground", &extensionsv1beta1.SandboxClaim{})
		for what := range left {
			h.Errorf("when the claim was gone %s", what)
		}
	})
	each("with Retain the claim stays, says so, and can be extended", func(h *harness.T) {
		h.CreateAll(h.NewClaim("retained", "shell", withoutWarmPool))
		s := h.Claimed("retained")
		setShutdown(h, "retained", secondsFromNow(1), "")
		claim := h.ClaimCondition("retained", "Ready=False/ClaimExpired")
		message := apis.FindCondition(claim.Status.Conditions, apis.ConditionReady).Message
		if message != "Claim has expired. Sandbox cleanup initiated." {
			h.Errorf("the message is %q", message)
		}
		waitUntilGone(h, s)
		if h.Get("retained", claim); claim.Status.SandboxStatus.Name != "" || claim.DeletionTimestamp != nil {
			h.Errorf("after it expired: %+v", claim.Status)
		}
		if r := h.Plugin("extend", "claim/retained", "--by", "1h"); r.Code != 1 || !strings.Contains(r.Stderr, "--fresh") {
			h.Errorf("extend revived a claim without its Sandbox and did not ask for --fresh: %v", r)
		}
		h.Must("extend", "claim/retained", "--by", "1h", "--fresh")
		if again := h.Claimed("retained"); again.UID == s.UID {
			h.Errorf("it has the old Sandbox back")
		}
	})
	each("with Retain a Sandbox that came from a pool goes too", func(h *harness.T) {
		h.CreateAll(h.NewClaim("adopter", "shell"))
		s := h.Claimed("adopter")
		if !harness.Warm(s) || s.Name == "adopter" {
			h.Errorf("the claim got %s, %v", s.Name, s.Labels)
		}
		setShutdown(h, "adopter", secondsFromNow(1), policyRetain)
		h.ClaimCondition("adopter", "Ready=False/ClaimExpired")
		waitUntilGone(h, s)
	})
	each("a time to live counts from the end of the work, and Delete deletes", func(h *harness.T) {
		h.CreateAll(h.NewClaim("worked", "job", withLifecycle(ttl(2, policyDelete))))
		claim := h.ClaimCondition("worked", "Finished=True/PodSucceeded")
		finished := apis.FindCondition(claim.Status.Conditions, apis.ConditionFinished).LastTransitionTime
		h.Gone("worked", &extensionsv1beta1.SandboxClaim{})
		if lived := time.Since(finished.Time); lived < 2*time.Second {
			h.Errorf("it was gone %v after its end", lived)
		}
		h.Gone("worked", &corev1.Pod{})
	})
	each("a time to live of nothing with Retain keeps the word that it succeeded", func(h *harness.T) {
		h.CreateAll(h.NewClaim("kept", "job", withLifecycle(ttl(0, policyRetain))))
		h.ClaimCondition("kept", "Ready=False/ClaimExpired")
		h.Gone("kept", &agentsv1beta1.Sandbox{})
		h.Gone("kept", &corev1.Pod{})
		h.ClaimCondition("kept", "Finished=True/PodSucceeded")
		h.ClaimCondition("kept", "Ready=False/ClaimExpired")
	})
	each("of two deadlines the time to live comes first", func(h *harness.T) {
		l := ttl(0, policyDelete)
		l.ShutdownTime = secondsFromNow(3600)
		h.CreateAll(h.NewClaim("ttl-first", "job", withLifecycle(l)))
		h.Gone("ttl-first", &extensionsv1beta1.SandboxClaim{})
	})
	each("of two deadlines the shutdown time comes first", func(h *harness.T) {
		h.CreateAll(h.NewClaim("time-first", "job", withLifecycle(ttl(3600, policyRetain))))
		h.ClaimCondition("time-first", "Finished=True/PodSucceeded")
		harness.Patch(h, "time-first", &extensionsv1beta1.SandboxClaim{}, func(claim *extensionsv1beta1.SandboxClaim) {
			claim.Spec.Lifecycle.ShutdownTime = secondsFromNow(1)
		})
		h.ClaimCondition("time-first", "Ready=False/ClaimExpired")
		h.Gone("time-first", &agentsv1beta1.Sandbox{})
	})
	each("without an end a finished claim stays as it is", func(h *harness.T) {
		h.CreateAll(h.NewClaim("finished", "job"))
		claim := h.ClaimCondition("finished", "Finished=True/PodSucceeded")
		if ready := apis.FindCondition(claim.Status.Conditions, apis.ConditionReady); ready.Reason != "PodSucceeded" {
			h.Errorf("Ready is %+v", ready)
		}
	})
	for policy, gone := range map[extensionsv1beta1.ShutdownPolicy]bool{
		policyDelete: true, policyForeground: true, policyRetain: false,
	} {
		each("a shutdown time in the past with "+string(policy)+" makes no Sandbox", func(h *harness.T) {
			name := "late-" + strings.ToLower(string(policy))
			made := make(chan string, 10)
			h.Watch(&agentsv1beta1.SandboxList{}, func(_ watch.EventType, s client.Object) {
				if owner := metav1.GetControllerOf(s); owner != nil && owner.Name == name {
					made <- s.GetName()
				}
			})
			h.CreateAll(h.NewClaim(name, "shell",
				withLifecycle(extensionsv1beta1.Lifecycle{ShutdownTime: secondsFromNow(-60), ShutdownPolicy: policy})))
			if gone {
				h.Gone(name, &extensionsv1beta1.SandboxClaim{})
			} else {
				h.ClaimCondition(name, "Ready=False/ClaimExpired")
			}
			select {
			case sandbox := <-made:
				h.Errorf("Sandbox %s was made", sandbox)
			default:
			}
		})
	}
}

func TestAWatcherOfAClaimSeesItGetReadyOnceAndThenFinish(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	history := watchClaims(h)
	brief := func(template *extensionsv1beta1.SandboxTemplate) {
		exitsAtOnce(template)
		template.Spec.PodTemplate.Spec.Containers[0].Command = []string{
			"sh", "-c", "while [ ! -e /tmp/done ]; do sleep 0.1; done",
		}
	}
	h.CreateAll(h.NewTemplate("shell"), h.NewTemplate("brief", brief), h.NewPool("warm", "shell", 2))
	h.FullPool("warm")
	h.CreateAll(h.NewClaim("warm", "shell"), h.NewClaim("cold", "brief"))
	h.Claimed("warm")
	h.Claimed("cold")
	h.FullPool("warm")
	history.check(h)
	if got := history.readiness("warm"); got != "True/DependenciesReady" {
		t.Errorf("a claim that takes a ready Sandbox was %s", got)
	}
	if got, found := strings.CutSuffix(history.readiness("cold"), " True/DependenciesReady"); !found ||
		strings.Contains(got, "True") {
		t.Errorf("a claim that starts cold was %s", history.readiness("cold"))
	}
	h.MustKubectl("exec", "cold", "--", "touch", "/tmp/done")
	h.ClaimCondition("cold", "Finished=True/PodSucceeded")
	h.Eventually("the watch shows the end", func() error {
		return checkLastReadiness(history, "cold", "False/PodSucceeded")
	})
	if got := history.readiness("cold"); strings.Count(got, "True/") != 1 {
		t.Errorf("Ready flapped: %s", got)
	}
	for _, claim := range history.versionsOf("cold") {
		if len(claim.Status.Conditions) == 2 &&
			(claim.Status.Conditions[0].Type != "Ready" || claim.Status.Conditions[1].Type != "Finished") {
			t.Errorf("conditions are out of order: %+v", claim.Status.Conditions)
		}
	}
	for name, reason := range map[string]string{"warm": "SandboxAdopted", "cold": "SandboxProvisioned"} {
		h.Eventually("an event about "+name, func() error { return checkOneEvent(h, "SandboxClaim", name, reason) })
	}
}
