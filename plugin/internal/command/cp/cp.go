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

const long = `cp copies files and directories between this machine and a sandbox, or between two sandboxes.
SRC and DST are each NAME:PATH for a sandbox, a local path, or "-" for standard input or output. NAME may
be NAMESPACE/NAME. PATH may be relative to the container's working directory.

Where the copy goes:
  a file       DST is the name of the copy. If DST ends in a slash or is a directory, the copy goes into it.
  a directory  DST is the name of the copy, whether it exists or not. If DST ends in a slash, the copy goes
               into it. If SRC ends in a slash, the content of SRC goes into DST.
  a pattern    With * ? or [] in the PATH of a sandbox, everything that matches goes into DST.
"." and ".." at the end of a path count as a slash. Copying again gives the same tree: it replaces files,
and files that exist only at the destination stay.

A copy gets its name when it is complete and, if the image has sha256sum, verified. Until then it is called
.kubectl-sandbox-... in the same directory. If the connection is lost, the copy continues by itself, up to
five times. An interrupted copy leaves what has arrived and says where; the same command with --resume
continues it.

Modes, times, symbolic links and hard links are kept; the owner is the user who writes the copy. To copy
directories, the image needs tar. Write a local path that contains a colon with "./" in front; on Windows,
a single letter before the colon is a drive.`

// Options are the arguments and flags.
type Options struct {
	Source, Destination string
	Container           string
	Resume              bool
	// Quiet omits the warning about a member of a pool.
	Quiet bool

	from, to location
}

// NewCommand returns the command.
func NewCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := &Options{}
	cmd := &cobra.Command{
		Use:        "cp SRC DST [-c CONTAINER]",
		SuggestFor: []string{"copy", "upload", "download", "scp"},
		Short:      "Copy files and directories to and from sandboxes",
		Long:       long,
		Example: "  # Copy a file, and a directory that becomes /work/project\n" +
			"  kubectl sandbox cp main.py dev:/work/main.py\n" +
			"  kubectl sandbox cp project dev:/work/\n\n" +
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
		Args:              cli.ExactArgs("SRC", "DST"),
		ValidArgsFunction: completeLocations(cli.CompleteSandboxes(f)),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Source, o.Destination = args[0], args[1]
			if err := o.Validate(); err != nil {
				return err
			}
			return o.Run(cmd.Context(), f, streams)
		},
	}
	cmd.Flags().StringVarP(&o.Container, "container", "c", "",
		"The container. (default: the one that the Pod marks as its default, or the first)")
	cmd.Flags().BoolVar(&o.Resume, "resume", false,
		"Continue an earlier copy of the same SRC to the same DST that was interrupted.")
	target.AddQuietFlag(cmd, &o.Quiet)
	cmd.Flags().BoolP("recursive", "r", false, "Does nothing, because directories are always copied whole.")
	return cmd
}

// completeLocations suggests sandboxes, followed by a colon, in addition to the files that the shell suggests.
func completeLocations(names cli.CompletionFunc) cli.CompletionFunc {
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
	case o.Resume && (o.from.isStandard() || o.to.isStandard()):
		return cli.UsageError(errors.New("--resume needs files on both sides: a stream cannot be resumed"))
	}
	return nil
}

// Run copies the source to the destination.
func (o *Options) Run(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams) error {
	warn := func(warning string) {
		_, _ = printable.Fprintf(streams.ErrOut, "Warning: %s\n", warning) // best effort
	}
	options := files.Options{
		Resume: o.Resume, Progress: newProgress(streams, o.to.isStandard()), Warn: warn,
		Retry: (&retrier{clock: f.Clock(), warn: warn}).retryAfter,
	}
	open := func(s location, changed bool) (*files.Copier, error) {
		if !s.Remote {
			return nil, nil
		}
		container, err := target.ResolveIn(ctx, f, s.Namespace, s.Ref, o.Container)
		if err != nil {
			return nil, err
		}
		if changed {
			container.WarnOfMember(streams.ErrOut, o.Quiet)
		}
		return files.New(container.Network, container.Address, options), nil
	}
	from, err := open(o.from, false)
	if err != nil {
		return err
	}
	to, err := open(o.to, true)
	if err != nil {
		return err
	}
	bar := startBar(streams, options.Progress, f.Clock())
	err = o.copyAll(ctx, from, to, streams)
	bar.end()
	left := ""
	switch {
	case o.to.isStandard() || o.from.isStandard():
	case to != nil:
		left = to.Partial()
	default:
		left = from.Partial()
	}
	return o.failure(err, left, f)
}

// copyAll copies the source, or everything that matches if it is a pattern. from and to are nil for this machine.
func (o *Options) copyAll(ctx context.Context, from, to *files.Copier, streams genericiooptions.IOStreams) error {
	if from == nil || o.to.isStandard() || !files.IsPattern(o.from.Path) {
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
	case o.from.isStandard():
		return to.UploadFrom(ctx, streams.In, target)
	case o.to.isStandard():
		return from.DownloadTo(ctx, source, streams.Out)
	case from == nil:
		return to.Upload(ctx, source, target)
	case to == nil:
		return from.Download(ctx, source, target)
	}
	return from.Relay(ctx, source, to, target)
}

// failure adds to the error what was being copied and, if the copy was interrupted, the path of the part that is left.
// A lost connection has its own exit code, not that of a remote command.
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
	if o.from.isStandard() || o.to.isStandard() {
		return cli.ConnectionLostError(fmt.Errorf("%w: the copy is incomplete", what))
	}
	command := fmt.Sprintf("cp %s %s --resume", cli.ShellQuote(o.Source), cli.ShellQuote(o.Destination))
	if o.Container != "" {
		command += " -c " + o.Container
	}
	return cli.ConnectionLostError(fmt.Errorf("%w; the copy is incomplete; to continue it: %s",
		what, printing.SuggestedCommand(command, f)))
}
