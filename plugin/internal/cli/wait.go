// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package waiting holds the flags --wait and --timeout and tells on stderr what is being waited for.
package cli

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/await"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
)

// DefaultWaitTimeout is long enough to pull a large image.
const DefaultWaitTimeout = 5 * time.Minute

// WaitOptions are the flags.
type WaitOptions struct {
	Wait    bool
	Timeout time.Duration
}

// AddFlags adds --wait, which waits for what the text says, and --timeout.
func (o *WaitOptions) AddFlags(cmd *cobra.Command, until string) {
	cmd.Flags().BoolVar(&o.Wait, "wait", false, "Wait until "+until+".")
	o.AddTimeoutFlag(cmd)
}

// AddTimeoutFlag adds --timeout alone.
func (o *WaitOptions) AddTimeoutFlag(cmd *cobra.Command) {
	cmd.Flags().DurationVar(&o.Timeout, "timeout", DefaultWaitTimeout, "How long to wait, as in 90s or 10m; 0 looks once, below 0 there is no limit.")
}

// WaitProgress tells on a stream what each sandbox waits for. Several may be waited for at once.
type WaitProgress struct {
	mu  sync.Mutex
	out io.Writer
}

// NewWaitProgress returns a Progress that writes to the stream, which should be stderr.
func NewWaitProgress(out io.Writer) *WaitProgress { return &WaitProgress{out: out} }

// Of returns what to call with the obstacles of one sandbox.
func (p *WaitProgress) Of(name string, goal await.Goal) func(string) {
	return func(obstacle string) {
		p.mu.Lock()
		defer p.mu.Unlock()
		_, _ = fmt.Fprintf(p.out, "Waiting for %s to be %s: %s\n", name, goal, printable.Line(obstacle)) // progress that cannot be shown is lost
	}
}
