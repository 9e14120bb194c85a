// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/files"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
)

const (
	// localInterval is how often a local source is looked at. Looking takes no connection, and works with every file
	// system and any number of directories.
	localInterval = 500 * time.Millisecond
	// remoteInterval is how often a source in a sandbox is looked at, and the wait after a failure.
	remoteInterval = 2 * time.Second
)

// watcher synchronizes what changes.
type watcher struct {
	*Options
	factory factory.Factory
	streams genericiooptions.IOStreams

	copier *files.Copier
	opened bool // once: the sandbox may not be running later
	// synced is the state of a local source that the destination has; unset before the first time.
	synced files.Snapshot
	done   bool
	failed string
}

// watch synchronizes until the context ends, or the sandbox is gone.
func (o *Options) watch(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams) error {
	w := &watcher{Options: o, factory: f, streams: streams}
	w.say(fmt.Sprintf("Watching %s for changes. Ctrl-C ends it.", o.Source))
	for {
		wait, err := w.step(ctx)
		if err != nil {
			return err
		}
		if err := sleep(ctx, f.Clock(), wait); err != nil {
			return err
		}
	}
}

// step looks at the source once and synchronizes what has changed. It returns how long to wait before the next step. An
// error ends the watch; whatever may be over later is only reported, once.
func (w *watcher) step(ctx context.Context) (time.Duration, error) {
	err := w.syncChanges(ctx)
	switch {
	case err != nil && ctx.Err() != nil:
		return 0, ctx.Err()
	case err != nil && (!w.opened || apierrors.IsNotFound(err)):
		return 0, err
	case err != nil:
		if text := w.failure(err).Error(); text != w.failed {
			w.failed = text
			w.say("Error: " + text + "; trying again")
		}
		w.copier = nil // the sandbox may have another Pod now
		return remoteInterval, nil
	}
	w.failed = ""
	if w.from.Remote {
		return remoteInterval, nil
	}
	return localInterval, nil
}

// syncChanges synchronizes if the source has changed, as far as this machine can tell.
func (w *watcher) syncChanges(ctx context.Context) error {
	if w.copier == nil {
		c, err := w.open(ctx, w.factory, w.streams, nil)
		if err != nil {
			return err
		}
		w.copier, w.opened = c, true
	}
	var now files.Snapshot
	var changed map[string]bool
	if !w.from.Remote {
		var err error
		if now, err = w.copier.Snapshot(w.from.Path); err != nil {
			return err
		}
		changed = now.Since(w.synced)
		if w.done && len(changed) == 0 {
			return nil
		}
	}
	if !w.done {
		changed = nil // everything is new: compare
	}
	report, err := w.sync(ctx, w.copier, changed, w.Yes)
	if err != nil {
		return err
	}
	first := !w.done
	w.synced, w.done = now, true
	if first || len(report.Copied)+len(report.Deleted) > 0 {
		return w.print(w.streams.Out, report)
	}
	return nil
}

func (w *watcher) say(text string) {
	_, _ = printable.Fprintf(w.streams.ErrOut, "%s\n", text) // best effort
}

// sleep waits. If the context ends meanwhile, it returns the exit code of an interruption, without a message: nothing
// was interrupted, and Ctrl-C is how a watch ends.
func sleep(ctx context.Context, clock clock.Clock, wait time.Duration) error {
	timer := clock.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C():
		return nil
	case <-ctx.Done():
		return &cli.ExitError{Code: cli.ExitInterrupted}
	}
}
