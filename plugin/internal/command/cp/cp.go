// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package cp is the command `cp`.
package cp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/printing"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/target"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/transfer"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/files"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
)

const long = `cp copies files and directories between this machine and a sandbox, or between two sandboxes.
SRC and DST are each NAME:PATH for a sandbox, a local path, or "-" for standard input or output. NAME may
be NAMESPACE/NAME. PATH may be relative to the container's working directory, and ~ at its beginning is
the home directory of the container's user.

Where the copy goes:
  a file       DST is the name of the copy. If DST ends in a slash or is a directory, the copy goes into it.
  a directory  DST is the name of the copy, whether it exists or not. If DST ends in a slash, the copy goes
               into it. If SRC ends in a slash, the content of SRC goes into DST.
  several SRC  All of them go into DST, which is created if it does not exist.
  a pattern    With * ? or [] in the PATH of a sandbox, everything that matches goes into DST.
"." and ".." at the end of a path count as a slash. Copying again gives the same tree: it replaces files,
and files that exist only at the destination stay ('sync' can delete them).

What is left out: directories below SRC on which other file systems are mounted, such as /proc and volumes,
unless --all-filesystems is given; a warning names them. With --exclude, what matches the pattern: one
without a slash matches names at any depth, one with a slash matches the path below SRC, or below DST if
there are several sources, and a slash at its end restricts it to directories.

A copy gets its name when it is complete and, if the image has sha256sum, verified. Until then it is called
.kubectl-sandbox-... in the same directory. If the connection is lost, the copy continues by itself, up to
five times. An interrupted copy leaves what has arrived and says where; the same command with --resume
continues it.

Modes, times, symbolic links and hard links are kept; the owner is the user who writes the copy. To copy
directories, the image needs tar. Write a local path that contains a colon with "./" in front; on Windows,
a single letter before the colon is a drive.`

// Options are the arguments and flags.
type Options struct {
	Sources     []string
	Destination string
	Container   string
	Resume      bool
	Filter      transfer.Filter
	// Quiet omits the warning about a member of a pool.
	Quiet bool

	from []transfer.Location
	to   transfer.Location
}

// NewCommand returns the command.
func NewCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := &Options{}
	cmd := &cobra.Command{
		Use:        "cp SRC... DST [-c CONTAINER]",
		SuggestFor: []string{"copy", "upload", "download", "scp"},
		Short:      "Copy files and directories to and from sandboxes",
		Long:       long,
		Example: "  # Copy a file, and a directory that becomes /work/project\n" +
			"  kubectl sandbox cp main.py dev:/work/main.py\n" +
			"  kubectl sandbox cp project dev:/work/\n\n" +
			"  # Copy several files into a directory\n" +
			"  kubectl sandbox cp main.py notes.txt dev:/work/\n\n" +
			"  # Copy a directory without some of what it contains\n" +
			"  kubectl sandbox cp project dev:/work/ --exclude .git --exclude '*.log'\n\n" +
			"  # Copy from the sandbox\n" +
			"  kubectl sandbox cp dev:/work/project ./results\n" +
			"  kubectl sandbox cp 'dev:/var/log/*.log' logs\n\n" +
			"  # Copy from a sandbox in another namespace\n" +
			"  kubectl sandbox cp team/dev:/work/report.txt .\n\n" +
			"  # Copy from one sandbox to another, and continue an earlier copy that was interrupted\n" +
			"  kubectl sandbox cp dev:/work other:/work --resume\n\n" +
			"  # Copy standard input to a file, and a file to standard output\n" +
			"  echo hello | kubectl sandbox cp - dev:/tmp/greeting\n" +
			"  kubectl sandbox cp dev:/tmp/greeting -",
		Args:              sourcesAndDestination,
		ValidArgsFunction: transfer.CompleteLocations(cli.CompleteSandboxes(f), math.MaxInt),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Sources, o.Destination = args[:len(args)-1], args[len(args)-1]
			if err := o.Validate(); err != nil {
				return err
			}
			return o.Run(cmd.Context(), f, streams)
		},
	}
	transfer.AddContainerFlag(cmd, &o.Container)
	cmd.Flags().BoolVar(&o.Resume, "resume", false,
		"Continue an earlier copy of the same SRC to the same DST that was interrupted.")
	o.Filter.AddFlags(cmd)
	target.AddQuietFlag(cmd, &o.Quiet)
	cmd.Flags().BoolP("recursive", "r", false, "Does nothing, because directories are always copied whole.")
	return cmd
}

// sourcesAndDestination requires at least two arguments.
func sourcesAndDestination(cmd *cobra.Command, args []string) error {
	if len(cli.ArgsBeforeDash(cmd, args)) < 2 {
		return cli.ExactArgs("SRC", "DST")(cmd, args)
	}
	return cli.NoArgsAfterDash(cmd, args)
}

