// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package wait

import (
	"context"
	"errors"
	"fmt"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/target"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// validateExec checks the flags that go together with --exec.
func (o *Options) validateExec() error {
	if len(o.Selection.Names) != 1 {
		return errors.New("--exec is about one sandbox: give one NAME")
	}
	if o.For != "" || o.ExitCode {
		return errors.New("--exec waits for a command, and always passes on its exit code: leave out --for and --exit-code")
	}
	return target.CheckDetachedName(o.Exec)
}

// ofCommand waits for a detached command and passes on its exit code.
func (o *Options) ofCommand(ctx context.Context, f factory.Factory) error {
	ref, err := resolve.Parse(o.Selection.Names[0])
	if err != nil {
		return cli.UsageError(err)
	}
	container, err := target.Resolve(ctx, f, ref, o.Container)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if o.Waiting.Timeout >= 0 {
		timer := f.Clock().NewTimer(o.Waiting.Timeout)
		defer timer.Stop()
		go func() {
			select {
			case <-timer.C():
				cancel(fmt.Errorf("timed out after %s waiting for command %s", o.Waiting.Timeout, o.Exec))
			case <-ctx.Done():
			}
		}()
	}
	code, err := container.AwaitEnd(ctx, o.Exec)
	if err != nil && ctx.Err() != nil && !errors.Is(context.Cause(ctx), context.Canceled) {
		return cli.TimeoutError(context.Cause(ctx))
	}
	if err != nil {
		return err
	}
	return cli.RemoteExitError(code)
}
