// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package terminal connects the standard streams of this process with those of a remote command, and a local terminal
// with its TTY.
//
// Invariants:
//   - the terminal is restored, however the command ends;
//   - the keyboard is passed on only if the user asks for it, or the command has the terminal to itself.
package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/muesli/cancelreader"
	"golang.org/x/term"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/tools/remotecommand"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
)

// Session connects our standard streams with those of a remote command.
type Session struct {
	streams    genericiooptions.IOStreams
	stdin, tty bool
}

// New decides which streams to connect. stdin and tty are nil if the user did not decide.
func New(streams genericiooptions.IOStreams, stdin, tty *bool) *Session {
	s := &Session{streams: streams}
	s.stdin, s.tty = connections(terminal(streams.In) != nil, terminal(streams.Out) != nil, stdin, tty)
	if tty != nil && *tty && !s.tty {
		_, _ = fmt.Fprintln(streams.ErrOut, "Standard input is no terminal: the command gets none either.") // a warning
	}
	return s
}

// NewAttachment decides for the main process of a container, whose standard input and TTY are given.
func NewAttachment(streams genericiooptions.IOStreams, container *corev1.Container, stdin *bool) *Session {
	s := &Session{streams: streams, tty: container.TTY}
	s.stdin, _ = connections(terminal(streams.In) != nil, terminal(streams.Out) != nil, stdin, nil)
	s.stdin = s.stdin && container.Stdin
	return s
}

// connections decides which streams to connect: with terminals on both sides, the command gets a TTY. Keyboard input
// without a TTY is passed on only on request, so that the last command of a pipeline does not take the keyboard.
func connections(inTerminal, outTerminal bool, stdin, tty *bool) (passStdin, passTTY bool) {
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

// Interactive reports whether the user types on a terminal that the remote command controls.
func (s *Session) Interactive() bool { return s.tty && s.stdin && terminal(s.streams.In) != nil }

// Run runs the command and restores the terminal, however the command ends. Its errors are those of Network.Exec, and
// ErrDetached.
func (s *Session) Run(
	ctx context.Context, clock clock.WithTicker, network stream.Network, in stream.Container, command []string,
) error {
	return s.connect(ctx, clock, func(ctx context.Context, process stream.Process) error {
		process.Command = command
		return network.Exec(ctx, in, process)
	})
}

// Attach is like Run for the container's main process.
func (s *Session) Attach(
	ctx context.Context, clock clock.WithTicker, network stream.Network, in stream.Container,
) error {
	return s.connect(ctx, clock, func(ctx context.Context, process stream.Process) error {
		return network.Attach(ctx, in, process)
	})
}

func (s *Session) connect(
	ctx context.Context, clock clock.WithTicker, session func(context.Context, stream.Process) error,
) error {
	ctx, leave := context.WithCancelCause(ctx)
	defer leave(nil)
	process := stream.Process{Stdout: s.streams.Out, Stderr: s.streams.ErrOut, TTY: s.tty}
	if s.stdin {
		process.Stdin = s.streams.In
	}
	if file := terminal(s.streams.In); s.tty && s.stdin && file != nil {
		before, err := term.MakeRaw(int(file.Fd()))
		if err != nil {
			return fmt.Errorf("set up the terminal: %w", err)
		}
		defer func() { _ = term.Restore(int(file.Fd()), before) }() // there is no other way to do it
		keys, err := cancelreader.NewReader(file)
		if err != nil {
			return fmt.Errorf("read the terminal: %w", err)
		}
		defer keys.Cancel() // otherwise the next key would go to the ended command
		process.Stdin = &escape{in: keys, leave: func() { leave(ErrDetached) }}
		process.Sizes = watchSize(ctx, sizeOf(s.streams.Out, file), watchResize(ctx, clock))
	}
	err := session(ctx, process)
	if errors.Is(context.Cause(ctx), ErrDetached) {
		return ErrDetached
	}
	return err
}

// sizeOf reads the size of the terminal that shows the output, or else of the keyboard's.
func sizeOf(out io.Writer, keyboard *os.File) func() (remotecommand.TerminalSize, bool) {
	file := terminal(out)
	if file == nil {
		file = keyboard
	}
	return func() (remotecommand.TerminalSize, bool) {
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

// watchSize returns the current size and then each new one, until the context ends.
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
