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
	// Volumes deletes unused volumes instead of sandboxes.
	Volumes bool
}

// NewCommand returns the command.
func NewCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := &Options{}
	cmd := &cobra.Command{
		Use:        "delete NAME... | --all | -l SELECTOR | --volumes NAME...",
		Aliases:    []string{"rm"},
		SuggestFor: []string{"remove", "kill"},
		Short:      "Delete sandboxes and their volumes",
		Long: "delete deletes claims and Sandboxes with everything that belongs to them: Pod, Service, and volumes\n" +
			"unless persistentVolumeClaimRetentionPolicy retains them. It names the volumes that are deleted and\n" +
			"those that stay. On a terminal it asks for confirmation; without a terminal it refuses unless --yes is\n" +
			"given. With --wait it returns when everything that it deletes is gone.\n\n" +
			"With --volumes it deletes volumes that outlived their Sandbox, by the names that list --volumes shows. It\n" +
			"does not delete a volume that is in use.",
		Example: "  # Delete one sandbox without confirmation\n" +
			"  kubectl sandbox delete dev --yes\n\n" +
			"  # Delete everything with a label, and wait until it is gone\n" +
			"  kubectl sandbox delete -l team=research --yes --wait\n\n" +
			"  # Delete a volume that outlived its Sandbox\n" +
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
	o.Selection.AddQuietFlag(cmd)
	o.Waiting.AddFlags(cmd, "the sandboxes and everything that belongs to them are gone")
	cli.AddYesFlag(cmd, &o.Yes)
	cli.AddIgnoreNotFoundFlag(cmd, &o.Selection.IgnoreNotFound)
	cmd.Flags().BoolVar(&o.Volumes, "volumes", false, "Delete unused volumes, by their names, instead of sandboxes.")
	return cmd
}

// Run deletes the selected sandboxes. It deletes exactly the objects that it showed in the question: their UIDs are
// preconditions.
func (o *Options) Run(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams) error {
	if err := cli.RequireConfirmable(streams.In, o.Yes, "delete"); err != nil {
		return err
	}
	a, err := factory.NewClients(f)
	if err != nil {
		return err
	}
	objects, err := o.Selection.Objects(ctx, a.Sandboxes, a.Namespace)
	if err != nil {
		return err
	}
	targets, failed := o.resolve(ctx, a, objects)
	if len(targets) == 0 {
		if failed == nil && len(objects) == 0 {
			_, err = printable.Fprintf(streams.ErrOut, "%s\n", o.Selection.NoneSelected(a.Namespace))
		}
		return errors.Join(failed, err)
	}
	remarks := streams.ErrOut
	if o.Yes {
		remarks = o.Selection.ProgressOut(streams.ErrOut) // a question is never without them
	}
	if err := printVolumes(ctx, a, targets, remarks); err != nil {
		return errors.Join(failed, err)
	}
	if !o.Yes {
		question := fmt.Sprintf("Delete %s in %s?", targetNames(targets), namespacesOf(targets))
		if err := cli.Confirm(ctx, streams, question); err != nil {
			return err
		}
	}
	return errors.Join(failed, o.delete(ctx, a, targets, streams))
}

func (o *Options) resolve(
	ctx context.Context, a *factory.Clients, objects []cli.Selected,
) (targets []*resolve.Target, failed error) {
	for _, object := range objects {
		t, err := a.Resolver.ClaimAndSandbox(ctx, object.Namespace, object.Ref)
		if o.Selection.IgnoreNotFound && resolve.Is(err, resolve.NotFound) {
			continue
		}
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
	byObject := map[cli.Selected]*resolve.Target{}
	objects := make([]cli.Selected, 0, len(targets))
	for _, t := range targets {
		object := cli.Selected{Namespace: t.Namespace, Ref: resolve.Ref{Kind: t.Kind(), Name: t.Name()}}
		if byObject[object] == nil {
			objects = append(objects, object)
		}
		byObject[object] = t
	}
	progress := cli.NewWaitProgress(o.Selection.ProgressOut(streams.ErrOut))
	return cli.ForEach(streams.Out, objects, func(object cli.Selected) (string, error) {
		if err := a.Client.Delete(ctx, byObject[object], o.Waiting.Wait); err != nil {
			return "", err
		}
		if o.Waiting.Wait {
			_, err := a.Wait(ctx, await.Request{
				Namespace: object.Namespace, Ref: object.Ref, UID: byObject[object].UID(), Goal: await.Deleted,
				Timeout: o.Waiting.Timeout, Progress: progress.PrinterFor(object.Ref.Name, await.Deleted),
			}, streams.ErrOut)
			if err != nil {
				return "", err
			}
		}
		return o.Selection.Result(object, "deleted"), nil
	})
}

func targetNames(targets []*resolve.Target) string {
	names := make([]string, len(targets))
	for i, t := range targets {
		names[i] = string(t.Kind()) + "/" + t.Name()
	}
	return cli.JoinNames(names)
}

// namespacesOf names the namespaces of the targets.
func namespacesOf(targets []*resolve.Target) string {
	names := make([]string, len(targets))
	for i, t := range targets {
		names[i] = t.Namespace
	}
	return cli.JoinNamespaces(names)
}
