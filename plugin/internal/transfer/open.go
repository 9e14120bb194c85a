// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package transfer

import (
	"context"
	"fmt"
	"io"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/target"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/files"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
)

// Options returns the options of a copier that warns and continues after lost connections.
func (f *Filter) Options(clients factory.Factory, errOut io.Writer) (files.Options, error) {
	exclude, err := f.Exclusions()
	if err != nil {
		return files.Options{}, err
	}
	warn := func(warning string) {
		_, _ = printable.Fprintf(errOut, "Warning: %s\n", warning) // best effort
	}
	return files.Options{
		Warn: warn, Retry: (&Retrier{Clock: clients.Clock(), Warn: warn}).RetryAfter,
		Exclude: exclude, AllFilesystems: f.AllFilesystems,
	}, nil
}

// Open returns a copier for the sandbox of a location that is read; nil if it is on this machine.
func (s Location) Open(
	ctx context.Context, f factory.Factory, container string, options files.Options,
) (*files.Copier, error) {
	return s.open(ctx, f, container, options, func(*target.Container) {})
}

// OpenForWriting is Open for a location that is changed. It warns if the sandbox is a member of a pool, unless quiet.
func (s Location) OpenForWriting(
	ctx context.Context, f factory.Factory, container string, options files.Options, quiet bool, errOut io.Writer,
) (*files.Copier, error) {
	return s.open(ctx, f, container, options, func(in *target.Container) { in.WarnOfMember(errOut, quiet) })
}

func (s Location) open(
	ctx context.Context, f factory.Factory, container string, options files.Options, entered func(*target.Container),
) (*files.Copier, error) {
	if !s.Remote {
		return nil, nil
	}
	in, err := target.ResolveIn(ctx, f, s.Namespace, s.Ref, container)
	if err != nil {
		return nil, err
	}
	entered(in)
	return files.New(in.Network, in.Address, options), nil
}

// Expand replaces ~ in the path of a location in a sandbox.
func (s *Location) Expand(ctx context.Context, in *files.Copier) error {
	if in == nil {
		return nil
	}
	expanded, err := in.ExpandHome(ctx, s.Path)
	if err != nil {
		return fmt.Errorf("%s: %w", s.Path, err)
	}
	s.Path = expanded
	return nil
}
