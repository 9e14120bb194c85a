// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package cp is the command `cp`.
package cp

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/printing"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/target"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/files"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
)

const long = `cp copies files and directories between this machine and a sandbox, or between two sandboxes. SRC and DST are
NAME:PATH for a sandbox, or a local path, or "-" for standard input or output. PATH may be relative to the container's
working directory.

Where the copy goes:
  a file       DST is the name of the copy; if DST ends in a slash or is a directory, the copy goes into it
  a directory  DST is the copy, whether it exists or not; if DST ends in a slash, the copy goes into it; if SRC ends
               in a slash, what is in SRC goes into DST
  a pattern    with * ? or [] in the PATH of a sandbox: everything that it matches goes into DST
"." and ".." at the end of a path count as a slash. Copying again gives the same tree: files are replaced, and what is only
at the destination stays.

The copy gets its name when it is complete and, if the image has sha256sum, verified; before that it is called
.kubectl-sandbox-... beside its place. A copy whose connection is lost goes on by itself, five times at most. One that
was cut leaves what has arrived behind and says where; the same command with --resume goes on.

Modes, times, symbolic and hard links are kept; the owner is the one who writes. Directories need tar in the image. Local
paths with a colon are written with "./" in front; on Windows a single letter before the colon is a drive.`

// Options are the arguments and flags.
type Options struct {
	Source, Destination string
	Container           string
	Resume              bool

	from, to side
}

// NewCommand returns the command.
func NewCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := &Options{}
	cmd := &cobra.Command{
		Use:        "cp SRC DST [-c CONTAINER]",
		SuggestFor: []string{"copy", "upload", "download"},
		Short:      "Copy files into a sandbox and out of it",
		Long:       long,
		Example: "  # A file, and a directory that becomes /work/project\n" +
			"  kubectl sandbox cp main.py dev:/work/main.py\n" +
			"  kubectl sandbox cp project dev:/work/\n\n" +
			"  # Back again\n" +
			"  kubectl sandbox cp dev:/work/project ./results\n" +
			"  kubectl sandbox cp 'dev:/var/log/*.log' logs\n\n" +
			"  # From one sandbox to another, and on where an earlier copy was cut\n" +
			"  kubectl sandbox cp dev:/work other:/work --resume\n\n" +
			"  # Standard input and output\n" +
			"  echo hello | kubectl sandbox cp - dev:/tmp/greeting\n" +
			"  kubectl sandbox cp dev:/tmp/greeting -",
		Args:              cli.ExactArgs("SRC", "DST"),
		ValidArgsFunction: completeSides(cli.CompleteSandboxes(f)),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Source, o.Destination = args[0], args[1]
			if err := o.Validate(); err != nil {
				return err
			}
			return o.Run(cmd.Context(), f, streams)
		},
	}
	cmd.Flags().StringVarP(
		&o.Container, "container", "c", "",
		"The container. (default: the one that the Pod marks as its default, or the first)",
	)
	cmd.Flags().BoolVar(&o.Resume, "resume", false, "Go on with what an earlier copy of the same left when it was cut.")
	return cmd
}

// completeSides suggests sandboxes, with the colon that follows, beside the shell's own suggestion of files.
func completeSides(names cli.CompletionFunc) cli.CompletionFunc {
	return func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 1 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		found, _ := names(cmd, nil, begun)
		for i := range found {
			found[i] += ":"
		}
		return found, cobra.ShellCompDirectiveNoSpace
	}
}

// Validate checks the arguments.
func (o *Options) Validate() error {
	var err error
	if o.from, err = parse(o.Source, runtime.GOOS); err != nil {
		return cli.UsageError(fmt.Errorf("SRC: %w", err))
	}
	if o.to, err = parse(o.Destination, runtime.GOOS); err != nil {
		return cli.UsageError(fmt.Errorf("DST: %w", err))
	}
	switch {
	case !o.from.Remote && !o.to.Remote:
		return cli.UsageError(errors.New("one of SRC and DST must be in a sandbox: use NAME:PATH"))
	case o.Resume && (o.from.standard() || o.to.standard()):
		return cli.UsageError(errors.New("--resume needs files on both sides: a stream cannot be begun in the middle"))
	}
	return nil
}

