// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package logs

import (
	"context"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/follow"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// follow writes the logs of the current Pod and of those that replace it. While there is no Pod, it says why on stderr.
func (o *Options) follow(
	ctx context.Context, f factory.Factory, a *factory.Clients, t *resolve.Target, container string,
	streams genericiooptions.IOStreams,
) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	sandbox := follow.New(a.Resolver, a.Waiter, f.Clock(), t)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		_ = sandbox.Run(ctx, func(state follow.State) { // the last state has the error
			if remark := state.WaitingText(); remark != "" {
				_, _ = printable.Fprintf(streams.ErrOut, "%s\n", remark) // best effort
			}
		})
	}()
	err := sandbox.Logs(ctx, a.Kubernetes, o.request(container), streams.Out)
	cancel()
	<-watched
	return err
}
