// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tui

import (
	"errors"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"
	clocktesting "k8s.io/utils/clock/testing"

	b "github.com/agent-sandbox/kubectl-sandbox/test/builders"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakecluster"
)

func TestOneFrameFailsOnlyIfNothingCouldBeRead(t *testing.T) {
	for name, down := range map[string]bool{"an answer": false, "no answer": true} {
		t.Run(name, func(t *testing.T) {
			cluster := fakecluster.New(b.Sandbox("dev"))
			away := func(clienttesting.Action) (bool, runtime.Object, error) {
				return down, nil, errors.New("connection refused")
			}
			cluster.Sandboxes.PrependReactor("list", "*", away)
			cluster.Kubernetes.PrependReactor("list", "*", away)
			now := clocktesting.NewFakeClock(noon)
			o := Options{Sandboxes: cluster.Sandboxes, Kubernetes: cluster.Kubernetes, Namespace: "default", Clock: now}
			var out strings.Builder
			ended := make(chan error, 1)
			go func() { ended <- Once(t.Context(), o, &out, 80) }()
			tick := time.NewTicker(20 * time.Millisecond)
			defer tick.Stop()
			for {
				select {
				case <-tick.C:
					now.Step(100 * time.Millisecond)
					continue
				case err := <-ended:
					if (err != nil) != down || (down && !strings.Contains(err.Error(), "connection refused")) {
						t.Errorf("error %v", err)
					}
				}
				break
			}
			if shown := strings.Contains(out.String(), "dev"); shown == down ||
				(down && !strings.Contains(out.String(), "disconnected")) {
				t.Errorf("the frame:\n%s", &out)
			}
		})
	}
}
