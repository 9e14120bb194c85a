// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package action

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/terminal"
)

// Session is a command in a sandbox that is given the terminal. It is what tea.Exec wants.
type Session struct {
	ctx     context.Context
	network stream.Network
	clock   clock.WithTicker
	in      stream.Container
	name    string
	command []string
	// pause waits for Enter at the end, so that the output can be read.
	pause   bool
	streams genericiooptions.IOStreams
}

// session prepares a shell or a command. It says at once why none can run.
func (d *Dispatcher) session(ctx context.Context, verb Verb, t Target, command string) (*Session, error) {
	found, err := d.resolver.Running(ctx, t.Namespace, t.Ref())
	if err == nil {
		err = same(found, t)
	}
	if err != nil {
		return nil, err
	}
	container, err := resolve.Container(found.Pod, "")
	if err != nil {
		return nil, err
	}
	s := &Session{
		ctx: ctx, network: d.o.Network, clock: d.o.Clock, name: t.Ref().String(),
		in: stream.Container{Namespace: found.Namespace, Pod: found.Pod.Name, Name: container},
	}
	shell, err := stream.Shell(ctx, d.o.Network, s.in)
	var none *stream.NoShellError
	switch {
	case verb == Exec && errors.As(err, &none):
		s.command, s.pause = strings.Fields(command), true
	case err != nil:
		return nil, err
	case verb == Exec:
		s.command, s.pause = []string{shell, "-c", command}, true
	default:
		s.command = []string{shell}
	}
	if strings.TrimSpace(command) == "" && verb == Exec {
		return nil, errors.New("no command was given")
	}
	return s, nil
}

// SetStdin implements tea.ExecCommand.
func (s *Session) SetStdin(in io.Reader) { s.streams.In = in }

// SetStdout implements tea.ExecCommand.
func (s *Session) SetStdout(out io.Writer) { s.streams.Out = out }

// SetStderr implements tea.ExecCommand.
func (s *Session) SetStderr(out io.Writer) { s.streams.ErrOut = out }

// Run implements tea.ExecCommand. That the command ended with another code than 0 is no error of ours.
func (s *Session) Run() error {
	// That a line cannot be written to the terminal shows on the terminal.
	_, _ = fmt.Fprintf(s.streams.Out, "%s in %s (container %s). The dashboard comes back when it ends.\r\n",
		strings.Join(s.command, " "), s.name, s.in.Name)
	err := terminal.New(s.streams, new(true), nil).Run(s.ctx, s.clock, s.network, s.in, s.command)
	code := 0
	if ended, is := errors.AsType[*stream.ExitError](err); is {
		code, err = ended.Code, nil
	}
	if s.pause && err == nil {
		_, _ = fmt.Fprintf(s.streams.Out, "\r\nEnded with code %d. Press Enter to go back. ", code)
		_, err = bufio.NewReaderSize(s.streams.In, 16).ReadString('\n')
	}
	return err
}