// Validate checks the arguments.
func (o *Options) Validate() error {
	var err error
	if o.to, err = transfer.ParseLocation(o.Destination, runtime.GOOS); err != nil {
		return cli.UsageError(fmt.Errorf("DST: %w", err))
	}
	o.from = make([]transfer.Location, len(o.Sources))
	for i, source := range o.Sources {
		if o.from[i], err = transfer.ParseLocation(source, runtime.GOOS); err != nil {
			return cli.UsageError(fmt.Errorf("SRC: %w", err))
		}
	}
	if _, err := o.Filter.Exclusions(); err != nil {
		return err
	}
	for _, from := range o.from {
		stream := from.IsStandard() || o.to.IsStandard()
		switch {
		case !from.Remote && !o.to.Remote && len(o.from) > 1:
			return cli.UsageError(fmt.Errorf("%s and DST are on this machine: one of them must be in a sandbox, NAME:PATH",
				from.Path))
		case !from.Remote && !o.to.Remote:
			return cli.UsageError(errors.New("one of SRC and DST must be in a sandbox: use NAME:PATH"))
		case !from.SamePlace(o.from[0]):
			return cli.UsageError(errors.New(
				"the sources must be in one sandbox, or all on this machine: copy the others apart",
			))
		case stream && len(o.from) > 1:
			return cli.UsageError(errors.New("\"-\" stands for one file: several sources need a directory as DST"))
		case stream && o.Resume:
			return cli.UsageError(errors.New("--resume needs files on both sides: a stream cannot be resumed"))
		case stream && len(o.Filter.Exclude) > 0:
			return cli.UsageError(errors.New("--exclude needs a directory: a stream is one file"))
		}
	}
	return nil
}

// Run copies the sources to the destination.
func (o *Options) Run(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams) error {
	options, err := o.Filter.Options(f, streams.ErrOut)
	if err != nil {
		return err
	}
	options.Resume, options.Progress = o.Resume, transfer.NewProgress(streams, o.to.IsStandard())
	to, err := o.to.OpenForWriting(ctx, f, o.Container, options, o.Quiet, streams.ErrOut)
	if err == nil {
		err = o.to.Expand(ctx, to)
	}
	if err != nil {
		return err
	}
	from, err := o.from[0].Open(ctx, f, o.Container, options)
	for i := range o.from {
		if err == nil {
			err = o.from[i].Expand(ctx, from)
		}
	}
	if err != nil {
		return err
	}
	bar := transfer.StartBar(streams, options.Progress, f.Clock())
	err = o.copyAll(ctx, from, to, streams)
	bar.End()
	return o.failure(err, o.partial(from, to), f)
}

// partial returns what an interrupted copy has left.
func (o *Options) partial(from, to *files.Copier) string {
	switch {
	case o.to.IsStandard() || o.from[0].IsStandard():
		return ""
	case to != nil:
		return to.Partial()
	}
	return from.Partial()
}

// copyAll copies the sources. from and to are nil for this machine.
func (o *Options) copyAll(ctx context.Context, from, to *files.Copier, streams genericiooptions.IOStreams) error {
	first, name, paths := o.from[0], o.to.Path, make([]string, len(o.from))
	for i, one := range o.from {
		paths[i] = one.Path
	}
	single := len(o.from) == 1 && (from == nil || !files.IsPattern(first.Path))
	switch {
	case first.IsStandard():
		return to.UploadFrom(ctx, streams.In, name)
	case o.to.IsStandard():
		return from.DownloadTo(ctx, first.Path, streams.Out)
	case from == nil && single:
		return to.Upload(ctx, first.Path, name)
	case from == nil:
		return to.UploadAll(ctx, paths, name)
	case to == nil && single:
		return from.Download(ctx, first.Path, name)
	case to == nil:
		return from.DownloadAll(ctx, paths, name)
	case single:
		return from.Relay(ctx, first.Path, to, name)
	}
	return from.RelayAll(ctx, paths, to, name)
}

// sources returns the sources for a message.
func (o *Options) sources() string {
	const most = 3
	if len(o.Sources) <= most {
		return strings.Join(o.Sources, ", ")
	}
	shown := most - 1
	return fmt.Sprintf("%s and %d more", strings.Join(o.Sources[:shown], ", "), len(o.Sources)-shown)
}

// failure adds to the error what was being copied and, if the copy was interrupted, the path of the part that is left.
// A lost connection has its own exit code, not that of a remote command.
func (o *Options) failure(err error, left string, f factory.Factory) error {
	if err == nil {
		return nil
	}
	what := fmt.Errorf("copy %s to %s: %w", o.sources(), o.Destination, err)
	if left != "" {
		if o.to.Remote {
			left = o.to.Place + ":" + left
		}
		what = fmt.Errorf("%w; what has arrived is in %s", what, left)
	}
	if _, lost := errors.AsType[*stream.LostError](err); !lost {
		return what
	}
	if o.from[0].IsStandard() || o.to.IsStandard() {
		return cli.ConnectionLostError(fmt.Errorf("%w: the copy is incomplete", what))
	}
	words := []string{"cp", cli.ShellJoin(append(slices.Clone(o.Sources), o.Destination)), "--resume"}
	words = append(words, o.Filter.Words()...)
	if o.Container != "" {
		words = append(words, "-c", o.Container)
	}
	command := strings.Join(words, " ")
	return cli.ConnectionLostError(fmt.Errorf("%w; the copy is incomplete; to continue it: %s",
		what, printing.SuggestedCommand(command, f)))
}
