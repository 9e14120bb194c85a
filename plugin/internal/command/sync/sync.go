// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package sync is the command `sync`.
package sync

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/cli-runtime/pkg/printers"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/target"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/transfer"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/files"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
)

const long = `sync makes a directory like another one: it copies only what differs, from this machine to a sandbox or
back. One of SRC and DST is NAME:PATH, the other one is a local path. PATH may be relative to the
container's working directory, and ~ at its beginning is the home directory of the container's user.

As with 'cp', DST is the name of the copy. If DST ends in a slash, the copy goes into it under the name of
SRC; if SRC ends in a slash, its content goes into DST.

A file differs if its size, its time in seconds or its mode differs; with --checksum, if its size, its
sha256 or its mode differs. Files get their names when all are complete, as with 'cp', and a lost connection
is continued by itself, up to five times. Special files and what is on other file systems below the
directory are left alone.

With --delete, what SRC does not have is deleted from DST, after everything else has been copied. What
matches --exclude is neither copied nor deleted, nothing is deleted if SRC could not be listed completely,
symbolic links are not followed, and a directory that still contains something stays. If SRC is empty,
--delete asks, and needs --yes where it cannot ask. --dry-run shows what would be done.

With --watch, sync goes on: it copies what changes in a local SRC within a second, and looks at a SRC in a
sandbox every two seconds. Ctrl-C ends it. The image needs a shell, find, stat and, to copy, tar.`

// Options are the arguments and flags.
type Options struct {
	Source, Destination string
	Container           string
	Filter              transfer.Filter
	Checksum, Delete    bool
	DryRun, Watch, Yes  bool
	// Quiet omits the warning about a member of a pool.
	Quiet bool

	from, to transfer.Location
}

// NewCommand returns the command.
func NewCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := &Options{}
	cmd := &cobra.Command{
		Use:        "sync SRC DST [-c CONTAINER]",
		SuggestFor: []string{"rsync", "mirror"},
		Short:      "Copy what differs between a directory and a sandbox",
		Long:       long,
		Example: "  # Copy what has changed in a project since the last time\n" +
			"  kubectl sandbox sync project dev:/work/project --exclude .git\n\n" +
			"  # Show what would be copied, and deleted because it is not in the project\n" +
			"  kubectl sandbox sync project dev:/work/project --delete --dry-run\n\n" +
			"  # Copy each change while you edit\n" +
			"  kubectl sandbox sync project dev:/work/project --watch\n\n" +
			"  # Fetch results\n" +
			"  kubectl sandbox sync dev:/work/project project --checksum",
		Args:              cli.ExactArgs("SRC", "DST"),
		ValidArgsFunction: transfer.CompleteLocations(cli.CompleteSandboxes(f), 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Source, o.Destination = args[0], args[1]
			if err := o.Validate(); err != nil {
				return err
			}
			return o.Run(cmd.Context(), f, streams)
		},
	}
	transfer.AddContainerFlag(cmd, &o.Container)
	o.Filter.AddFlags(cmd)
	target.AddQuietFlag(cmd, &o.Quiet)
	cmd.Flags().BoolVar(&o.Checksum, "checksum", false, "Compare the content of files instead of their times.")
	cmd.Flags().BoolVar(&o.Delete, "delete", false, "Delete what SRC does not have.")
	cmd.Flags().BoolVar(&o.DryRun, "dry-run", false, "Show what would be done, and change nothing.")
	cmd.Flags().BoolVarP(&o.Watch, "watch", "w", false, "Go on, and copy what changes.")
	cmd.Flags().BoolVarP(&o.Yes, "yes", "y", false, "Do not ask, and delete everything if SRC is empty.")
	return cmd
}

// Validate checks the arguments.
func (o *Options) Validate() error {
	var err error
	if o.from, err = transfer.ParseLocation(o.Source, runtime.GOOS); err != nil {
		return cli.UsageError(fmt.Errorf("SRC: %w", err))
	}
	if o.to, err = transfer.ParseLocation(o.Destination, runtime.GOOS); err != nil {
		return cli.UsageError(fmt.Errorf("DST: %w", err))
	}
	switch {
	case o.from.IsStandard() || o.to.IsStandard():
		return cli.UsageError(errors.New("sync compares directories: use 'cp' for standard input and output"))
	case o.from.Remote && o.to.Remote:
		return cli.UsageError(errors.New("one of SRC and DST must be on this machine: use 'cp' between sandboxes"))
	case !o.from.Remote && !o.to.Remote:
		return cli.UsageError(errors.New("one of SRC and DST must be in a sandbox: use NAME:PATH"))
	case o.Watch && o.DryRun:
		return cli.UsageError(errors.New("--dry-run changes nothing, so there is nothing to --watch"))
	}
	_, err = o.Filter.Exclusions()
	return err
}

// Run synchronizes once, or until it is interrupted.
func (o *Options) Run(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams) error {
	if o.Watch {
		return o.watch(ctx, f, streams)
	}
	progress := transfer.NewProgress(streams, false)
	c, err := o.open(ctx, f, streams, progress)
	if err != nil {
		return err
	}
	bar := transfer.StartBar(streams, progress, f.Clock())
	report, err := o.sync(ctx, c, nil, o.Yes)
	bar.End()
	if errors.Is(err, files.ErrEmptySource) {
		if err = o.confirm(ctx, streams, err); err == nil {
			report, err = o.sync(ctx, c, nil, true)
		}
	}
	if err != nil {
		return o.failure(err)
	}
	return o.print(streams.Out, report)
}

// confirm asks whether everything is to be deleted.
func (o *Options) confirm(ctx context.Context, streams genericiooptions.IOStreams, empty error) error {
	if !printers.IsTerminal(streams.In) {
		return fmt.Errorf("%w: give --yes if you mean it", empty)
	}
	return cli.Confirm(ctx, streams, o.Source+" is empty. Delete everything in "+o.Destination+"?")
}

// open returns a copier for the sandbox. It updates the progress, which may be nil.
func (o *Options) open(
	ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams, progress *files.Progress,
) (*files.Copier, error) {
	options, err := o.Filter.Options(f, streams.ErrOut)
	if err != nil {
		return nil, err
	}
	options.Progress = progress
	if o.from.Remote {
		c, err := o.from.Open(ctx, f, o.Container, options)
		if err == nil {
			err = o.from.Expand(ctx, c)
		}
		return c, err
	}
	c, err := o.to.OpenForWriting(ctx, f, o.Container, options, o.Quiet, streams.ErrOut)
	if err == nil {
		err = o.to.Expand(ctx, c)
	}
	return c, err
}

// sync synchronizes once. Names in changed are copied although they look the same.
func (o *Options) sync(
	ctx context.Context, c *files.Copier, changed map[string]bool, allowEmpty bool,
) (*files.SyncReport, error) {
	options := files.SyncOptions{
		Checksum: o.Checksum, Delete: o.Delete, AllowEmpty: allowEmpty, DryRun: o.DryRun, Changed: changed,
	}
	if o.from.Remote {
		return c.SyncDown(ctx, o.from.Path, o.to.Path, options)
	}
	return c.SyncUp(ctx, o.from.Path, o.to.Path, options)
}

// failure adds to the error what was being done. A lost connection has its own exit code.
func (o *Options) failure(err error) error {
	what := fmt.Errorf("sync %s to %s: %w", o.Source, o.Destination, err)
	if _, lost := errors.AsType[*stream.LostError](err); lost {
		return cli.ConnectionLostError(fmt.Errorf("%w; the same command continues", what))
	}
	return what
}
