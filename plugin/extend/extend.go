// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package extend is the command `extend`.
package extend

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/util/retry"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/access"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/argument"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/exit"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/factory"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/selection"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// Options are the names and flags.
type Options struct {
	Names []string
	By    time.Duration
	refs  []resolve.Ref
}

// NewCommand returns the command.
func NewCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := &Options{}
	cmd := &cobra.Command{
		Use:   "extend NAME... --by DURATION",
		Short: "Give sandboxes more time",
		Long: "extend moves the shutdown time of sandboxes. One whose time is over but which was kept gets its time from now, and\n" +
			"starts again. A sandbox without a shutdown time lives until it is deleted and is not given one.",
		Example: "  # Half an hour more\n" +
			"  kubectl sandbox extend dev --by 30m",
		Args: argument.AtLeastOne("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Names = args
			if err := o.Validate(); err != nil {
				return err
			}
			return o.Run(cmd.Context(), f, streams)
		},
	}
	cmd.Flags().DurationVar(&o.By, "by", 0, "How much later the sandboxes end, as in 30m or 2h.")
	return cmd
}

// Validate checks the names and flags.
func (o *Options) Validate() error {
	if o.By < time.Second {
		return exit.Usage(errors.New("--by is missing or less than a second: give a duration, as in --by 30m"))
	}
	refs, err := selection.ParseAll(o.Names)
	o.refs = refs
	return err
}

// Run extends every sandbox. When somebody else changes one at the same time, it is read and extended anew.
func (o *Options) Run(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams) error {
	a, err := access.Open(f)
	if err != nil {
		return err
	}
	return selection.Each(streams.Out, o.refs, func(ref resolve.Ref) (result string, err error) {
		err = retry.RetryOnConflict(retry.DefaultRetry, func() error {
			t, err := a.Resolver.Holder(ctx, a.Namespace, ref)
			if err != nil {
				return err
			}
			end, err := a.Client.Extend(ctx, t, o.By)
			result = fmt.Sprintf("%s/%s extended to %s", t.Kind(), t.Name(), end.UTC().Format(time.RFC3339))
			return err
		})
		return result, err
	})
}
