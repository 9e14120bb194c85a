// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package list is the command `list`, also called `get`.
package list

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/client/clientset/versioned"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/printing"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/diagnose"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/observe"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// Options are the names and flags.
type Options struct {
	Names         []string
	AllNamespaces bool
	Selector      string
	// Watch prints changes after the list, until interrupted.
	Watch bool
	// Volumes lists volumes instead of claims and Sandboxes.
	Volumes  bool
	printing *printing.TableOptions
	refs     []resolve.Ref
}

// NewCommand returns the command.
func NewCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := &Options{printing: printing.NewTableOptions()}
	cmd := &cobra.Command{
		Use:        "list [NAME...]",
		SuggestFor: []string{"ps", "show"},
		Aliases:    []string{"get", "ls"},
		Short:      "List claims and Sandboxes",
		Long: "list shows the claims and Sandboxes of a namespace, or of all namespaces with -A. The column HELD BY\n" +
			"names the claim or pool that owns a Sandbox. With -o json or yaml the output is one List of the objects,\n" +
			"even if it is empty.\n\n" +
			"With --volumes it lists the volumes that were created for Sandboxes instead: the Sandbox of each, what\n" +
			"uses it (a Sandbox, a Pod, or an expired claim that gets it back), and how long it has been unused.\n" +
			"delete --volumes deletes unused volumes.",
		Example: "  # List with addresses and nodes\n" +
			"  kubectl sandbox list -o wide\n\n" +
			"  # List all namespaces, oldest first\n" +
			"  kubectl sandbox list -A --sort-by .metadata.creationTimestamp\n\n" +
			"  # List, then watch for changes\n" +
			"  kubectl sandbox list -w\n\n" +
			"  # Print names for a script\n" +
			"  kubectl sandbox list -l team=research -o name\n\n" +
			"  # List the volumes, and how long each has been unused\n" +
			"  kubectl sandbox list --volumes",
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Names = args
			if err := o.Validate(); err != nil {
				return err
			}
			if o.Volumes {
				return o.listVolumes(cmd.Context(), f, streams)
			}
			return o.Run(cmd.Context(), f, streams)
		},
	}
	cmd.Flags().BoolVarP(&o.AllNamespaces, "all-namespaces", "A", false, "List all namespaces.")
	cmd.Flags().StringVarP(&o.Selector, "selector", "l", "", "Select by label, as in '-l team=a,stage!=test'.")
	cmd.Flags().BoolVarP(
		&o.Watch, "watch", "w", false,
		"After listing, watch for changes until interrupted. Each change is one row, or one document.",
	)
	cmd.Flags().BoolVar(
		&o.Volumes, "volumes", false, "List the volumes that were created for Sandboxes, used or not, instead.",
	)
	o.printing.AddFlags(cmd)
	return cmd
}

// Validate checks the names and flags.
func (o *Options) Validate() error {
	if o.Volumes && o.Watch {
		return cli.UsageError(errors.New("--volumes and --watch do not go together"))
	}
	if o.Volumes {
		for i, name := range o.Names {
			o.Names[i] = strings.TrimPrefix(name, "volume/")
		}
	}
	refs, err := cli.ParseListFlags(o.Names, o.AllNamespaces, o.Selector, o.printing)
	o.refs = refs
	return err
}

// found holds the objects to list.
type found struct {
	claims    []extensionsv1beta1.SandboxClaim
	sandboxes []agentsv1beta1.Sandbox
	// named holds the targets of the given names.
	named []*resolve.Target
}

