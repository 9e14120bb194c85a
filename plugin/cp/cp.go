// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package cp is the command `cp`.
package cp

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/argument"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/complete"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/exec"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/exit"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/factory"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/files"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
)

const long = `cp copies files and directories between this machine and a sandbox. One of SRC and DST is NAME:PATH, the other a local
path, or "-" for standard input or output. PATH in the sandbox may be relative to the container's working directory.

Where the copy goes:
  a file       DST is the name of the copy; if DST ends in a slash or is a directory, the copy goes into it
  a directory  DST is the copy, whether it exists or not; if DST ends in a slash, the copy goes into it; if SRC ends
               in a slash, what is in SRC goes into DST
"." and ".." at the end of a path count as a slash. Copying again gives the same tree: files are replaced, and what is only
at the destination stays.

Modes, times and symbolic links are kept; the owner is the one who writes. Directories need tar in the image. Local
paths with a colon are written with "./" in front; on Windows a single letter before the colon is a drive.`

// Options are the arguments and flags.
type Options struct {
	Source, Destination string
	Container           string

	from, to side
}

// NewCommand returns the command.
func NewCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := &Options{}
	cmd := &cobra.Command{
		Use:   "cp SRC DST [-c CONTAINER]",
		Short: "Copy files into a sandbox and out of it",
		Long:  long,
		Example: "  # A file, and a directory that becomes /work/project\n" +
			"  kubectl sandbox cp main.py dev:/work/main.py\n" +
			"  kubectl sandbox cp project dev:/work/\n\n" +
			"  # Back again\n" +
			"  kubectl sandbox cp dev:/work/project ./results\n\n" +
			"  # Standard input and output\n" +
			"  echo hello | kubectl sandbox cp - dev:/tmp/greeting\n" +
			"  kubectl sandbox cp dev:/tmp/greeting -",
		Args:              argument.Exactly("SRC", "DST"),
		ValidArgsFunction: completeSides(complete.Sandboxes(f)),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Source, o.Destination = args[0], args[1]
			if err := o.Validate(); err != nil {
				return err
			}
			return o.Run(cmd.Context(), f, streams)
		},
	}
	cmd.Flags().StringVarP(&o.Container, "container", "c", "", "The container. (default: the one that the Pod marks as its default, or the first)")
	return cmd
}

// completeSides suggests sandboxes, with the colon that follows, beside the shell's own suggestion of files.
func completeSides(names complete.Func) complete.Func {
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
		return exit.Usage(fmt.Errorf("SRC: %w", err))
	}
	if o.to, err = parse(o.Destination, runtime.GOOS); err != nil {
		return exit.Usage(fmt.Errorf("DST: %w", err))
	}
	switch {
	case o.from.Remote && o.to.Remote:
		return exit.Usage(errors.New("one of SRC and DST must be local: copy to this machine first"))
	case !o.from.Remote && !o.to.Remote:
		return exit.Usage(errors.New("one of SRC and DST must be in a sandbox: use NAME:PATH"))
	}
	return nil
}

// Run copies.
func (o *Options) Run(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams) error {
	ref := o.from.Ref
	if o.to.Remote {
		ref = o.to.Ref
	}
	inside, err := exec.Enter(ctx, f, ref, o.Container)
	if err != nil {
		return err
	}
	copier := files.New(inside.Network, inside.Container, func(warning string) {
		_, _ = fmt.Fprintf(streams.ErrOut, "Warning: %s\n", warning) // there is nowhere else to say it
	})
	switch {
	case o.from.Path == standard && !o.from.Remote:
		err = copier.UploadFrom(ctx, streams.In, o.to.Path)
	case o.to.Path == standard && !o.to.Remote:
		err = copier.DownloadTo(ctx, o.from.Path, streams.Out)
	case o.to.Remote:
		err = copier.Upload(ctx, o.from.Path, o.to.Path)
	default:
		err = copier.Download(ctx, o.from.Path, o.to.Path)
	}
	return failure(o, err)
}

// failure says what was being copied. A lost connection is a failed copy: no remote command's code is passed on.
func failure(o *Options, err error) error {
	var lost *stream.LostError
	what := fmt.Sprintf("copy %s to %s", o.Source, o.Destination)
	switch {
	case err == nil:
		return nil
	case errors.As(err, &lost):
		return fmt.Errorf("%s: %w: the copy is incomplete", what, err)
	}
	return fmt.Errorf("%s: %w", what, err)
}
