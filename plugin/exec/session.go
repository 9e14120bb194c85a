// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package exec

import (
	"context"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/tools/remotecommand"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
)

// Session connects our standard streams with those of a remote command.
type Session struct {
	streams    genericiooptions.IOStreams
	stdin, tty bool
}

// NewSession decides what is connected. Stdin and tty are nil where the user did not decide.
func NewSession(streams genericiooptions.IOStreams, stdin, tty *bool) *Session {
	s := &Session{streams: streams}
	s.stdin, s.tty = decide(terminal(streams.In) != nil, terminal(streams.Out) != nil, stdin, tty)
	if tty != nil && *tty && !s.tty {
		_, _ = fmt.Fprintln(streams.ErrOut, "Standard input is no terminal: the command gets none either.") // a warning
	}
	return s
}

// decide: a terminal on both sides is passed on as one. Input from a terminal without a TTY is passed on only on demand,
// so that a pipeline's last command keeps the keyboard.
func decide(inTerminal, outTerminal bool, stdin, tty *bool) (passStdin, passTTY bool) {
	passTTY = inTerminal && outTerminal
	if tty != nil {
		passTTY = *tty && inTerminal
	}
	passStdin = passTTY || !inTerminal
	if stdin != nil {
		passStdin = *stdin
	}
	return passStdin, passTTY && passStdin
}

// terminal returns the stream as a file if it is a terminal.
func terminal(stream any) *os.File {
	if file, ok := stream.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		return file
	}
	return nil
}

// Interactive says whether the remote command has a terminal.
func (s *Session) Interactive() bool { return s.tty }

// Run runs the command and restores the terminal, however the command ended.
func (s *Session) Run(ctx context.Context, inside *Inside, command []string) error {
	process := stream.Process{Command: command, Stdout: s.streams.Out, Stderr: s.streams.ErrOut, TTY: s.tty}
	if s.stdin {
		process.Stdin = s.streams.In
	}
	if s.tty {
		file := terminal(s.streams.In)
		before, err := term.MakeRaw(int(file.Fd()))
		if err != nil {
			return fmt.Errorf("set up the terminal: %w", err)
		}
		defer func() { _ = term.Restore(int(file.Fd()), before) }() // there is no other way to do it
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		process.Sizes = watchSize(ctx, sizeOf(s.streams.Out), resized(ctx, inside.Factory.Clock()))
	}
	return inside.Network.Exec(ctx, inside.Container, process)
}

// sizeOf reads the size of the terminal that shows the output.
func sizeOf(out io.Writer) func() (remotecommand.TerminalSize, bool) {
	file := terminal(out)
	return func() (remotecommand.TerminalSize, bool) {
		if file == nil {
			return remotecommand.TerminalSize{}, false
		}
		width, height, err := term.GetSize(int(file.Fd()))
		if err != nil || width <= 0 || height <= 0 {
			return remotecommand.TerminalSize{}, false
		}
		return remotecommand.TerminalSize{Width: uint16(width), Height: uint16(height)}, true // no terminal is wider
	}
}

type sizes <-chan *remotecommand.TerminalSize

// Next implements remotecommand.TerminalSizeQueue.
func (s sizes) Next() *remotecommand.TerminalSize { return <-s }

// watchSize gives the size now, and then each time it has changed, until the context ends.
func watchSize(
	ctx context.Context, size func() (remotecommand.TerminalSize, bool), changed <-chan struct{},
) remotecommand.TerminalSizeQueue {
	queue := make(chan *remotecommand.TerminalSize)
	go func() {
		defer close(queue)
		var last remotecommand.TerminalSize
		for {
			if now, ok := size(); ok && now != last {
				select {
				case queue <- &now:
					last = now
				case <-ctx.Done():
					return
				}
			}
			select {
			case <-changed:
			case <-ctx.Done():
				return
			}
		}
	}()
	return sizes(queue)
}
