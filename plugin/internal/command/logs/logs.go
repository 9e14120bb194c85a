// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package logs is the command `logs`.
package logs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/target"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/diagnose"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// all is the value of --tail that prints every line.
const all = -1

// Options are the arguments and flags.
type Options struct {
	Selection  cli.SelectionOptions
	Container  string
	Follow     bool
	Previous   bool
	Timestamps bool
	Since      time.Duration
	Tail       int64
	// NoPrefix leaves out the names in front of the lines of several sandboxes.
	NoPrefix bool
	// Exec is the name of a detached command, whose output is printed instead.
	Exec string
}

// NewCommand returns the command.
func NewCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := &Options{}
	cmd := &cobra.Command{
		Use:        "logs (NAME... | --all | -l SELECTOR) [-c CONTAINER]",
		SuggestFor: []string{"log", "tail"},
		Short:      "Print the logs of sandboxes",
		Long: "logs prints what the main process of a container wrote to standard output and standard error. Logs\n" +
			"belong to the current Pod: after a suspension they start empty.\n\n" +
			"With -f it continues until the sandbox finishes or is deleted. After a lost connection it resumes where\n" +
			"it left off, after a restart it continues with the new container, and after a suspension with the next\n" +
			"Pod.\n\n" +
			"With several sandboxes each line begins with the name of its sandbox.\n\n" +
			"Like kubectl, it passes the output on byte by byte, to a terminal too, so it may contain escape\n" +
			"sequences. The dashboard shows logs without them.",
		Example: "  # Print the last 100 lines, then follow\n" +
			"  kubectl sandbox logs dev -f --tail 100\n\n" +
			"  # Follow the sandboxes of a team\n" +
			"  kubectl sandbox logs -l team=research -f --tail 10\n\n" +
			"  # Find out why the container restarted\n" +
			"  kubectl sandbox logs dev --previous",
		Args:              cli.NoArgsAfterDash,
		ValidArgsFunction: cli.CompleteSandboxes(f),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Selection.Names = args
			if err := o.Validate(); err != nil {
				return err
			}
			return o.Run(cmd.Context(), f, streams)
		},
	}
	target.AddContainerFlag(cmd, f, &o.Container)
	cmd.Flags().BoolVarP(
		&o.Follow, "follow", "f", false, "Follow the logs until the sandbox finishes or is deleted, or until interrupted.",
	)
	cmd.Flags().BoolVarP(
		&o.Previous, "previous", "p", false, "Print the logs of the container from before its last restart.",
	)
	cmd.Flags().BoolVar(&o.Timestamps, "timestamps", false, "Start each line with the time at which it was written.")
	cmd.Flags().DurationVar(&o.Since, "since", 0, "Print only lines newer than this duration, as in 90s or 2h.")
	cmd.Flags().BoolVar(&o.NoPrefix, "no-prefix", false, "Leave out the names in front of the lines of several sandboxes.")
	cmd.Flags().StringVar(&o.Exec, "exec", "",
		"Print the output of the command that exec --detach started, by the name that it printed.")
	o.Selection.AddFlags(cmd)
	cmd.Flags().Int64Var(&o.Tail, "tail", all, "Print only this many of the last lines; -1 prints all.")
	return cmd
}

// Validate checks the arguments and flags.
func (o *Options) Validate() error {
	if o.Exec != "" {
		if err := o.validateExec(); err != nil {
			return cli.UsageError(err)
		}
	}
	switch err := o.Selection.Validate(); {
	case err != nil:
		return err
	case o.Since < 0:
		return cli.UsageError(fmt.Errorf("--since is %s: it cannot be negative", o.Since))
	case o.Tail < all:
		return cli.UsageError(fmt.Errorf("--tail is %d: give a number of lines, or -1 for all", o.Tail))
	case o.Follow && o.Previous:
		return cli.UsageError(
			errors.New("--follow and --previous do not go together: a container that has ended writes nothing more"),
		)
	}
	return nil
}

