// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/apis/client/clientset/versioned"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// SelectionOptions select objects: by name, by label, or all.
type SelectionOptions struct {
	Names    []string
	All      bool
	Selector string
	refs     []resolve.Ref
}

// AddFlags adds --all and --selector for sandboxes.
func (o *SelectionOptions) AddFlags(cmd *cobra.Command) {
	o.addFlagsFor(cmd, "Select all claims, and all Sandboxes that no claim or pool owns, in the namespace.")
}

// addFlagsFor adds --all, with the given help text, and --selector.
func (o *SelectionOptions) addFlagsFor(cmd *cobra.Command, all string) {
	cmd.Flags().BoolVar(&o.All, "all", false, all)
	cmd.Flags().StringVarP(&o.Selector, "selector", "l", "", "Select by label, as in '-l team=a,stage!=test'.")
}

// Validate checks that exactly one way to select is used, and parses the names.
func (o *SelectionOptions) Validate() error {
	ways := 0
	for _, given := range []bool{len(o.Names) > 0, o.All, o.Selector != ""} {
		if given {
			ways++
		}
	}
	if ways == 0 {
		return UsageError(errors.New("NAME is missing: give one or more, or select with --all or -l"))
	}
	if ways > 1 {
		return UsageError(errors.New("use only one of NAME, --all and -l"))
	}
	if err := ValidateSelector(o.Selector); err != nil {
		return err
	}
	refs, err := ParseRefs(o.Names)
	o.refs = refs
	return err
}

// ValidateSelector returns a usage error for a value of --selector that is not a label selector.
func ValidateSelector(selector string) error {
	if _, err := labels.Parse(selector); err != nil {
		return UsageError(fmt.Errorf("-l %q: %w", selector, err))
	}
	return nil
}

// ValidateForKind validates the options of a command that works on one kind: names may have that kind or none.
func (o *SelectionOptions) ValidateForKind(kind resolve.Kind) error {
	if err := o.Validate(); err != nil {
		return err
	}
	return RequireKind(kind, o.refs)
}

// BareNames returns the names without their kind. Validate must have been called.
func (o *SelectionOptions) BareNames() []string {
	names := make([]string, 0, len(o.refs))
	for _, ref := range o.refs {
		names = append(names, ref.Name)
	}
	return names
}

// RequireKind returns a usage error for references of another kind.
func RequireKind(kind resolve.Kind, refs []resolve.Ref) error {
	for _, ref := range refs {
		if ref.Kind != resolve.KindAny && ref.Kind != kind {
			return UsageError(fmt.Errorf("%s is not a %s: this command works on %[2]ss only", ref, kind))
		}
	}
	return nil
}

// ParseRefsOf parses names as references to objects of the kind. Its errors are usage errors.
func ParseRefsOf(kind resolve.Kind, names []string) ([]resolve.Ref, error) {
	refs, err := ParseRefs(names)
	if err != nil {
		return nil, err
	}
	return refs, RequireKind(kind, refs)
}

// ParseRefs parses names as references. Its errors are usage errors.
func ParseRefs(names []string) ([]resolve.Ref, error) {
	refs := make([]resolve.Ref, 0, len(names))
	for _, name := range names {
		ref, err := resolve.Parse(name)
		if err != nil {
			return nil, UsageError(err)
		}
		refs = append(refs, ref)
	}
	return refs, nil
}

// Refs returns the references of the given names, or lists the selected claims and the Sandboxes that have no owner.
func (o *SelectionOptions) Refs(
	ctx context.Context, sandboxes versioned.Interface, namespace string,
) ([]resolve.Ref, error) {
	if len(o.refs) > 0 {
		return o.refs, nil
	}
	options := metav1.ListOptions{LabelSelector: o.Selector}
	var refs []resolve.Ref
	claims, err := sandboxes.ExtensionsV1beta1().SandboxClaims(namespace).List(ctx, options)
	if err != nil && !resolve.NotServed(err) {
		return nil, fmt.Errorf("list claims: %w", err)
	}
	if err == nil {
		for i := range claims.Items {
			refs = append(refs, resolve.Ref{Kind: resolve.KindClaim, Name: claims.Items[i].Name})
		}
	}
	list, err := sandboxes.AgentsV1beta1().Sandboxes(namespace).List(ctx, options)
	if resolve.NotServed(err) {
		return nil, resolve.ErrorNotInstalled(apis.ResourceSandboxes, apis.GroupAgents)
	}
	if err != nil {
		return nil, fmt.Errorf("list Sandboxes: %w", err)
	}
	for i := range list.Items {
		if metav1.GetControllerOf(&list.Items[i]) == nil {
			refs = append(refs, resolve.Ref{Kind: resolve.KindSandbox, Name: list.Items[i].Name})
		}
	}
	return refs, nil
}

// maxConcurrent is how many references ForEach works on at the same time.
const maxConcurrent = 16

// ForEach calls do for every reference, several at a time. It prints the results as they arrive and joins the errors in
// the order of the references.
func ForEach(out io.Writer, refs []resolve.Ref, do func(resolve.Ref) (result string, err error)) error {
	errs := make([]error, len(refs))
	places := make(chan struct{}, maxConcurrent)
	var outLock sync.Mutex
	var all sync.WaitGroup
	for i, ref := range refs {
		places <- struct{}{}
		all.Go(func() {
			defer func() { <-places }()
			result, err := do(ref)
			if err == nil && result != "" {
				outLock.Lock()
				defer outLock.Unlock()
				_, err = printable.Fprintf(out, "%s\n", result)
			}
			errs[i] = err
		})
	}
	all.Wait()
	return errors.Join(errs...)
}
