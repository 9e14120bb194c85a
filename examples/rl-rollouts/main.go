// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// The program rl-rollouts runs rollouts of reinforcement learning in parallel, each in a sandbox of its own, and prints
// how long their parts took. While a model chooses the next action, the sandbox is suspended and uses no CPU and no
// memory.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/sdk"
)

func main() {
	pool := flag.String("pool", "rollouts", "The SandboxWarmPool of the sandboxes.")
	rollouts := flag.Int("rollouts", 2, "How many rollouts run in parallel.")
	turns := flag.Int("turns", 3, "How many turns a rollout has.")
	thinking := flag.Duration("thinking", 2*time.Second, "How long the model takes to choose an action.")
	flag.Parse()
	client, err := sdk.New(nil)
	if err == nil {
		stop := client.CleanUpOnSignals()
		model := func(ctx context.Context, turn int) (string, error) { return think(ctx, *thinking, turn) }
		err = run(context.Background(), &loop{
			clock: clock.RealClock{}, turns: *turns, model: model,
			claim: func(ctx context.Context) (Sandbox, error) {
				return client.Create(ctx, sdk.Spec{Pool: *pool, TTL: time.Hour})
			},
		}, *rollouts, os.Stdout)
		stop()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "rl-rollouts:", err)
		os.Exit(1)
	}
}

// think stands for a model that takes its time: replace it by a request to yours. The action is a command for the
// sandbox.
func think(ctx context.Context, thinking time.Duration, turn int) (action string, err error) {
	select {
	case <-time.After(thinking):
		return fmt.Sprintf("echo %d >> /state/actions && wc -l < /state/actions", turn), nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// run runs the rollouts and prints the report. The first that fails ends all.
func run(ctx context.Context, l *loop, rollouts int, out io.Writer) error {
	if rollouts < 1 || l.turns < 1 {
		return errors.New("-rollouts and -turns must be 1 or more")
	}
	group, ctx := errgroup.WithContext(ctx)
	results := make([]trajectory, rollouts)
	for i := range rollouts {
		group.Go(func() (err error) {
			results[i], err = l.rollout(ctx)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return report(out, results)
}
