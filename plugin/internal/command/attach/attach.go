// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package attach is the command `attach`.
package attach

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/target"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/terminal"
)

// Options are the arguments and flags.
type Options struct {
	Name      string
	Container string
	// Quiet omits the warning about a member of a pool.
	Quiet bool
	// Stdin is nil unless the user gave --stdin.
	Stdin *bool

	ref resolve.Ref
}

// NewCommand returns the command.
func NewCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := &Options{}
	var stdin bool
	cmd := &cobra.Command{
		Use:   "attach NAME [-c CONTAINER]",
		Short: "Attach to the main process of a sandbox",
		Long: "attach shows what the main process of a container writes from now on. It passes standard input to the\n" +
			"process if the container was created with stdin: true, and connects a terminal if it also has\n" +
			"tty: true.\n\n" +
			"The process keeps running when the session ends. To leave a session with a terminal, press Enter ~ . and to\n" +
			"leave one without, press Ctrl-C. The exit code is 0 if the process has ended, and 255 if that is not known.",
		Example: "  # Attach to the sandbox dev\n" +
			"  kubectl sandbox attach dev\n\n" +
			"  # Watch the output only\n" +
			"  kubectl sandbox attach dev -i=false",
		Args:              cli.ExactArgs("NAME"),
		ValidArgsFunction: cli.CompleteFirstArg(cli.CompleteSandboxes(f)),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Name = args[0]
			if cmd.Flags().Changed("stdin") {
				o.Stdin = &stdin
			}
			if err := o.Validate(); err != nil {
				return err
			}
			return o.Run(cmd.Context(), f, streams)
		},
	}
	target.AddContainerFlag(cmd, f, &o.Container)
	target.AddQuietFlag(cmd, &o.Quiet)
	cmd.Flags().BoolVarP(&stdin, "stdin", "i", false,
		"Pass standard input to the process; =false does not. (default: if it is not a terminal, or with a TTY)")
	return cmd
}

// Validate checks the arguments.
func (o *Options) Validate() error {
	ref, err := resolve.Parse(o.Name)
	o.ref = ref
	return cli.UsageError(err)
}

// Run attaches to the container and returns when the session ends.
func (o *Options) Run(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams) error {
	container, err := target.Resolve(ctx, f, o.ref, o.Container)
	if err != nil {
		return err
	}
	container.WarnOfMember(streams.ErrOut, o.Quiet)
	spec := containerOf(container.Sandbox.Pod, container.Address.Name)
	if o.Stdin != nil && *o.Stdin && !spec.Stdin {
		return fmt.Errorf("container %s of %s was created without standard input (stdin: true): attach without -i, or "+
			"use exec", spec.Name, container.Sandbox.Name())
	}
	session := terminal.NewAttachment(streams, spec, o.Stdin)
	if session.Interactive() {
		// best effort
		_, _ = io.WriteString(streams.ErrOut,
			"To detach and leave the process running, press Enter ~ . If you do not see a prompt, press Enter.\n")
	}
	return container.Attach(ctx, session)
}

// containerOf returns the container of that name. An ephemeral or init container counts as one without standard input.
func containerOf(pod *corev1.Pod, name string) *corev1.Container {
	for i := range pod.Spec.Containers {
		if pod.Spec.Containers[i].Name == name {
			return &pod.Spec.Containers[i]
		}
	}
	return &corev1.Container{Name: name}
}
