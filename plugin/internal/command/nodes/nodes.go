// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package nodes is the command `nodes`.
package nodes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/printing"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/capacity"
)

// Options are the names and flags.
type Options struct {
	Names         []string
	AllNamespaces bool
	Selector      string

	printing *printing.TableOptions
}

// NewCommand returns the command.
func NewCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := &Options{printing: printing.NewTableOptions()}
	cmd := &cobra.Command{
		Use:     "nodes [NODE...]",
		Aliases: []string{"node"},
		Short:   "Show how many sandboxes run on each node, and what they request",
		Long: "nodes shows for each node how many sandboxes of the namespace, or of all namespaces with -A, run on it,\n" +
			"the CPU and memory that they request in total, and how much of the node no Pod has requested yet (FREE).\n" +
			"A dash means that this is unknown because you may not list the Pods of all namespaces.",
		Example: "  # Count the sandboxes of all namespaces\n" +
			"  kubectl sandbox nodes -A\n\n" +
			"  # Show which sandboxes run on each node\n" +
			"  kubectl sandbox nodes -A -o wide",
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Names = args
			if err := o.Validate(); err != nil {
				return err
			}
			return o.Run(cmd.Context(), f, streams)
		},
	}
	cmd.Flags().BoolVarP(&o.AllNamespaces, "all-namespaces", "A", false, "Count the sandboxes of all namespaces.")
	cmd.Flags().StringVarP(
		&o.Selector, "selector", "l", "", "Select nodes by label, as in '-l topology.kubernetes.io/zone=a'.",
	)
	o.printing.AddFlags(cmd)
	return cmd
}

// Validate checks the names and flags.
func (o *Options) Validate() error {
	if len(o.Names) > 0 && o.Selector != "" {
		return cli.UsageError(errors.New("NODE does not go together with -l"))
	}
	return cli.UsageError(o.printing.Validate())
}

// Run shows the nodes.
func (o *Options) Run(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams) error {
	a, err := factory.NewClients(f)
	if err != nil {
		return err
	}
	nodes, missing, err := o.nodes(ctx, a)
	if err != nil {
		return err
	}
	namespace := a.Namespace
	if o.AllNamespaces {
		namespace = metav1.NamespaceAll
	}
	ofSandboxes := metav1.ListOptions{LabelSelector: apis.LabelSandboxNameHash}
	pods, err := a.Kubernetes.CoreV1().Pods(namespace).List(ctx, ofSandboxes)
	if err != nil {
		return errors.Join(missing, fmt.Errorf("list Pods: %w", err))
	}
	seen := &usage{
		sandboxes: capacity.Requested(pods.Items), names: namesByNode(pods.Items, o.AllNamespaces),
	}
	all, err := a.Kubernetes.CoreV1().Pods(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
	switch {
	case err == nil:
		seen.all, seen.complete = capacity.Requested(all.Items), true
	case !apierrors.IsForbidden(err):
		return errors.Join(missing, fmt.Errorf("list the Pods of all namespaces: %w", err))
	}
	items := make([]printing.Item, 0, len(nodes))
	for i := range nodes {
		item, err := printing.NewItem(&nodes[i], corev1.SchemeGroupVersion.WithKind("Node"), seen.row(&nodes[i])...)
		if err != nil {
			return errors.Join(missing, err)
		}
		items = append(items, item)
	}
	return errors.Join(missing, o.printing.Print(items, columns(), false, streams.Out))
}

// nodes returns the requested nodes, sorted by name or in the given order. missing has an error for each name that
// does not exist.
func (o *Options) nodes(ctx context.Context, a *factory.Clients) (nodes []corev1.Node, missing, err error) {
	list, err := a.Kubernetes.CoreV1().Nodes().List(ctx, metav1.ListOptions{LabelSelector: o.Selector})
	if err != nil {
		return nil, nil, fmt.Errorf("list nodes: %w", err)
	}
	slices.SortFunc(list.Items, func(a, b corev1.Node) int { return cmp.Compare(a.Name, b.Name) })
	if len(o.Names) == 0 {
		return list.Items, nil, nil
	}
	for _, name := range o.Names {
		at := slices.IndexFunc(list.Items, func(n corev1.Node) bool { return n.Name == name })
		if at < 0 {
			missing = errors.Join(missing, fmt.Errorf("no node is called %q", name))
			continue
		}
		nodes = append(nodes, list.Items[at])
	}
	return nodes, missing, nil
}

// usage describes what runs on the nodes. Its maps have the names of nodes as keys.
type usage struct {
	// sandboxes is what the Pods of sandboxes request, all what all Pods request.
	sandboxes, all map[string]corev1.ResourceList
	names          map[string][]string
	// complete reports that all is known; otherwise nothing is known about free resources.
	complete bool
}

// namesByNode returns the names of the sandboxes that run on each node, sorted. They come from the owners of the Pods.
func namesByNode(pods []corev1.Pod, namespaced bool) map[string][]string {
	names := map[string][]string{}
	for i := range pods {
		pod := &pods[i]
		holder := metav1.GetControllerOf(pod)
		if holder == nil || holder.Kind != apis.KindSandbox || pod.Spec.NodeName == "" ||
			pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed {
			continue
		}
		name := holder.Name
		if namespaced {
			name = pod.Namespace + "/" + name
		}
		names[pod.Spec.NodeName] = append(names[pod.Spec.NodeName], name)
	}
	for _, on := range names {
		slices.Sort(on)
	}
	return names
}

func columns() []metav1.TableColumnDefinition {
	return []metav1.TableColumnDefinition{
		{Name: "Name", Type: "string"},
		{Name: "Status", Type: "string"},
		{Name: "Sandboxes", Type: "string"},
		{Name: "CPU", Type: "string"},
		{Name: "Memory", Type: "string"},
		{Name: "Free CPU", Type: "string"},
		{Name: "Free Memory", Type: "string"},
		{Name: "Names", Type: "string", Priority: 1},
	}
}

func (s *usage) row(node *corev1.Node) []any {
	cells := []any{node.Name, status(node), strconv.Itoa(len(s.names[node.Name]))}
	for _, resource := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		cells = append(cells, capacity.Amount(resource, s.sandboxes[node.Name][resource]))
	}
	for _, resource := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		if !s.complete {
			cells = append(cells, printing.None)
			continue
		}
		free := node.Status.Allocatable[resource].DeepCopy()
		free.Sub(s.all[node.Name][resource])
		cells = append(
			cells, capacity.Amount(resource, free)+" of "+capacity.Amount(resource, node.Status.Allocatable[resource]),
		)
	}
	return append(cells, printing.OrNone(strings.Join(s.names[node.Name], ",")))
}

// status returns whether a node is ready, and whether it is cordoned.
func status(node *corev1.Node) string {
	text := "Unknown"
	for i := range node.Status.Conditions {
		if c := &node.Status.Conditions[i]; c.Type == corev1.NodeReady {
			text = "NotReady"
			if c.Status == corev1.ConditionTrue {
				text = "Ready"
			}
		}
	}
	if node.Spec.Unschedulable {
		text += ",cordoned"
	}
	return text
}
