// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package terminal

import (
	"context"
	"sync/atomic"
	"testing"

	"k8s.io/client-go/tools/remotecommand"
)

func TestDecide(t *testing.T) {
	yes, no := new(true), new(false)
	tests := map[string]struct {
		inTerminal, outTerminal bool
		stdin, tty              *bool
		wantStdin, wantTTY      bool
	}{
		"two terminals are passed on as one": {
			inTerminal: true, outTerminal: true, wantStdin: true, wantTTY: true,
		},
		"a pipe is passed on, without a TTY":             {wantStdin: true},
		"a pipe is passed on to a command that is shown": {outTerminal: true, wantStdin: true},
		"the keyboard stays with the end of a pipeline":  {inTerminal: true},
		"unless it is asked for":                         {inTerminal: true, stdin: yes, wantStdin: true},
		"-t=false gives no TTY":                          {inTerminal: true, outTerminal: true, tty: no},
		"-i -t=false passes the keyboard on without a TTY": {
			inTerminal: true, outTerminal: true, stdin: yes, tty: no, wantStdin: true,
		},
		"-it with a pipe gives no TTY": {
			outTerminal: true, stdin: yes, tty: yes, wantStdin: true,
		},
		"-t with output to a file gives a TTY": {
			inTerminal: true, tty: yes, wantStdin: true, wantTTY: true,
		},
		"-i=false passes nothing on, and a TTY needs standard input": {inTerminal: true, outTerminal: true, stdin: no},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			stdin, tty := connections(test.inTerminal, test.outTerminal, test.stdin, test.tty)
			if stdin != test.wantStdin || tty != test.wantTTY {
				t.Errorf("stdin %v, TTY %v", stdin, tty)
			}
		})
	}
}

func TestSizesAreSentWhenTheyChange(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	changed := make(chan struct{})
	var width atomic.Uint32
	width.Store(80)
	queue := watchSize(ctx, func() (remotecommand.TerminalSize, bool) {
		return remotecommand.TerminalSize{Width: uint16(width.Load()), Height: 24}, true
	}, changed)
	if got := queue.Next(); got == nil || got.Width != 80 {
		t.Fatalf("first size: %v", got)
	}
	changed <- struct{}{} // to the same size
	changed <- struct{}{} // accepted, so the size before it was seen, and was not sent again
	width.Store(100)
	changed <- struct{}{}
	if got := queue.Next(); got == nil || got.Width != 100 {
		t.Errorf("second size: %v", got)
	}
	cancel()
	if got := queue.Next(); got != nil {
		t.Errorf("after the end: %v", got)
	}
}
