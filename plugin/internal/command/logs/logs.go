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
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// all is --tail's value for every line.
const all = -1

// Options are the arguments and flags.
type Options struct {
	Name       string
	Container  string
	Follow     bool
	Previous   bool
	Timestamps bool
	Since      time.Duration
	Tail       int64

	ref resolve.Ref
}

// NewCommand returns the command.
func NewCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := &Options{}
	cmd := &cobra.Command{
		Use:        "logs NAME [-c CONTAINER]",
		SuggestFor: []string{"log", "tail"},
		Short:      "Show what a sandbox's main process wrote",
		Long: "logs shows what the main process of a sandbox's container wrote to its standard output and error. Logs are those of\n" +
			"the present Pod: a sandbox that was suspended starts with empty ones.\n\n" +
			"With -f it goes on until the sandbox has finished or was deleted: after a lost connection where it left off, after a\n" +
			"restart with the next container, and after a suspension with the next Pod.\n\n" +
			"What was written is passed on byte by byte, as kubectl does, to a terminal too: it may hold escape sequences.\n" +
			"The dashboard shows logs without them.",
		Example: "  # The last 100 lines, and whatever comes next\n" +
			"  kubectl sandbox logs dev -f --tail 100\n\n" +
			"  # Why the container restarted\n" +
			"  kubectl sandbox logs dev --previous",
		Args:              cli.ExactArgs("NAME"),
		ValidArgsFunction: cli.CompleteFirstArg(cli.CompleteSandboxes(f)),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Name = args[0]
			if err := o.Validate(); err != nil {
				return err
			}
			return o.Run(cmd.Context(), f, streams)
		},
	}
	target.AddContainerFlag(cmd, f, &o.Container)
	cmd.Flags().BoolVarP(&o.Follow, "follow", "f", false, "Go on with what is written from now on, until interrupted.")
	cmd.Flags().BoolVarP(&o.Previous, "previous", "p", false, "Show the logs of the container before it restarted.")
	cmd.Flags().BoolVar(&o.Timestamps, "timestamps", false, "Begin each line with the time at which it was written.")
	cmd.Flags().DurationVar(&o.Since, "since", 0, "Show only what was written in this last time, as in 90s or 2h.")
	cmd.Flags().Int64Var(&o.Tail, "tail", all, "Show only so many of the last lines; -1 shows all.")
	return cmd
}

// Validate checks the arguments and flags.
func (o *Options) Validate() error {
	ref, err := resolve.Parse(o.Name)
	o.ref = ref
	switch {
	case err != nil:
		return cli.UsageError(err)
	case o.Since < 0:
		return cli.UsageError(fmt.Errorf("--since is %s: it cannot be negative", o.Since))
	case o.Tail < all:
		return cli.UsageError(fmt.Errorf("--tail is %d: give a number of lines, or -1 for all", o.Tail))
	case o.Follow && o.Previous:
		return cli.UsageError(
			errors.New("--follow and --previous exclude each other: a container that has ended writes no more"),
		)
	}
	return nil
}

// Run shows the logs.
func (o *Options) Run(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams) error {
	a, err := factory.NewClients(f)
	if err != nil {
		return err
	}
	t, err := a.Resolver.Objects(ctx, a.Namespace, o.ref)
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
		return &silence{
			container: container, name: t.Ref.String(), obstacle: diagnose.Of(a.Observer.Snapshot(ctx, t)).Obstacle,
		}
	}
	from, err := a.Kubernetes.CoreV1().Pods(t.Pod.Namespace).GetLogs(t.Pod.Name, o.request(container)).Stream(ctx)
	if err != nil {
		return err
	}
	defer from.Close()
	return copyAll(ctx, streams.Out, from)
}

// copyAll copies logs to their end. A connection that breaks on the way is told as what it means: lines are missing.
// Its kind is not passed on, because it would blame the way to the cluster, which was there.
func copyAll(ctx context.Context, out io.Writer, from io.Reader) error {
	source := &source{Reader: from}
	n, err := io.Copy(out, source)
	if source.err == nil || ctx.Err() != nil {
		return err
	}
	return cli.ConnectionLostError(
		fmt.Errorf(
			"the log is incomplete: the connection was lost after %d bytes (%s); run the command again", n, source.err.Error(),
		),
	)
}

// source remembers why it could not be read to its end.
type source struct {
	io.Reader

	err error
}

// Read implements io.Reader.
func (s *source) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

// silence is the error for a container that has not run yet, and so has written nothing.
type silence struct{ container, name, obstacle string }

// Error implements error.
func (e *silence) Error() string {
	text := fmt.Sprintf("container %s of %s has not started, so there are no logs", e.container, e.name)
	if e.obstacle != "" {
		text += ": " + e.obstacle
	}
	return text
}

// NextStep is the arguments of the plugin's command that tells more.
func (e *silence) NextStep() string { return "status " + e.name }

// unstarted says whether the container has not run in this Pod.
func unstarted(pod *corev1.Pod, container string) bool {
	if resolve.Ended(pod) {
		return false // nothing runs any more, and what there is can be read
	}
	for _, status := range slices.Concat(pod.Status.ContainerStatuses, pod.Status.InitContainerStatuses, pod.Status.EphemeralContainerStatuses) {
		if status.Name == container {
			return status.State.Running == nil && status.State.Terminated == nil && status.LastTerminationState.Terminated == nil
		}
	}
	return true
}

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