// Run lists the objects. A name that does not exist is an error; the others are still listed.
func (o *Options) Run(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams) error {
	a, err := factory.NewClients(f)
	if err != nil {
		return err
	}
	l := &lister{
		options:   o,
		access:    a,
		streams:   streams,
		style:     printing.Style{Colored: f.Color(streams.Out)},
		namespace: a.Namespace,
		now:       f.Clock().Now,
	}
	if o.AllNamespaces {
		l.namespace = metav1.NamespaceAll
	}
	items, targets, failed := l.list(ctx)
	if items == nil && failed != nil {
		return failed
	}
	if o.Watch {
		return errors.Join(failed, l.watch(ctx, f.Clock(), items, targets))
	}
	if o.printing.Table() && len(items) == 0 {
		return errors.Join(failed, o.printEmpty(l.namespace, streams))
	}
	return errors.Join(failed, o.printing.Print(items, columns(), o.AllNamespaces, streams.Out))
}

// lister lists once, or repeatedly for --watch.
type lister struct {
	options   *Options
	access    *factory.Clients
	streams   genericiooptions.IOStreams
	style     printing.Style
	namespace string
	now       func() time.Time
}

// list returns the current items. If it returns items and an error, some of the given names do not exist.
func (l *lister) list(ctx context.Context) (listed []printing.Item, targets []*resolve.Target, failed error) {
	var objects found
	var err error
	if len(l.options.refs) > 0 {
		objects.named, failed = byName(ctx, l.access, l.options.refs)
	} else if objects, err = listAll(ctx, l.access.Sandboxes, l.namespace, l.options.Selector); err != nil {
		return nil, nil, err
	}
	targets = objects.targets()
	listed, err = items(l.snapshots(ctx, targets), l.style)
	return listed, targets, errors.Join(failed, err)
}

// snapshots returns what a table needs for its states. Other formats get the objects alone, without more requests:
// programs evaluate their states themselves.
func (l *lister) snapshots(ctx context.Context, targets []*resolve.Target) []diagnose.Snapshot {
	if l.options.printing.Table() {
		return l.access.Observer.Snapshots(ctx, l.namespace, targets)
	}
	all := make([]diagnose.Snapshot, len(targets))
	for i, t := range targets {
		all[i] = observe.FromTarget(t, l.now())
	}
	return all
}

// printEmpty prints that nothing was found, unless names were given: their errors say it already.
func (o *Options) printEmpty(namespace string, streams genericiooptions.IOStreams) error {
	if len(o.refs) > 0 {
		return nil
	}
	where := "any namespace"
	if namespace != metav1.NamespaceAll {
		where = "namespace " + namespace
	}
	_, err := printable.Fprintf(streams.ErrOut, "No sandboxes found in %s.\n", where)
	return err
}

// listAll lists claims and Sandboxes. It leaves out claims that the cluster does not serve or the user may not list.
func listAll(ctx context.Context, client versioned.Interface, namespace, selector string) (found, error) {
	options := metav1.ListOptions{LabelSelector: selector}
	sandboxes, err := client.AgentsV1beta1().Sandboxes(namespace).List(ctx, options)
	if resolve.NotServed(err) {
		return found{}, resolve.ErrorNotInstalled(apis.ResourceSandboxes, apis.GroupAgents)
	}
	if err != nil {
		return found{}, fmt.Errorf("list Sandboxes: %w", err)
	}
	claims, err := client.ExtensionsV1beta1().SandboxClaims(namespace).List(ctx, options)
	switch {
	case resolve.NotServed(err), apierrors.IsForbidden(err):
		return found{sandboxes: sandboxes.Items}, nil
	case err != nil:
		return found{}, fmt.Errorf("list claims: %w", err)
	}
	return found{claims: claims.Items, sandboxes: sandboxes.Items}, nil
}

// byName resolves the names, claims first.
func byName(ctx context.Context, a *factory.Clients, refs []resolve.Ref) (targets []*resolve.Target, failed error) {
	var others []*resolve.Target
	for _, ref := range refs {
		t, err := a.Resolver.ClaimAndSandbox(ctx, a.Namespace, ref)
		switch {
		case err != nil:
			failed = errors.Join(failed, err)
		case t.Claim != nil:
			targets = append(targets, t)
		default:
			others = append(others, t)
		}
	}
	return append(targets, others...), failed
}
