// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

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

// defaultWaitTimeout allows for the pull of a large image.
const defaultWaitTimeout = 5 * time.Minute

// WaitOptions are the flags --wait and --timeout. A timeout of 0 checks once; a negative one waits without limit.
type WaitOptions struct {
	Wait    bool
	Timeout time.Duration
}

// AddFlags adds --timeout, and --wait, whose help says until when it waits.
func (o *WaitOptions) AddFlags(cmd *cobra.Command, until string) {
	cmd.Flags().BoolVar(&o.Wait, "wait", false, "Wait until "+until+".")
	o.AddTimeoutFlag(cmd)
}

// AddTimeoutFlag adds --timeout alone.
func (o *WaitOptions) AddTimeoutFlag(cmd *cobra.Command) {
	cmd.Flags().DurationVar(&o.Timeout, "timeout", defaultWaitTimeout,
		"How long to wait, as in 90s or 10m; 0 checks once, below 0 there is no limit.")
}

// WaitProgress prints what each sandbox is waiting for. It is safe for concurrent use.
type WaitProgress struct {
	mu  sync.Mutex
	out io.Writer
}

// NewWaitProgress returns a WaitProgress that prints to out, usually stderr.
func NewWaitProgress(out io.Writer) *WaitProgress { return &WaitProgress{out: out} }

// PrinterFor returns a function that prints what keeps one sandbox from reaching its goal.
func (p *WaitProgress) PrinterFor(name string, goal await.Goal) func(string) {
	return func(obstacle string) {
		p.mu.Lock()
		defer p.mu.Unlock()
		// progress is best effort
		_, _ = fmt.Fprintf(p.out, "Waiting for %s to be %s: %s\n", name, goal, printable.Line(obstacle))
	}
}
