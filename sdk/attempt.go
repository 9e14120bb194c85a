// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sdk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/streaming/pkg/httpstream"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/files"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/internal/liveness"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/internal/retry"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/runtimeclient"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/tunnel"
)

// errAttempt is the cause of the end of an attempt that took too long.
var errAttempt = fmt.Errorf("%w: no answer within the request timeout", ErrTimeout)

// limit returns a context for the part of an attempt before the remote end begins to answer.
func (s *Sandbox) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, s.client.requestTimeout, errAttempt)
}

// Retry calls attempt until it succeeds, up to six times, with the pauses that Read and Write make: while connections
// break, servers answer 500, 502, 503 or 504, or the Pod is being replaced. It returns other errors at once. It is for
// commands that may run twice; Run sends a command once.
func (s *Sandbox) Retry(ctx context.Context, attempt func(ctx context.Context) error) error {
	return s.retry(ctx, func() error { return attempt(ctx) })
}

// retry repeats what may be repeated, because it is the same to do it twice.
func (s *Sandbox) retry(ctx context.Context, attempt func() error) error {
	return retry.Do(ctx, s.client.clock, attempt, func(err error) retry.Verdict {
		verdict := retry.Verdict{Again: transient(err)}
		if answer, ok := errors.AsType[*runtimeclient.StatusError](err); ok {
			verdict.After = answer.RetryAfter
		}
		return verdict
	})
}

// transient reports whether another attempt may succeed: connections broke, a server is overloaded, or the sandbox's
// Pod is being replaced.
func transient(err error) bool {
	var port *tunnel.PortError // what listens may be about to start
	switch {
	case errors.Is(err, ErrRetriesExhausted): // attempts of attempts would take very long
		return false
	case errors.Is(err, ErrDeleted):
		return false
	case errors.Is(err, errAttempt), errors.As(err, &port), errors.Is(err, tunnel.ErrLost):
		return true
	}
	if state, ok := errors.AsType[*resolve.Error](err); ok {
		return state.Cause == resolve.NotReady
	}
	if answer, ok := errors.AsType[*runtimeclient.StatusError](err); ok {
		return answer.Temporary()
	}
	if _, lost := errors.AsType[*stream.LostError](err); lost {
		return true
	}
	if upgrade, ok := errors.AsType[*httpstream.UpgradeFailureError](err); ok && upgrade.Cause != nil {
		err = upgrade.Cause
	}
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		return apierrors.IsServerTimeout(err) || apierrors.IsTimeout(err) || apierrors.IsTooManyRequests(err) ||
			apierrors.IsServiceUnavailable(err) || apierrors.IsInternalError(err)
	}
	var network net.Error
	return errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// target resolves the handle to its objects.
func (s *Sandbox) target(ctx context.Context) (*resolve.Target, error) {
	limited, cancel := s.limit(ctx)
	defer cancel()
	ref, _ := s.reference()
	t, err := s.client.resolver.Objects(limited, s.namespace, ref)
	if err != nil && ctx.Err() == nil && limited.Err() != nil {
		return nil, fmt.Errorf("%w: look up the sandbox: %w", errAttempt, err)
	}
	if err == nil {
		err = s.pin(t)
		t.Ref = s.asked // for messages
	}
	return t, err
}

// runningTarget resolves the handle to its objects if its Pod runs: it may have been replaced since the last operation.
func (s *Sandbox) runningTarget(ctx context.Context) (*resolve.Target, error) {
	t, err := s.target(ctx)
	if err == nil {
		err = resolve.CheckRunning(t, s.client.clock.Now())
	}
	return t, err
}

// container returns the container in which commands run now, and a network that notices when it is gone.
func (s *Sandbox) container(ctx context.Context) (stream.Network, stream.Container, error) {
	t, err := s.target(ctx)
	if err != nil {
		return nil, stream.Container{}, err
	}
	in, err := t.RunningContainer("", s.client.clock.Now())
	if err != nil {
		return nil, stream.Container{}, err
	}
	return attendedNetwork{s.client.clients.Network, s, t.Pod.UID}, in, nil
}

// attendedNetwork runs commands that end when their Pod is gone, even if no connection breaks.
type attendedNetwork struct {
	stream.Network
	sandbox *Sandbox
	pod     types.UID
}

// Exec implements stream.Network.
func (n attendedNetwork) Exec(ctx context.Context, in stream.Container, process stream.Process) error {
	var pulse liveness.Pulse
	ctx, stop := pulse.Attend(ctx, n.sandbox.client.clock, n.sandbox.client.requestTimeout, n.check)
	defer stop()
	process.Stdout, process.Stderr = pulse.Writer(process.Stdout), pulse.Writer(process.Stderr)
	err := n.Network.Exec(ctx, in, process)
	if lost, ok := errors.AsType[*stream.LostError](context.Cause(ctx)); ok && err != nil {
		return lost
	}
	return err
}

// check returns an error if the Pod is certainly gone.
func (n attendedNetwork) check(ctx context.Context) error {
	t, err := n.sandbox.target(ctx)
	gone := func(why string) error { return &stream.LostError{Cause: errors.New(why)} }
	switch {
	case resolve.Is(err, resolve.NotFound), errors.Is(err, ErrDeleted):
		return gone("the sandbox was deleted")
	case err != nil:
		return nil //nolint:nilerr // not known: the connection has signs of life of its own
	case t.Pod == nil || t.Pod.UID != n.pod:
		return gone("its Pod is gone")
	case resolve.Ended(t.Pod):
		return gone("its Pod has ended")
	case t.Pod.DeletionTimestamp != nil && n.sandbox.client.clock.Now().After(t.Pod.DeletionTimestamp.Time):
		return gone("its Pod should have ended by now, but its node does not say so")
	}
	return nil
}

// copier returns a Copier for the sandbox's container.
func (s *Sandbox) copier(ctx context.Context, options files.Options) (*files.Copier, error) {
	network, in, err := s.container(ctx)
	if err != nil {
		return nil, err
	}
	return files.New(network, in, options), nil
}
