// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package router

import (
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

// replace puts another Pod in the place of one.
func (w *world) replace(pod string, sandbox *agentsv1beta1.Sandbox) {
	w.t.Helper()
	pods := w.kubernetes.CoreV1().Pods("default")
	if err := pods.Delete(w.t.Context(), pod, metav1.DeleteOptions{}); err != nil {
		w.t.Fatal(err)
	}
	is := builders.Pod(sandbox.Name, builders.OwnedBy(sandbox), builders.Ready("127.0.0.1"))
	if _, err := pods.Create(w.t.Context(), is, metav1.CreateOptions{}); err != nil {
		w.t.Fatal(err)
	}
}

// dials returns the number of connections to Pods.
func (w *world) dials() int {
	w.t.Helper()
	_, after, _ := strings.Cut(w.metrics(), `sandbox_router_dials_total{result="ok"} `)
	count, err := strconv.Atoi(after[:max(strings.IndexByte(after, '\n'), 0)])
	if err != nil {
		w.t.Fatal(err)
	}
	return count
}

func here(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "here") }

func TestWhatTheBookDoesNotShowYetIsReachedByThoseWhoMay(t *testing.T) {
	w := newLaggingWorld(t, nil)
	port := pod(t, here)
	late := builders.Sandbox("late", builders.WithUID("s-late"))
	w.add(late)
	w.replace("box", late)
	for token, status := range map[string]int{"ann": 200, "bob": 403, "mallory": 401} {
		if got := w.as(token, "late", port); got.status != status {
			t.Errorf("%s: %+v", token, got)
		}
	}
	if got := w.as("ann", "late", port, "X-Sandbox-UID", "s-before"); got.status != 404 {
		t.Errorf("another UID: %+v", got)
	}
	if got := w.as("ann", "later", port); got.status != 404 {
		t.Errorf("what does not exist: %+v", got)
	}
}

// The book shows a Sandbox whose Pod is gone, and whose address another Pod has got.
func TestABookThatLagsSendsNobodyToTheNextOneWithTheAddress(t *testing.T) {
	for name, next := range map[string]*agentsv1beta1.Sandbox{
		"another Sandbox":        builders.Sandbox("next", builders.WithUID("s-next")),
		"the next one so called": builders.Sandbox("box", builders.WithUID("s-next")),
	} {
		t.Run(name, func(t *testing.T) {
			w := newLaggingWorld(t, nil)
			port := pod(t, here)
			w.replace("box", next)
			if got := w.as("ann", "box", port); got.status != 503 || got.header.Get("Retry-After") == "" {
				t.Errorf("answer %+v", got)
			}
		})
	}
}

func TestAnOpenConnectionToASandboxIsNotUsedForTheNextOne(t *testing.T) {
	w := newWorld(t, nil)
	port := pod(t, here)
	if got := w.as("ann", "box", port); got.status != 200 {
		t.Fatalf("answer %+v", got)
	}
	next := builders.Sandbox("next", builders.WithUID("s-next"), builders.WithSandboxStatus(
		agentsv1beta1.SandboxStatus{PodIPs: []string{"127.0.0.1"}}))
	w.add(next)
	before := w.dials()
	w.replace("box", next)
	if got := w.as("ann", "next", port); got.status != 200 || w.dials() != before+1 {
		t.Errorf("answer %+v after %d dials", got, w.dials()-before)
	}
}

func TestAClaimThatGotItsSandboxLatelyIsReached(t *testing.T) {
	w := newLaggingWorld(t, nil)
	port := pod(t, here)
	claims := w.sandboxes.ExtensionsV1beta1().SandboxClaims("default")
	claim, err := claims.Get(t.Context(), "new", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	fresh := builders.Sandbox("fresh", builders.WithUID("s-fresh"), builders.OwnedBy(claim))
	w.add(fresh)
	w.replace("box", fresh)
	claim.Status.SandboxStatus = extensionsv1beta1.SandboxStatus{Name: "fresh", UID: "s-fresh"}
	if _, err := claims.UpdateStatus(t.Context(), claim, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := w.as("ann", "new", port); got.status != 200 {
		t.Errorf("answer %+v", got)
	}
}

// The book knows nothing of this name, so a token passes that names it. What is found may be the next one so called.
func TestWhatIsLookedUpIsJudgedOnceMore(t *testing.T) {
	key := secret(t, "0123456789abcdef0123456789abcdef")
	w := newLaggingWorld(t, func(c *Config) { c.SigningKeyFile = key })
	port := pod(t, here)
	w.add(builders.Sandbox("late", builders.WithUID("s-late")))
	var given tokenResponse
	got := w.ask(http.MethodPost, "/token", `{"name":"late"}`, "Authorization", "Bearer ann")
	if err := json.Unmarshal([]byte(got.body), &given); err != nil || given.Token == "" {
		t.Fatalf("answer %+v", got)
	}
	err := w.sandboxes.AgentsV1beta1().Sandboxes("default").Delete(t.Context(), "late", metav1.DeleteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	next := builders.Sandbox("late", builders.WithUID("s-next"))
	w.add(next)
	w.replace("box", next)
	for token, status := range map[string]int{given.Token: 403, "ann": 200} {
		if got := w.as(token, "late", port); got.status != status {
			t.Errorf("want %d, answer %+v", status, got)
		}
	}
}
