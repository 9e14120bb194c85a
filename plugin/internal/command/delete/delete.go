// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package delete is the command `delete`.
package delete

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/await"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// Options are the names and flags.
type Options struct {
	Selection cli.SelectionOptions
	Waiting   cli.WaitOptions
	Yes       bool
	// Volumes deletes volumes that nothing uses, and no sandbox.
	Volumes bool
}

// NewCommand returns the command.
func NewCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := &Options{}
	cmd := &cobra.Command{
		Use:        "delete NAME... | --all | -l SELECTOR | --volumes NAME...",
		SuggestFor: []string{"rm", "remove", "kill"},
		Short:      "Delete sandboxes with their volumes",
		Long: "delete deletes claims and Sandboxes with everything that belongs to them: Pod, Service and volumes, unless\n" +
			"persistentVolumeClaimRetentionPolicy has the volumes stay. It names the volumes that go and those that stay. It asks first on\n" +
			"a terminal, and without one refuses unless --yes is given. With --wait it returns when all that goes is gone.\n\n" +
			"With --volumes it deletes volumes that outlived their Sandbox, by the names that list --volumes shows, and none that is used.",
		Example: "  # Delete one sandbox without being asked\n" +
			"  kubectl sandbox delete dev --yes\n\n" +
			"  # Delete everything with a label, and wait until it is gone\n" +
			"  kubectl sandbox delete -l team=research --yes --wait\n\n" +
			"  # Delete a volume that was kept\n" +
			"  kubectl sandbox delete --volumes work-old --yes",
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Selection.Names = args
			if o.Volumes {
				return o.deleteVolumes(cmd.Context(), f, streams)
			}
			if err := o.Selection.Validate(); err != nil {
				return err
			}
			return o.Run(cmd.Context(), f, streams)
		},
	}
	o.Selection.AddFlags(cmd)
	o.Waiting.AddFlags(cmd, "they and all that belongs to them are gone")
	cli.AddYesFlag(cmd, &o.Yes)
	cmd.Flags().BoolVar(&o.Volumes, "volumes", false, "Delete volumes that nothing uses, by their names, and no sandbox.")
	return cmd
}

// Run deletes the selected sandboxes. What is shown before the question is what is deleted: the objects are pinned by
// UID.
func (o *Options) Run(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams) error {
	if err := cli.RequireConfirmable(streams.In, o.Yes, "delete"); err != nil {
		return err
	}
	a, err := factory.NewClients(f)
	if err != nil {
		return err
	}
	refs, err := o.Selection.Refs(ctx, a.Sandboxes, a.Namespace)
	if err != nil {
		return err
	}
	targets, failed := o.resolve(ctx, a, refs)
	if len(targets) == 0 {
		if failed == nil {
			_, err = printable.Fprintf(streams.ErrOut, "No sandboxes are selected in namespace %s.\n", a.Namespace)
		}
		return errors.Join(failed, err)
	}
	if err := tellVolumes(ctx, a, targets, streams.ErrOut); err != nil {
		return errors.Join(failed, err)
	}
	if !o.Yes {
		question := fmt.Sprintf("Delete %s in namespace %s?", list(targets), a.Namespace)
		if err := cli.Confirm(ctx, streams, question); err != nil {
			return err
		}
	}
	return errors.Join(failed, o.delete(ctx, a, targets, streams))
}

func (o *Options) resolve(
	ctx context.Context, a *factory.Clients, refs []resolve.Ref,
) (targets []*resolve.Target, failed error) {
	for _, ref := range refs {
		t, err := a.Resolver.ClaimAndSandbox(ctx, a.Namespace, ref)
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		targets = append(targets, t)
	}
	return targets, failed
}

func (o *Options) delete(
	ctx context.Context, a *factory.Clients, targets []*resolve.Target, streams genericiooptions.IOStreams,
) error {
	byRef := map[resolve.Ref]*resolve.Target{}
	refs := make([]resolve.Ref, 0, len(targets))
	for _, t := range targets {
		ref := resolve.Ref{Kind: t.Kind(), Name: t.Name()}
		if byRef[ref] == nil {
			refs = append(refs, ref)
		}
		byRef[ref] = t
	}
	progress := cli.NewWaitProgress(streams.ErrOut)
	return cli.ForEach(streams.Out, refs, func(ref resolve.Ref) (string, error) {
		if err := a.Client.Delete(ctx, byRef[ref], o.Waiting.Wait); err != nil {
			return "", err
		}
		if o.Waiting.Wait {
			_, err := a.Wait(ctx, await.Request{
				Namespace: a.Namespace, Ref: ref, UID: byRef[ref].UID(), Goal: await.Deleted,
				Timeout: o.Waiting.Timeout, Progress: progress.Of(ref.Name, await.Deleted),
			}, streams.ErrOut)
			if err != nil {
				return "", err
			}
		}
		return ref.String() + " deleted", nil
	})
}

func list(targets []*resolve.Target) string {
	names := make([]string, len(targets))
	for i, t := range targets {
		names[i] = string(t.Kind()) + "/" + t.Name()
	}
	return cli.JoinNames(names)
}
