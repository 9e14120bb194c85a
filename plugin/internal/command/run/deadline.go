// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"fmt"
	"io"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/util/retry"
	"k8s.io/utils/clock"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/provision"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/sandbox"
)

const (
	// lease is how long a sandbox outlives a client that could not delete it.
	lease = time.Hour
	// renewInterval is how often the deadline is extended. After a failure there are two more attempts before it passes.
	renewInterval = lease / 3
)

// setDeadline sets a time at which the cluster deletes the sandbox, in case this process does not.
func (o *Options) setDeadline() {
	if !o.Remove {
		return
	}
	if o.Sandbox.TTL == 0 {
		o.Sandbox.TTL, o.held = lease, !o.Detach
	}
	if o.Sandbox.ShutdownPolicy == "" {
		o.Sandbox.ShutdownPolicy = string(agentsv1beta1.ShutdownPolicyDelete)
	}
}

// explainExpiry adds to the error of a lost connection that the time which the user gave the sandbox is over.
func (o *Options) explainExpiry(err error, end, now time.Time) error {
	if o.held || end.IsZero() || now.Before(end) || cli.ExitCode(err) != cli.ExitConnectionLost {
		return err
	}
	return cli.ConnectionLostError(fmt.Errorf("the sandbox's time (--ttl %s) is over: %w", o.Sandbox.TTL, err))
}

// deadlineKeeper extends the deadline of the created sandbox while the command runs.
type deadlineKeeper struct {
	access *factory.Clients
	clock  clock.WithTicker
	made   *provision.Created
	errOut io.Writer
}

// keep extends the deadline until the context ends, the sandbox is gone, or the deadline is not ours to extend. It does
// not print errors that may be temporary.
func (h *deadlineKeeper) keep(ctx context.Context) {
	ticker := h.clock.NewTicker(renewInterval)
	defer ticker.Stop()
	ours := sandbox.ShutdownTime(h.made.Target())
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C():
		}
		end, err := h.renew(ctx, ours)
		switch {
		case err == nil && end.IsZero(), resolve.Is(err, resolve.NotFound):
			return
		case err == nil:
			ours = end
		case apierrors.IsForbidden(err):
			_, _ = fmt.Fprintf(h.errOut, "Warning: %s ends at %s, even if the command is still running, because its deadline "+
				"cannot be extended: %s. --ttl sets another time\n",
				h.made.Ref(), ours.Format(time.RFC3339), printable.Line(err.Error())) // best effort
			return
		}
	}
}

// renew extends the deadline unless somebody else has changed it since. It returns the new deadline, or the zero time
// if it left the deadline alone.
func (h *deadlineKeeper) renew(ctx context.Context, ours time.Time) (end time.Time, err error) {
	err = retry.RetryOnConflict(retry.DefaultRetry, func() error {
		t, err := h.access.Resolver.ClaimAndSandbox(ctx, h.access.Namespace, h.made.Ref())
		if err != nil {
			return err
		}
		if t.UID() != h.made.Target().UID() || !sandbox.ShutdownTime(t).Equal(ours) {
			end = time.Time{}
			return nil
		}
		end = h.clock.Now().Add(lease).Truncate(time.Second)
		return h.access.Client.SetShutdownTime(ctx, t, end)
	})
	return end, err
}
