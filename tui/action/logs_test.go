// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package action

import (
	"bufio"
	"io"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clienttesting "k8s.io/client-go/testing"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	b "github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

func TestALogGoesOnWithTheNextPodUntilItIsClosed(t *testing.T) {
	d := newRig(t, false, nil)
	// the clients wait for the reactor
	pods, kind := d.cluster.Kubernetes.Tracker(), corev1.SchemeGroupVersion.WithResource("pods")
	pod := func(uid string) *corev1.Pod {
		return b.Pod("dev", b.WithUID(types.UID(uid)), b.OwnedBy(b.Sandbox("dev", b.WithUID("dev"))), b.Ready("10.0.0.1"),
			b.WithLabel(apis.LabelSandboxNameHash, strings.TrimPrefix(resolve.PodSelector("dev"),
				apis.LabelSandboxNameHash+"=")))
	}
	d.cluster.Kubernetes.PrependReactor("get", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
		if action.GetSubresource() != "log" {
			return false, nil, nil
		}
		object, err := pods.Get(kind, "default", "dev")
		if err != nil {
			return true, nil, err
		}
		if object.(*corev1.Pod).UID == "next" {
			return true, &runtime.Unknown{Raw: []byte("2026-01-01T00:00:02Z two\n")}, nil
		}
		return true, &runtime.Unknown{Raw: []byte("2026-01-01T00:00:01Z one\n")}, pods.Delete(kind, "default", "dev")
	})
	result := d.Dispatch(t.Context(), Request{Verb: Logs, Targets: []Target{target(resolve.KindSandbox, "dev")}})
	if result.Err != nil {
		t.Fatal(result.Err)
	}
	in := bufio.NewScanner(result.Log)
	next := func(want string) {
		t.Helper()
		if !in.Scan() || !strings.Contains(in.Text(), want) {
			t.Fatalf("%q instead of %q, %v", in.Text(), want, in.Err())
		}
	}
	next("one")
	next("waiting for the next Pod")
	if err := pods.Create(kind, pod("next"), "default"); err != nil {
		t.Fatal(err)
	}
	next("two")
	closed := make(chan error, 1)
	go func() { closed <- result.Log.Close() }()
	select {
	case err := <-closed:
		if err != nil || in.Scan() {
			t.Errorf("%v, %q after the end", err, in.Text())
		}
	case <-time.After(10 * time.Second):
		t.Error("closing hangs")
	}
}

func TestThePreviousRunOfAContainerCanBeRead(t *testing.T) {
	d := newRig(t, true, nil)
	d.cluster.Kubernetes.PrependReactor("get", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
		if action.GetSubresource() != "log" {
			return false, nil, nil
		}
		wanted := action.(clienttesting.GenericAction).GetValue().(*corev1.PodLogOptions)
		if !wanted.Previous || wanted.Follow || !wanted.Timestamps || wanted.Container != "main" {
			t.Errorf("asked for %+v", wanted)
		}
		return true, &runtime.Unknown{Raw: []byte("2026-01-01T00:00:01Z the last words\n")}, nil
	})
	result := d.Dispatch(t.Context(), Request{Verb: Logs, Previous: true,
		Targets: []Target{target(resolve.KindSandbox, "dev")}})
	if result.Err != nil || !result.Previous || result.Container != "main" {
		t.Fatalf("%+v", result)
	}
	text, err := io.ReadAll(result.Log)
	if err != nil || string(text) != "2026-01-01T00:00:01Z the last words\n" {
		t.Errorf("%q, %v", text, err)
	}
}

func TestALogIsOfAContainerThatThePodHas(t *testing.T) {
	d := newRig(t, true, nil)
	result := d.Dispatch(t.Context(), Request{Verb: Logs, Container: "sidecar",
		Targets: []Target{target(resolve.KindSandbox, "dev")}})
	if result.Err == nil || !strings.Contains(result.Err.Error(), `no container "sidecar"; it has: main`) {
		t.Errorf("%v", result.Err)
	}
}
