// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package follow

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/streaming/pkg/httpstream"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
)

const (
	// DialTimeout is how long Dial waits for a sandbox that is not running.
	DialTimeout = 30 * time.Second
	// redialPause is the pause after a failed dial.
	redialPause = 200 * time.Millisecond
)

// Dial waits for a running Pod and connects to it, for port forwarding. It tries again if the Pod is replaced or the
// API server is unavailable. Run must be running.
func (f *Follower) Dial(ctx context.Context, network stream.Network) (httpstream.Connection, error) {
	limited, cancel := context.WithTimeout(ctx, DialTimeout)
	defer cancel()
	for {
		t, err := f.Running(limited)
		if err != nil {
			return nil, err
		}
		connection, err := network.Forward(limited, t.Namespace, t.Pod.Name)
		if err == nil || apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err) {
			return connection, err
		}
		f.Recheck()
		timer := f.clock.NewTimer(redialPause)
		select {
		case <-timer.C():
		case <-limited.Done():
			timer.Stop()
			return nil, fmt.Errorf("given up after %s: %w", DialTimeout, err)
		}
	}
}
