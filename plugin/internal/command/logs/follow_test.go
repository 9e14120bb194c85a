// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package logs

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	clienttesting "k8s.io/client-go/testing"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory/fake"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakecluster"
)

func sandbox(suspended bool) *agentsv1beta1.Sandbox {
	s := &agentsv1beta1.Sandbox{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "dev", UID: "1"}}
	if suspended {
		s.Spec.Replicas = new(int32(0))
	}
	return s
}

func pod(name string, phase corev1.PodPhase) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "default", Name: name, UID: types.UID(name),
			Labels: map[string]string{apis.LabelSandboxNameHash: naming.Hash("dev")},
			OwnerReferences: []metav1.OwnerReference{
				*metav1.NewControllerRef(sandbox(false), agentsv1beta1.SchemeGroupVersion.WithKind(apis.KindSandbox)),
			},
		},
		Spec:   corev1.PodSpec{Containers: []corev1.Container{{Name: "main"}}},
		Status: corev1.PodStatus{Phase: phase},
	}
}

// notes is a writer that is safe for concurrent use.
type notes struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (n *notes) Write(p []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text.Write(p)
}

func (n *notes) String() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text.String()
}

func TestFollowGoesOnAfterALossARestartAndASuspension(t *testing.T) {
	c := fakecluster.New(sandbox(false), pod("first", corev1.PodRunning))
	// Written to the tracker, because the clients wait for the reactor that runs these steps.
	pods, kind := c.Kubernetes.Tracker(), corev1.SchemeGroupVersion.WithResource("pods")
	sandboxes := c.Sandboxes.AgentsV1beta1().Sandboxes("default")
	must := func(err error) {
		if err != nil {
			t.Error(err)
		}
	}
	// Each request for logs runs one step, gets its answer, and then the connection ends.
	steps := []func() string{
		func() string { return "2026-01-01T00:00:01Z one\n2026-01-01T00:00:02Z tw" },
		func() string { return "2026-01-01T00:00:02Z two\n2026-01-01T00:00:03Z three\n" },
		func() string {
			_, err := sandboxes.Update(t.Context(), sandbox(true), metav1.UpdateOptions{})
			must(err)
			must(pods.Delete(kind, "default", "first"))
			time.AfterFunc(1500*time.Millisecond, func() {
				_, err := sandboxes.Update(context.Background(), sandbox(false), metav1.UpdateOptions{})
				must(err)
				must(pods.Create(kind, pod("second", corev1.PodRunning), "default"))
			})
			return ""
		},
		func() string { return "2026-01-01T00:00:00Z four, by an earlier clock\n" },
		func() string {
			must(pods.Update(kind, pod("second", corev1.PodSucceeded), "default"))
			return "2026-01-01T00:00:00Z four, by an earlier clock\n"
		},
		func() string { return "2026-01-01T00:00:00Z four, by an earlier clock\n2026-01-01T00:00:09Z five\n" },
	}
	asked := 0
	c.Kubernetes.PrependReactor("get", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
		if action.GetSubresource() != "log" {
			return false, nil, nil
		}
		if _, err := pods.Get(kind, "default", "first"); err != nil {
			if _, err := pods.Get(kind, "default", "second"); err != nil {
				return true, nil, err // the follower does not know yet that the first is gone
			}
		}
		if asked == len(steps) {
			return true, nil, errors.New("asked once too often")
		}
		asked++
		return true, &runtime.Unknown{Raw: []byte(steps[asked-1]())}, nil
	})
	var out, errOut notes
	f := &fake.Factory{SandboxesClient: c.Sandboxes, KubernetesClient: c.Kubernetes}
	cmd := NewCommand(f, genericiooptions.IOStreams{Out: &out, ErrOut: &errOut})
	cmd.SetArgs([]string{"dev", "-f", "--tail", "10"})
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if err := cmd.ExecuteContext(ctx); err != nil {
		t.Errorf("%v, after %d requests", err, asked)
	}
	if want := "one\ntwo\nthree\nfour, by an earlier clock\nfive\n"; out.String() != want {
		t.Errorf("got %q", out.String())
	}
	if !strings.Contains(errOut.String(), "suspended: waiting") {
		t.Errorf("remarks: %q", errOut.String())
	}
}

func TestFollowEndsWhenTheSandboxIsDeleted(t *testing.T) {
	c := fakecluster.New(sandbox(false), pod("first", corev1.PodRunning))
	c.Kubernetes.PrependReactor("get", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
		if action.GetSubresource() != "log" {
			return false, nil, nil
		}
		sandboxes := c.Sandboxes.AgentsV1beta1().Sandboxes("default")
		if err := sandboxes.Delete(t.Context(), "dev", metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
		return true, &runtime.Unknown{Raw: []byte("2026-01-01T00:00:01Z last\n")}, nil
	})
	var out, errOut notes
	cmd := NewCommand(
		&fake.Factory{SandboxesClient: c.Sandboxes, KubernetesClient: c.Kubernetes},
		genericiooptions.IOStreams{Out: &out, ErrOut: &errOut},
	)
	cmd.SetArgs([]string{"dev", "-f"})
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if err := cmd.ExecuteContext(ctx); err != nil || out.String() != "last\n" {
		t.Errorf("got %q, %v", out.String(), err)
	}
}
