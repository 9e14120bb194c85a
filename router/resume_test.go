// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package router

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clienttesting "k8s.io/client-go/testing"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

func resuming(c *Config) { c.ResumeOnRequest = true }

// patches returns what was written to Sandboxes.
func (w *world) patches() (all []string) {
	for _, action := range w.sandboxes.Actions() {
		if patch, ok := action.(clienttesting.PatchAction); ok {
			all = append(all, string(patch.GetPatch()))
		}
	}
	return all
}

// becomesReady does what the operator does with the resumed Sandbox.
func (w *world) becomesReady() {
	w.t.Helper()
	ctx, client := w.t.Context(), w.sandboxes.AgentsV1beta1().Sandboxes("default")
	asleep, err := client.Get(ctx, "asleep", metav1.GetOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	pod := builders.Pod("asleep", builders.OwnedBy(asleep), builders.Ready("127.0.0.1"))
	if _, err := w.kubernetes.CoreV1().Pods("default").Create(ctx, pod, metav1.CreateOptions{}); err != nil {
		w.t.Fatal(err)
	}
	asleep.Status.PodIPs = []string{"127.0.0.1"}
	asleep.Status.Conditions = []metav1.Condition{apis.NewCondition(
		nil, apis.ConditionReady, true, apis.ReasonDependenciesReady, "", 1, metav1.Time{})}
	asleep.ResourceVersion = "9"
	if _, err := client.UpdateStatus(ctx, asleep, metav1.UpdateOptions{}); err != nil {
		w.t.Fatal(err)
	}
}

func TestManyRequestsResumeASandboxOnceAndAllAreAnswered(t *testing.T) {
	w := newWorld(t, resuming)
	port := pod(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) })
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			got := w.ask(http.MethodPost, "/", "body", "Authorization", "Bearer ann", "X-Sandbox-ID", "asleep",
				"X-Sandbox-Port", port)
			if got.status != 200 || got.body != "body" {
				t.Errorf("answer %+v", got)
			}
		})
	}
	w.eventually("it was written", func() bool { return len(w.patches()) > 0 })
	w.eventually("all wait", func() bool { return strings.Contains(w.metrics(), "sandbox_router_requests_in_flight 20") })
	w.becomesReady()
	all.Wait()
	want := `{"metadata":{"uid":"s-asleep"},"spec":{"operatingMode":"Running","replicas":1}}`
	if got := w.patches(); len(got) != 1 || got[0] != want {
		t.Errorf("written %q", got)
	}
	if !strings.Contains(w.metrics(), `sandbox_router_resumes_total{result="ok"} 1`) {
		t.Error("the metrics do not say so")
	}
}

func TestARequestWaitsForAResumeUpToItsTimeoutAndLeavesItToTheOthers(t *testing.T) {
	w := newWorld(t, resuming)
	port := pod(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.Host) })
	patient := make(chan answer)
	go func() { patient <- w.as("ann", "asleep", port, "X-Sandbox-Timeout", "60") }()
	w.eventually("it was written", func() bool { return len(w.patches()) == 1 })
	if got := w.as("ann", "asleep", port, "X-Sandbox-Timeout", "0.05"); got.status != 504 ||
		got.detail != "The sandbox did not resume in time." {
		t.Errorf("the impatient one: %+v", got)
	}
	w.becomesReady()
	if got := <-patient; got.status != 200 || got.body != "127.0.0.1:"+port { // as the book has it by now
		t.Errorf("the patient one: %+v", got)
	}
	if len(w.patches()) != 1 {
		t.Errorf("written %q", w.patches())
	}
}

func TestNobodyResumesWhoMayNotReachTheSandbox(t *testing.T) {
	w := newWorld(t, resuming)
	for token, status := range map[string]int{"bob": 403, "mallory": 401} {
		if got := w.as(token, "asleep", "80"); got.status != status {
			t.Errorf("%s: %+v", token, got)
		}
	}
	shut := newWorld(t, nil)
	if got := shut.as("ann", "asleep", "80"); got.status != 503 || got.header.Get("Retry-After") != "10" {
		t.Errorf("without the flag: %+v", got)
	}
	if len(w.patches())+len(shut.patches()) > 0 {
		t.Errorf("written %q %q", w.patches(), shut.patches())
	}
}

func TestAResumeThatFailsIsAnsweredAndTriedAgain(t *testing.T) {
	resource := schema.GroupResource{Resource: "sandboxes"}
	for name, tt := range map[string]struct {
		err    error
		status int
	}{
		"the API server does not answer": {errors.New("secret"), 503},
		"it is another one by now":       {apierrors.NewConflict(resource, "asleep", errors.New("uid")), 404},
		"it is gone":                     {apierrors.NewNotFound(resource, "asleep"), 404},
		"the router may not do it":       {apierrors.NewForbidden(resource, "asleep", errors.New("secret")), 503},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, resuming)
			w.sandboxes.PrependReactor("patch", "sandboxes", func(clienttesting.Action) (bool, runtime.Object, error) {
				return true, nil, tt.err
			})
			for range 2 {
				if got := w.as("ann", "asleep", "80"); got.status != tt.status || strings.Contains(got.body, "secret") {
					t.Errorf("answer %+v", got)
				}
			}
			if len(w.patches()) != 2 {
				t.Errorf("written %q", w.patches())
			}
		})
	}
}

func TestASandboxThatIsDeletedWhileItResumesIsNotWaitedFor(t *testing.T) {
	w := newWorld(t, resuming)
	answered := make(chan answer)
	go func() { answered <- w.as("ann", "asleep", "80") }()
	w.eventually("it was written", func() bool { return len(w.patches()) == 1 })
	err := w.sandboxes.AgentsV1beta1().Sandboxes("default").Delete(t.Context(), "asleep", metav1.DeleteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := <-answered; got.status != 404 {
		t.Errorf("answer %+v", got)
	}
}

func TestAResumeThatDoesNotEndIsGivenUp(t *testing.T) {
	w := newWorld(t, func(c *Config) { c.ResumeOnRequest, c.ProxyTimeout = true, 50*time.Millisecond })
	if got := w.as("ann", "asleep", "80", "X-Sandbox-Timeout", "60"); got.status != 504 {
		t.Errorf("answer %+v", got)
	}
	w.eventually("the resume has failed", func() bool {
		return strings.Contains(w.metrics(), `sandbox_router_resumes_total{result="error"} 1`)
	})
}
