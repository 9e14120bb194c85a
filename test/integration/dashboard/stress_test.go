// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis/client/clientset/versioned"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
	"github.com/agent-sandbox/kubectl-sandbox/test/integration/apiserver"
	"github.com/agent-sandbox/kubectl-sandbox/test/screen"
)

// outage is how long the API server is down: longer than the longest backoff, 30 s. Other tests run meanwhile.
const outage = 45 * time.Second

func TestTheServerMayBeAwayForLong(t *testing.T) {
	t.Parallel()
	own, err := apiserver.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := own.Stop(); err != nil {
			t.Error(err)
		}
	})
	namespace := own.Namespace(t)
	c := createObjects(t, own, namespace)
	s := screen.Start(t, 120, 30, command(t, own.Kubeconfig(), "-n", namespace))
	s.Until("POOLS 1", "own")
	if err := own.Pause(); err != nil {
		t.Fatal(err)
	}
	s.Until("disconnected", "POOLS 1", "own") // the cached objects are still shown
	s.Type("\tdy")                            // an action during the outage fails with a message
	s.Until("refused")
	s.Within(2*outage, "the age of the stale data", func(text string) bool {
		_, since, stale := strings.Cut(text, "stale for ")
		since, _, _ = strings.Cut(since, ":")
		age, err := time.ParseDuration(since)
		return stale && err == nil && age >= outage
	})
	if text := s.Text(); !strings.Contains(text, "own") || !strings.Contains(text, "POOLS 1") {
		t.Errorf("the cached objects are no longer shown:\n%s", text)
	}
	if err := own.Resume(); err != nil {
		t.Fatal(err)
	}
	s.UntilTrue("connected again", func(text string) bool { return !strings.Contains(text, "disconnected") })
	if _, err := c.AgentsV1beta1().Sandboxes(namespace).Create(t.Context(),
		builders.Sandbox("later", builders.InNamespace(namespace)), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	s.Until("later")
	s.Type("q")
	if err := s.Left(); err != nil {
		t.Error(err)
	}
}

// The number and the pace of the random inputs and of the changes in the cluster.
const (
	randomSteps   = 300
	stepInterval  = 15 * time.Millisecond
	churnInterval = 10 * time.Millisecond
)

func TestRandomSizesAndClicksWhileEventsArrive(t *testing.T) {
	t.Parallel()
	namespace := server.Namespace(t)
	c := createObjects(t, server, namespace)
	s := screen.Start(t, 120, 30, command(t, server.Kubeconfig(), "-n", namespace))
	s.Until("POOLS 1", "own")
	ctx, stopChurn := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { churnSandboxes(ctx, t, c, namespace) })
	keys := []string{
		"j", "k", "g", "G", "\t", "\r", "t", "?", "f", "y", "o", "n", screen.Esc, "\x1b[A", "\x1b[B", "\x1b[5~", "\x1b[6~",
	}
	random, pace := rand.New(rand.NewPCG(6, 2026)), time.NewTicker(stepInterval)
	defer pace.Stop()
	for range randomSteps {
		<-pace.C
		x, y := random.IntN(200), random.IntN(60)
		switch random.IntN(4) {
		case 0:
			s.Resize(x, y)
		case 1:
			s.Type(screen.Click(x, y))
		case 2:
			s.Type(screen.Wheel(x, y, random.IntN(2) == 0))
		default:
			s.Type(keys[random.IntN(len(keys))])
		}
	}
	stopChurn()
	wg.Wait()
	s.Resize(120, 30)
	goHome(s)
	s.Type("q")
	if err := s.Left(); err != nil {
		t.Error(err)
	}
}

// churnSandboxes creates, changes and deletes Sandboxes until the context ends.
func churnSandboxes(ctx context.Context, t *testing.T, c versioned.Interface, namespace string) {
	sandboxes, tick := c.AgentsV1beta1().Sandboxes(namespace), time.NewTicker(churnInterval)
	defer tick.Stop()
	for i := 0; ctx.Err() == nil; i++ {
		<-tick.C
		made, err := sandboxes.Create(t.Context(),
			builders.Sandbox(fmt.Sprintf("gust-%d", i), builders.InNamespace(namespace)), metav1.CreateOptions{})
		if err != nil {
			t.Error(err)
			return
		}
		if err := errors.Join(ready(t.Context(), c, made),
			sandboxes.Delete(t.Context(), made.Name, metav1.DeleteOptions{})); err != nil {
			t.Error(err)
			return
		}
	}
}
