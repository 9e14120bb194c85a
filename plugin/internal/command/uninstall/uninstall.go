// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package uninstall is the command `uninstall`.
//
// Invariants:
//   - only objects with the labels of `install` are deleted;
//   - nothing is deleted before the user was told how many sandboxes are deleted too, and confirmed it or gave --yes.
package uninstall

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/operator/install"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/installer"
)

// Options are the flags.
type Options struct {
	KeepCRDs bool
	Yes      bool
	Timeout  time.Duration
}

// NewCommand returns the command.
func NewCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := &Options{}
	cmd := &cobra.Command{
		Use:   "uninstall",
		Short: "Remove the operator from the cluster",
		Long: "uninstall deletes what install created, routers included, and waits until it is gone. Deleting the\n" +
			"CustomResourceDefinitions deletes all sandboxes with their Pods, and their volumes unless these are\n" +
			"retained. --keep-crds keeps the definitions and the sandboxes, but then no operator manages the\n" +
			"sandboxes. On a terminal uninstall asks for confirmation; without a terminal it refuses unless --yes\n" +
			"is given.",
		Example: "  # Remove the operator and all sandboxes\n" +
			"  kubectl sandbox uninstall\n\n" +
			"  # Remove only the operator and the routers\n" +
			"  kubectl sandbox uninstall --keep-crds --yes",
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.Validate(); err != nil {
				return err
			}
			return o.Run(cmd.Context(), f, streams)
		},
	}
	cmd.Flags().BoolVar(&o.KeepCRDs, "keep-crds", false,
		"Keep the CustomResourceDefinitions, and with them all sandboxes.")
	cli.AddYesFlag(cmd, &o.Yes)
	cmd.Flags().DurationVar(&o.Timeout, "timeout", 5*time.Minute,
		"How long to wait until everything is gone, as in 90s or 10m.")
	return cmd
}

// Validate checks the flags.
func (o *Options) Validate() error {
	if o.Timeout <= 0 {
		return cli.UsageError(fmt.Errorf("--timeout is %s: it must be positive", o.Timeout))
	}
	return nil
}

// Run uninstalls the operator.
func (o *Options) Run(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams) error {
	if err := cli.RequireConfirmable(streams.In, o.Yes, "uninstall"); err != nil {
		return err
	}
	r, err := newRemover(f, streams)
	if err != nil {
		return err
	}
	namespace, err := installer.Namespace(ctx, f, r.kubernetes)
	if err != nil {
		return err
	}
	objects, err := install.Render(install.Options{Namespace: namespace})
	if err != nil {
		return err
	}
	others, err := installer.ListInstalled(ctx, r.dynamic) // Roles in watched namespaces, and routers
	if err != nil {
		return err
	}
	objects = withOthers(objects, others)
	slices.Reverse(objects)
	if o.KeepCRDs {
		objects = slices.DeleteFunc(objects, isDefinition)
	}
	mine, err := r.findInstalled(ctx, objects)
	if err != nil {
		return err
	}
	if len(mine) == 0 {
		r.printNote("Nothing is installed.")
		return nil
	}
	if err := installer.CheckPermissions(ctx, r.kubernetes, mine, "delete"); err != nil {
		return err
	}
	question, err := r.question(ctx, mine, namespace)
	if err != nil {
		return err
	}
	if !o.Yes {
		if err := cli.Confirm(ctx, streams, question+" Continue?"); err != nil {
			return err
		}
	} else {
		r.printNote("%s", question)
	}
	limit := f.Clock().NewTimer(o.Timeout)
	defer limit.Stop()
	if err := r.remove(ctx, mine, limit.C()); err != nil || !slices.ContainsFunc(mine, isDefinition) {
		return err
	}
	return r.deletePolicies(ctx)
}

// withOthers inserts the installed objects that the rendered ones do not contain after the CustomResourceDefinitions
// and the namespace. The order is that of creation: objects are deleted in reverse.
func withOthers(objects, others []*unstructured.Unstructured) []*unstructured.Unstructured {
	named := func(o *unstructured.Unstructured) string {
		return o.GetKind() + "/" + o.GetNamespace() + "/" + o.GetName()
	}
	known := map[string]bool{}
	at := 0
	for i, object := range objects {
		known[named(object)] = true
		if isDefinition(object) || object.GetKind() == "Namespace" {
			at = i + 1
		}
	}
	others = slices.DeleteFunc(others, func(o *unstructured.Unstructured) bool { return known[named(o)] })
	return slices.Insert(objects, at, others...)
}

func isDefinition(object *unstructured.Unstructured) bool {
	return object.GetKind() == "CustomResourceDefinition"
}

// question returns what will be deleted, with the number of objects that users lose.
func (r *remover) question(ctx context.Context, mine []*unstructured.Unstructured, namespace string) (string, error) {
	var lost []string
	definitions := 0
	for _, object := range mine {
		if !isDefinition(object) {
			continue
		}
		definitions++
		count, kind, err := r.count(ctx, object)
		if err != nil {
			return "", err
		}
		if count > 0 {
			lost = append(lost, fmt.Sprintf("%d %s", count, kind))
		}
	}
	slices.Reverse(lost)
	return questionText(namespace, len(mine) > definitions, definitions > 0, lost), nil
}

func questionText(namespace string, operator, definitions bool, lost []string) string {
	var what []string
	if operator {
		what = append(what, "the operator in namespace "+namespace+", any routers")
	}
	if definitions {
		what = append(what, "the CustomResourceDefinitions")
	}
	text := "This deletes " + strings.Join(what, " and ")
	switch {
	case !definitions:
		return text + "; sandboxes stay, but no operator manages them."
	case len(lost) == 0:
		return text + "; there are no sandboxes."
	}
	return text + ", and with them, in all namespaces: " + strings.Join(lost, ", ") +
		", with their Pods and the volumes that are not retained (--keep-crds keeps them)."
}
