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

	"github.com/agent-sandbox/kubectl-sandbox/sdk/pool"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/terminal"
)

// Session is a command in a sandbox that runs on the terminal. It implements tea.ExecCommand.
type Session struct {
	ctx       context.Context
	network   stream.Network
	clock     clock.WithTicker
	container stream.Container
	name      string
	// warning is about a member of a pool; usually empty.
	warning string
	command []string
	// waitForEnter makes Run wait for Enter at the end, so that the user can read the output.
	waitForEnter bool
	streams      genericiooptions.IOStreams
}

// session prepares a shell or a command, and returns an error if none can run.
func (d *Dispatcher) session(ctx context.Context, r Request) (*Session, error) {
	verb, t, command := r.Verb, r.Targets[0], r.Argument
	found, container, err := d.resolver.RunningContainer(ctx, t.Namespace, t.Ref(), r.Container)
	if err == nil {
		err = checkUID(found, t)
	}
	if err != nil {
		return nil, err
	}
	s := &Session{ctx: ctx, network: d.o.Network, clock: d.o.Clock, name: t.Ref().String(), container: container}
	s.warning = pool.WarnOfMember(found.Sandbox)
	shell, err := stream.Shell(ctx, d.o.Network, s.container)
	var none *stream.NoShellError
	switch {
	case verb == Exec && errors.As(err, &none):
		s.command, s.waitForEnter = strings.Fields(command), true
	case err != nil:
		return nil, err
	case verb == Exec:
		s.command, s.waitForEnter = []string{shell, "-c", command}, true
	default:
		s.command = []string{shell}
	}
	if strings.TrimSpace(command) == "" && verb == Exec {
		return nil, errors.New("no command given")
	}
	return s, nil
}

// SetStdin implements tea.ExecCommand.
func (s *Session) SetStdin(in io.Reader) { s.streams.In = in }

// SetStdout implements tea.ExecCommand.
func (s *Session) SetStdout(out io.Writer) { s.streams.Out = out }

// SetStderr implements tea.ExecCommand.
func (s *Session) SetStderr(out io.Writer) { s.streams.ErrOut = out }

// Run implements tea.ExecCommand. A nonzero exit code of the command is not an error.
func (s *Session) Run() error {
	// A failed write is visible on the terminal itself.
	_, _ = fmt.Fprintf(s.streams.Out, "%s in %s (container %s). The dashboard returns when it ends.\r\n",
		strings.Join(s.command, " "), s.name, s.container.Name)
	if s.warning != "" {
		_, _ = printable.Fprintf(s.streams.Out, "Warning: %s.\r\n", s.warning)
	}
	err := terminal.New(s.streams, new(true), nil).Run(s.ctx, s.clock, s.network, s.container, s.command)
	code := 0
	if ended, is := errors.AsType[*stream.ExitError](err); is {
		code, err = ended.Code, nil
	}
	if s.waitForEnter && err == nil {
		_, _ = fmt.Fprintf(s.streams.Out, "\r\nExit code %d. Press Enter to return to the dashboard. ", code)
		_, err = bufio.NewReaderSize(s.streams.In, 16).ReadString('\n')
	}
	return err
}
