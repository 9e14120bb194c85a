// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package target

import (
	"context"
	"fmt"
	"io"
	"time"

	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/terminal"
)

const (
	// markVariable is the variable by which the processes of a command are found when their time is over.
	markVariable = "KUBECTL_SANDBOX_EXEC"
	markLength   = 16
	// killTimeout is how long it may take to end the processes.
	killTimeout = 20 * time.Second
)

// killAll ends all processes whose variables include $1: with SIGTERM, and with SIGKILL what is still there after two
// seconds. It fails if a process remains.
const killAll = `signal=TERM; for pass in 1 2 3 4 5 6; do
  found=
  for process in /proc/[0-9]*; do
    if { tr '\0' '\n' <"$process/environ" | grep -qxF "$1"; } 2>/dev/null; then
      found=1; kill -s "$signal" "${process#/proc/}" 2>/dev/null
    fi
  done
  if [ -z "$found" ]; then exit 0; fi
  if [ "$pass" -ge 3 ]; then signal=KILL; fi
  sleep 1
done; exit 1`

// RunWithin is like RunProcess for a command that may run for that long; 0 is without limit. A command whose time is
// over is ended, with the processes that it started, and the error is a timeout.
func (c *Container) RunWithin(
	ctx context.Context, session *terminal.Session, o *ProcessOptions, command []string, limit time.Duration,
) error {
	mark := cli.EnvVar{Name: markVariable, Value: rand.String(markLength)}
	marked := *o
	if limit > 0 {
		marked.env = append(append([]cli.EnvVar{}, o.env...), mark)
	}
	return Within(ctx, c.Factory.Clock(), limit,
		func(ctx context.Context) error { return c.RunProcess(ctx, session, &marked, command) },
		func(ctx context.Context) error { return c.kill(ctx, mark) })
}

// Within runs a command that may run for that long; 0 is without limit. When the time is over it calls end, whose error
// says that the command may still run, and cancels the context of the command. The error is then a timeout.
func Within(
	ctx context.Context, clock clock.WithTicker, limit time.Duration, run, end func(context.Context) error,
) error {
	if limit <= 0 {
		return run(ctx)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error, 1)
	timer := clock.NewTimer(limit)
	defer timer.Stop()
	go func() { ended <- run(ctx) }()
	select {
	case err := <-ended:
		return err
	case <-timer.C():
	}
	failed := end(ctx)
	cancel()
	<-ended //nolint:errcheck // The terminal is restored. How a killed command ended says nothing.
	if failed != nil {
		return cli.TimeoutError(fmt.Errorf(
			"the command was not done after %s, and its processes may still run: %w", limit, failed,
		))
	}
	return cli.TimeoutError(fmt.Errorf("the command was not done after %s and was ended", limit))
}

// kill ends the processes that have the variable.
func (c *Container) kill(ctx context.Context, mark cli.EnvVar) error {
	ctx, cancel := context.WithTimeout(ctx, killTimeout)
	defer cancel()
	return c.Network.Exec(ctx, c.Address, stream.Process{
		Command: []string{"sh", "-c", killAll, "sh", mark.Name + "=" + mark.Value}, Stdout: io.Discard, Stderr: io.Discard,
	})
}