// Run prints the logs.
func (o *Options) Run(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams) error {
	a, err := factory.NewClients(f)
	if err != nil {
		return err
	}
	if o.Exec != "" {
		return o.ofCommand(ctx, f, streams)
	}
	objects, err := o.Selection.Objects(ctx, a.Sandboxes, a.Namespace)
	switch {
	case err != nil:
		return err
	case len(objects) == 0:
		_, err = printable.Fprintf(streams.ErrOut, "%s\n", o.Selection.NoneSelected(a.Namespace))
		return err
	case !o.Selection.Several():
		return o.one(ctx, f, a, objects[0], streams)
	}
	return o.several(ctx, f, a, objects, streams)
}

// one prints the logs of one sandbox.
func (o *Options) one(
	ctx context.Context, f factory.Factory, a *factory.Clients, object cli.Selected, streams genericiooptions.IOStreams,
) error {
	t, err := a.Resolver.Objects(ctx, object.Namespace, object.Ref)
	if err != nil {
		return err
	}
	if t.Pod == nil {
		return resolve.CheckRunning(t, f.Clock().Now())
	}
	container, err := resolve.Container(t.Pod, o.Container)
	if err != nil {
		return err
	}
	if o.Follow {
		return o.follow(ctx, f, a, t, container, streams)
	}
	if !o.Previous && unstarted(t.Pod, container) {
		return &notStartedError{
			container: container,
			name:      t.Ref.String(),
			obstacle:  diagnose.Of(a.Observer.Snapshot(ctx, t)).Obstacle,
		}
	}
	from, err := a.Kubernetes.CoreV1().Pods(t.Pod.Namespace).GetLogs(t.Pod.Name, o.request(container)).Stream(ctx)
	if err != nil {
		return err
	}
	defer from.Close()
	return copyAll(ctx, streams.Out, from)
}

// copyAll copies logs to their end. If the connection breaks, the error says that lines are missing. It does not wrap
// the cause: the message for connection errors would blame the settings for the cluster, which did work.
func copyAll(ctx context.Context, out io.Writer, from io.Reader) error {
	source := &recordingReader{Reader: from}
	n, err := io.Copy(out, source)
	if source.err == nil || ctx.Err() != nil {
		return err
	}
	return cli.ConnectionLostError(
		fmt.Errorf("the log is incomplete: the connection was lost after %d bytes (%s); run the command again",
			n, source.err.Error()),
	)
}

// recordingReader records the error that ended reading, except io.EOF.
type recordingReader struct {
	io.Reader

	err error
}

// Read implements io.Reader.
func (r *recordingReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = err
	}
	return n, err
}

// notStartedError is the error for a container that has not run yet and so has no logs.
type notStartedError struct{ container, name, obstacle string }

// Error implements error.
func (e *notStartedError) Error() string {
	text := fmt.Sprintf("container %s of %s has not started, so there are no logs", e.container, e.name)
	if e.obstacle != "" {
		text += ": " + e.obstacle
	}
	return text
}

// NextStep returns the arguments of the plugin that show more.
func (e *notStartedError) NextStep() string { return "status " + e.name }

// unstarted reports whether the container has not run in this Pod.
func unstarted(pod *corev1.Pod, container string) bool {
	if resolve.Ended(pod) {
		return false // no container will start any more, and the existing logs can be read
	}
	s := &pod.Status
	for _, status := range slices.Concat(s.ContainerStatuses, s.InitContainerStatuses, s.EphemeralContainerStatuses) {
		if status.Name == container {
			return status.State.Running == nil && status.State.Terminated == nil && status.LastTerminationState.Terminated == nil
		}
	}
	return true
}

// request returns the options of the API request.
func (o *Options) request(container string) *corev1.PodLogOptions {
	request := &corev1.PodLogOptions{
		Container: container, Follow: o.Follow, Previous: o.Previous, Timestamps: o.Timestamps,
	}
	if o.Since > 0 {
		// The API counts whole seconds and wants at least one.
		request.SinceSeconds = new(int64((o.Since + time.Second - 1) / time.Second))
	}
	if o.Tail != all {
		request.TailLines = &o.Tail
	}
	return request
}
