// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/sdk"
)

// Sandbox is the part of *sdk.Sandbox that a rollout uses.
type Sandbox interface {
	Run(ctx context.Context, command ...string) (sdk.Result, error)
	Suspend(ctx context.Context) error
	Resume(ctx context.Context) error
	Close(ctx context.Context) error
}

// loop is what all rollouts share.
type loop struct {
	clock clock.PassiveClock
	turns int
	// claim returns a sandbox that is ready.
	claim func(ctx context.Context) (Sandbox, error)
	// model chooses the action of a turn.
	model func(ctx context.Context, turn int) (action string, err error)
}

// A part of a rollout, as the report shows it.
type part string

const (
	partClaim   part = "claim"
	partStep    part = "step"
	partSuspend part = "suspend"
	partThink   part = "think"
	partResume  part = "resume"
)

// trajectory is the result of a rollout.
type trajectory struct {
	rewards []int
	took    map[part][]time.Duration
}

// measure does a part of a rollout and records how long it took.
func (t *trajectory) measure(c clock.PassiveClock, name part, do func() error) error {
	began := c.Now()
	err := do()
	t.took[name] = append(t.took[name], c.Since(began))
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// rollout claims a sandbox, takes all turns in it, and deletes it.
func (l *loop) rollout(ctx context.Context) (done trajectory, err error) {
	done.took = map[part][]time.Duration{}
	var box Sandbox
	if err := done.measure(l.clock, partClaim, func() (err error) {
		box, err = l.claim(ctx)
		return err
	}); err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, box.Close(ctx)) }()
	for turn := 1; turn <= l.turns; turn++ {
		if err := l.turn(ctx, box, turn, &done); err != nil {
			return done, fmt.Errorf("turn %d: %w", turn, err)
		}
	}
	return done, nil
}

// turn suspends the sandbox while the model chooses an action, resumes it, and takes the action.
func (l *loop) turn(ctx context.Context, box Sandbox, turn int, done *trajectory) error {
	var action string
	think := func() (err error) {
		action, err = l.model(ctx, turn)
		return err
	}
	step := func() error {
		reward, err := take(ctx, box, action)
		done.rewards = append(done.rewards, reward)
		return err
	}
	for _, next := range []struct {
		name part
		do   func() error
	}{
		{partSuspend, func() error { return box.Suspend(ctx) }}, {partThink, think},
		{partResume, func() error { return box.Resume(ctx) }}, {partStep, step},
	} {
		if err := done.measure(l.clock, next.name, next.do); err != nil {
			return err
		}
	}
	return nil
}

// take carries out an action, whose output is the reward.
func take(ctx context.Context, box Sandbox, action string) (reward int, err error) {
	result, err := box.Run(ctx, "sh", "-c", action)
	if err != nil {
		return 0, err
	}
	if result.ExitCode != 0 {
		return 0, fmt.Errorf("%q ended with exit code %d: %s", action, result.ExitCode, result.Stderr)
	}
	if reward, err = strconv.Atoi(strings.TrimSpace(string(result.Stdout))); err != nil {
		return 0, fmt.Errorf("%q printed no reward: %w", action, err)
	}
	return reward, nil
}
