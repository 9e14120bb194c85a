// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package logs

import (
	"context"
	"errors"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/target"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// validateExec checks the flags that go together with --exec.
func (o *Options) validateExec() error {
	if len(o.Selection.Names) != 1 {
		return errors.New("--exec is about one sandbox: give one NAME")
	}
	if o.Previous || o.Timestamps || o.Since != 0 {
		return errors.New("--exec goes together with none of --previous, --timestamps and --since")
	}
	return target.CheckDetachedName(o.Exec)
}

// ofCommand prints the output of a detached command.
func (o *Options) ofCommand(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams) error {
	ref, err := resolve.Parse(o.Selection.Names[0])
	if err != nil {
		return err
	}
	container, err := target.Resolve(ctx, f, ref, o.Container)
	if err != nil {
		return err
	}
	return container.Output(ctx, o.Exec, o.Tail, o.Follow, streams.Out)
}
