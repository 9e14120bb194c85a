// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package portforward

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/streaming/pkg/httpstream"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/follow"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
)

const (
	// patience is how long a connection waits for a sandbox that does not run.
	patience = 30 * time.Second
	// redial is how long we wait after a dial that failed.
	redial = 200 * time.Millisecond
)

// line leads to the Pod that the sandbox has at the moment.
type line struct {
	network stream.Network
	clock   clock.Clock
	sandbox *follow.Follower
}

// dial waits for a Pod and connects to it. A Pod may be replaced and the API server be away meanwhile: it tries again.
func (l *line) dial(ctx context.Context) (httpstream.Connection, error) {
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		t, err := l.sandbox.Running(limited)
		if err != nil {
			return nil, err
		}
		connection, err := l.network.Forward(limited, t.Namespace, t.Pod.Name)
		if err == nil || apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err) {
			return connection, err
		}
		l.sandbox.Look()
		timer := l.clock.NewTimer(redial)
		select {
		case <-timer.C():
		case <-limited.Done():
			timer.Stop()
			return nil, fmt.Errorf("given up after %s: %w", patience, err)
		}
	}
}
