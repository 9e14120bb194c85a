// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package list is the command `list`, also called `get`.
package list

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/genericiooptions"

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
	Volumes bool
	// Kind lists claims or Sandboxes alone.
	Kind string
	// Members lists the members of pools that no claim has taken, too.
	Members bool
	// IgnoreNotFound lists nothing for a name that does not exist, instead of failing.
	IgnoreNotFound bool

	printing *printing.TableOptions
	refs     []resolve.Ref
	kind     resolve.Kind
}

// NewCommand returns the command.
func NewCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := &Options{printing: printing.NewTableOptions()}
	cmd := &cobra.Command{
		Use:        "list [claims|sandboxes] [NAME...]",
		SuggestFor: []string{"ps", "show"},
		Aliases:    []string{"get", "ls"},
		Short:      "List claims and Sandboxes",
		Long: "list shows the claims and Sandboxes of a namespace, or of all namespaces with -A. The column HELD BY\n" +
			"names the claim or pool that owns a Sandbox. It leaves out the members of pools that no claim has taken,\n" +
			"unless --members is given: they belong to the pool. 'list claims' and 'list sandboxes' show one kind.\n\n" +
			"With -o json or yaml the output is one List of the objects, even if it is empty. For one NAME it is that\n" +
			"object itself.\n\n" +
			"With --volumes it lists the volumes that were created for Sandboxes instead: the Sandbox of each, what\n" +
			"uses it (a Sandbox, a Pod, or an expired claim that gets it back), and how long it has been unused.\n" +
			"delete --volumes deletes unused volumes.",
		Example: "  # List with addresses and nodes\n" +
			"  kubectl sandbox list -o wide\n\n" +
			"  # List the claims alone, with the label team\n" +
			"  kubectl sandbox list claims -L team\n\n" +
			"  # Print the address of the sandbox of a claim\n" +
			"  kubectl sandbox get dev -o jsonpath='{.status.sandbox.podIPs[0]}'\n\n" +
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
	cmd.Flags().StringVar(&o.Kind, "kind", "", "List only objects of this kind: claim or sandbox.")
	_ = cmd.RegisterFlagCompletionFunc("kind", cobra.FixedCompletions( // fails only for a flag that does not exist
		[]string{string(resolve.KindClaim), string(resolve.KindSandbox)}, cobra.ShellCompDirectiveNoFileComp))
	cmd.Flags().BoolVar(&o.Members, "members", false, "List the members of pools that no claim has taken, too.")
	cli.AddIgnoreNotFoundFlag(cmd, &o.IgnoreNotFound)
	o.printing.AddFlags(cmd)
	return cmd
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
	if len(items) == 0 && o.printing.Table() {
		return errors.Join(failed, o.printEmpty(l, streams))
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
	// members is how many members of pools were left out.
	members int
}

// list returns the current items. If it returns items and an error, some of the given names do not exist.
func (l *lister) list(ctx context.Context) (listed []printing.Item, targets []*resolve.Target, failed error) {
	var objects found
	var err error
	if len(l.options.refs) > 0 {
		objects.named, failed = l.options.byName(ctx, l.access)
	} else if objects, err = l.options.listAll(ctx, l.access.Sandboxes, l.namespace); err != nil {
		return nil, nil, err
	}
	l.members = objects.members
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
func (o *Options) printEmpty(l *lister, streams genericiooptions.IOStreams) error {
	if len(o.refs) > 0 {
		return nil
	}
	what, where := "sandboxes", "any namespace"
	if o.kind == resolve.KindClaim {
		what = "claims"
	}
	if l.namespace != metav1.NamespaceAll {
		where = "namespace " + l.namespace
	}
	hint := ""
	if l.members > 0 {
		hint = fmt.Sprintf(" --members also lists %d that no claim has taken from a pool.", l.members)
	}
	_, err := printable.Fprintf(streams.ErrOut, "No %s found in %s.%s\n", what, where, hint)
	return err
}
