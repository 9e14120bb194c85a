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
	// Stdin is nil unless the user decided.
	Stdin *bool

	ref resolve.Ref
}

// NewCommand returns the command.
func NewCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := &Options{}
	var stdin bool
	cmd := &cobra.Command{
		Use:   "attach NAME [-c CONTAINER]",
		Short: "Connect to the main process of a sandbox",
		Long: "attach shows what the main process of a sandbox's container writes from now on, and passes standard input on to it if\n" +
			"the container was made with one (stdin: true, and tty: true for a terminal).\n\n" +
			"The process does not end with the session: Ctrl-C without a terminal, and Enter ~ . with one, leave it running. The\n" +
			"exit code is 0 when the process has ended, and 255 when it is not known to have.",
		Example: "  kubectl sandbox attach dev\n\n" +
			"  # Only watch\n" +
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
	cmd.Flags().BoolVarP(
		&stdin, "stdin", "i", false,
		"Pass standard input on, or with =false do not. (default: if it is no terminal, or with a TTY)",
	)
	return cmd
}

// Validate checks the arguments.
func (o *Options) Validate() error {
	ref, err := resolve.Parse(o.Name)
	o.ref = ref
	return cli.UsageError(err)
}

// Run attaches.
func (o *Options) Run(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams) error {
	container, err := target.Resolve(ctx, f, o.ref, o.Container)
	if err != nil {
		return err
	}
	spec := containerOf(container.Sandbox.Pod, container.Address.Name)
	if o.Stdin != nil && *o.Stdin && !spec.Stdin {
		return fmt.Errorf("container %s of %s was made without standard input (stdin: true): attach without -i, or use exec",
			spec.Name, container.Sandbox.Name())
	}
	session := terminal.NewAttachment(streams, spec, o.Stdin)
	if session.Interactive() {
		_, _ = io.WriteString(
			streams.ErrOut, "Enter ~ . leaves the process running. If there is no prompt, press Enter.\n",
		) // a hint
	}
	return container.Attach(ctx, session)
}

// containerOf is the container of that name. An ephemeral or init container counts as one without standard input.
func containerOf(pod *corev1.Pod, name string) *corev1.Container {
	for i := range pod.Spec.Containers {
		if pod.Spec.Containers[i].Name == name {
			return &pod.Spec.Containers[i]
		}
	}
	return &corev1.Container{Name: name}
}
