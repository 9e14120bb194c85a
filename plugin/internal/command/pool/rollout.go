// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/await"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/pool"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

const (
	// rolloutInterval is how often a pool and its members are read.
	rolloutInterval = time.Second
	// failureDelay is how long a failure must last before the waiting ends: the operator may be about to act.
	failureDelay = 3 * time.Second
)

// RolloutOptions select the pools and say how long to wait.
type RolloutOptions struct {
	Selection cli.SelectionOptions
	Waiting   cli.WaitOptions
}

func newRolloutCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	cmd := &cobra.Command{
		Use:        "rollout",
		SuggestFor: []string{"status", "wait"},
		Short:      "Follow how pools replace their sandboxes",
		Long: "A pool rolls out a template: when the template, or the pool's reference to it, changes, the pool replaces\n" +
			"its unclaimed sandboxes as its update strategy says.",
		Example: "  kubectl sandbox pool rollout status python-warm",
	}
	cmd.AddCommand(newRolloutStatusCommand(f, streams))
	return cmd
}

func newRolloutStatusCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := &RolloutOptions{}
	cmd := &cobra.Command{
		Use:   "status NAME... | --all | -l SELECTOR",
		Short: "Wait until all sandboxes of pools are of the newest template",
		Long: "status waits until a pool has all its sandboxes, and each is ready and of the newest version of the\n" +
			"template. It reports meanwhile how many are, and what blocks the others.\n\n" +
			"Exit code 0 means that it is done, 124 that the timeout expired, and 1 that it does not happen until\n" +
			"somebody changes something: the template does not exist, its sandboxes cannot start, or the pool was\n" +
			"deleted.\n\n" +
			"With the update strategy OnReplenish, older sandboxes stay until claims take them, so that this may\n" +
			"take as long as it takes claims to arrive.",
		Example: "  # Change a template, and wait until the pool has no sandbox of the earlier version\n" +
			"  kubectl sandbox template apply -f template.yaml\n" +
			"  kubectl sandbox pool rollout status python-warm --timeout 10m\n\n" +
			"  # See how far it is, without waiting\n" +
			"  kubectl sandbox pool rollout status python-warm --timeout 0",
		ValidArgsFunction: cli.CompletePools(f),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Selection.Names = args
			if err := o.Selection.Validate(); err != nil {
				return err
			}
			return o.Run(cmd.Context(), f, streams)
		},
	}
	o.Selection.AddFlagsFor(cmd, resolve.KindPool)
	o.Selection.AddQuietFlag(cmd)
	o.Waiting.AddTimeoutFlag(cmd)
	return cmd
}

// Run waits for all selected pools at the same time.
func (o *RolloutOptions) Run(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams) error {
	a, err := factory.NewClients(f)
	if err != nil {
		return err
	}
	pools, failed := cli.Select(ctx, &o.Selection, a.Namespace, a.Pools.Pool, a.Pools.Pools)
	if len(pools) == 0 && failed == nil {
		return o.Selection.ErrNoneSelected(a.Namespace)
	}
	errOut := &sharedWriter{out: streams.ErrOut}
	if o.Waiting.Timeout != 0 && len(pools) > 0 {
		defer a.WarnWithoutOperator(ctx, pools[0].Namespace, func() {}, errOut)()
	}
	progress := o.Selection.ProgressOut(errOut)
	return errors.Join(failed, cli.ForEach(streams.Out, pools,
		func(p extensionsv1beta1.SandboxWarmPool) (string, error) {
			waiter := rolloutWaiter{factory: f, access: a, namespace: p.Namespace, name: p.Name, uid: p.UID, progress: progress}
			ref := resolve.Ref{Kind: resolve.KindPool, Name: p.Name}
			return o.Selection.Result(cli.Selected{Namespace: p.Namespace, Ref: ref}, "rolled out"),
				waiter.wait(ctx, o.Waiting.Timeout)
		}))
}

// sharedWriter is an output that the pools and the warning about the operator share. It is safe for concurrent use.
type sharedWriter struct {
	mu  sync.Mutex
	out io.Writer
}

// Write implements io.Writer.
func (w *sharedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.out.Write(p)
}

// rolloutWaiter waits for one pool.
type rolloutWaiter struct {
	factory         factory.Factory
	access          *factory.Clients
	namespace, name string
	uid             types.UID
	progress        io.Writer

	waiting     string
	failedSince time.Time
}

// wait reads the pool until its rollout is done, has failed, or the time is over.
func (w *rolloutWaiter) wait(ctx context.Context, timeout time.Duration) error {
	clock := w.factory.Clock()
	begun := clock.Now()
	tick := clock.NewTicker(rolloutInterval)
	defer tick.Stop()
	for first := true; ; first = false {
		rollout, err := w.read(ctx, first)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil || rollout.Done:
			return err
		case w.failed(rollout, clock.Now()):
			return fmt.Errorf("pool %s does not roll out: %s", w.name, rollout.Waiting)
		case timeout == 0:
			return cli.TimeoutError(fmt.Errorf("pool %s is not rolled out: %s", w.name, rollout.Waiting))
		case timeout > 0 && clock.Since(begun) >= timeout:
			return cli.TimeoutError(
				fmt.Errorf("timed out after %s waiting for pool %s: %s", timeout, w.name, rollout.Waiting),
			)
		}
		if rollout.Waiting != w.waiting {
			w.waiting = rollout.Waiting
			_, _ = fmt.Fprintf(w.progress, "Waiting for pool %s: %s\n", w.name, printable.Line(rollout.Waiting)) // best effort
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C():
		}
	}
}

// read returns how far the pool is. An error that may pass is something to wait for, except at the first read.
func (w *rolloutWaiter) read(ctx context.Context, first bool) (pool.Rollout, error) {
	p, rollout, err := w.access.Pools.Rollout(ctx, w.namespace, w.name)
	switch {
	case err == nil && p.UID != w.uid:
		return pool.Rollout{}, fmt.Errorf("pool %s was deleted, and another one has its name", w.name)
	case err != nil && !first && await.Transient(err):
		return pool.Rollout{Waiting: fmt.Sprintf("the API server does not answer, trying again: %v", err)}, nil
	}
	return rollout, err
}

// failed reports whether the rollout has failed for long enough.
func (w *rolloutWaiter) failed(rollout pool.Rollout, now time.Time) bool {
	if !rollout.Failed {
		w.failedSince = time.Time{}
		return false
	}
	if w.failedSince.IsZero() {
		w.failedSince = now
	}
	return now.Sub(w.failedSince) >= failureDelay
}