// Run copies.
func (o *Options) Run(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams) error {
	warn := func(warning string) {
		_, _ = printable.Fprintf(streams.ErrOut, "Warning: %s\n", warning) // there is nowhere else to say it
	}
	options := files.Options{
		Resume:   o.Resume,
		Progress: watched(streams, o.to.standard()),
		Warn:     warn,
		Retry:    (&retrier{clock: f.Clock(), warn: warn}).retryAfter,
	}
	open := func(s side) (*files.Copier, error) {
		if !s.Remote {
			return nil, nil
		}
		container, err := target.Resolve(ctx, f, s.Ref, o.Container)
		if err != nil {
			return nil, err
		}
		return files.New(container.Network, container.Address, options), nil
	}
	from, err := open(o.from)
	if err != nil {
		return err
	}
	to, err := open(o.to)
	if err != nil {
		return err
	}
	bar := show(streams, options.Progress, f.Clock())
	err = o.copyAll(ctx, from, to, streams)
	bar.end()
	left := ""
	switch {
	case o.to.standard() || o.from.standard():
	case to != nil:
		left = to.Partial()
	default:
		left = from.Partial()
	}
	return o.failure(err, left, f)
}

// copyAll copies the source, or what it matches. From and to are nil for this machine.
func (o *Options) copyAll(ctx context.Context, from, to *files.Copier, streams genericiooptions.IOStreams) error {
	if from == nil || o.to.standard() || !files.IsPattern(o.from.Path) {
		return o.copy(ctx, from, to, o.from.Path, o.to.Path, streams)
	}
	matches, err := from.Expand(ctx, o.from.Path)
	if err != nil {
		return err
	}
	into := o.to.Path
	if len(matches) > 1 || matches[0] != o.from.Path {
		into += "/"
	}
	for _, match := range matches {
		if err := o.copy(ctx, from, to, match, into, streams); err != nil {
			return fmt.Errorf("%s: %w", match, err)
		}
	}
	return nil
}

func (o *Options) copy(
	ctx context.Context, from, to *files.Copier, source, target string, streams genericiooptions.IOStreams,
) error {
	switch {
	case o.from.standard():
		return to.UploadFrom(ctx, streams.In, target)
	case o.to.standard():
		return from.DownloadTo(ctx, source, streams.Out)
	case from == nil:
		return to.Upload(ctx, source, target)
	case to == nil:
		return from.Download(ctx, source, target)
	}
	return from.Relay(ctx, source, to, target)
}

// failure says what was being copied, and of one that was cut what it has left. A lost connection passes on no remote
// command's code.
func (o *Options) failure(err error, left string, f factory.Factory) error {
	if err == nil {
		return nil
	}
	what := fmt.Errorf("copy %s to %s: %w", o.Source, o.Destination, err)
	if left != "" {
		if o.to.Remote {
			left = strings.TrimSuffix(o.Destination, o.to.Path) + left
		}
		what = fmt.Errorf("%w; what has arrived is in %s", what, left)
	}
	if _, lost := errors.AsType[*stream.LostError](err); !lost {
		return what
	}
	if o.from.standard() || o.to.standard() {
		return cli.ConnectionLostError(fmt.Errorf("%w: the copy is incomplete", what))
	}
	command := fmt.Sprintf("cp %s %s --resume", cli.ShellQuote(o.Source), cli.ShellQuote(o.Destination))
	if o.Container != "" {
		command += " -c " + o.Container
	}
	return cli.ConnectionLostError(
		fmt.Errorf("%w; the copy is incomplete; this goes on: %s", what, printing.SuggestedCommand(command, f)),
	)
}
