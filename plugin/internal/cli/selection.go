// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
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
	// AllNamespaces selects in all namespaces, with All or Selector.
	AllNamespaces bool
	// Quiet prints only names.
	Quiet bool
	// IgnoreNotFound makes Select leave out a name that does not exist.
	IgnoreNotFound bool

	refs []resolve.Ref
	// kind is the only kind that can be selected. Without one, these are claims and Sandboxes.
	kind resolve.Kind
}

// Selected is a selected object.
type Selected struct {
	Namespace string
	Ref       resolve.Ref
}

// AddFlags adds --all, --selector and --all-namespaces for sandboxes.
func (o *SelectionOptions) AddFlags(cmd *cobra.Command) {
	o.addFlags(cmd, "Select all claims, and all Sandboxes that no claim or pool owns, in the namespace.")
}

// AddFlagsFor is AddFlags for a command that works on one kind: names may have that kind or none.
func (o *SelectionOptions) AddFlagsFor(cmd *cobra.Command, kind resolve.Kind) {
	o.kind = kind
	o.addFlags(cmd, "Select all "+plural(kind)+" in the namespace.")
}

// AddQuietFlag adds --quiet.
func (o *SelectionOptions) AddQuietFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVarP(&o.Quiet, "quiet", "q", false,
		"Print only the names, one on each line, and no progress.")
}

// addFlags adds --all, with the given help text, --selector and --all-namespaces.
func (o *SelectionOptions) addFlags(cmd *cobra.Command, all string) {
	cmd.Flags().BoolVar(&o.All, "all", false, all)
	cmd.Flags().StringVarP(&o.Selector, "selector", "l", "", "Select by label, as in '-l team=a,stage!=test'.")
	cmd.Flags().BoolVarP(&o.AllNamespaces, "all-namespaces", "A", false, "With --all or -l, select in all namespaces.")
}

// Validate checks that exactly one way to select is used, and parses the names.
func (o *SelectionOptions) Validate() error {
	ways := 0
	for _, given := range []bool{len(o.Names) > 0, o.All, o.Selector != ""} {
		if given {
			ways++
		}
	}
	switch {
	case ways == 0 && o.AllNamespaces:
		return UsageError(errors.New("-A alone selects nothing: give --all or -l too"))
	case ways == 0:
		return UsageError(errors.New("NAME is missing: give one or more, or select with --all or -l"))
	case ways > 1:
		return UsageError(errors.New("use only one of NAME, --all and -l"))
	case o.AllNamespaces && len(o.Names) > 0:
		return UsageError(errors.New("NAME does not go together with -A: give the namespace with -n"))
	}
	if err := ValidateSelector(o.Selector); err != nil {
		return err
	}
	refs, err := ParseRefs(o.Names)
	o.refs = refs
	if err != nil || o.kind == resolve.KindAny {
		return err
	}
	return RequireKind(o.kind, refs)
}

// Namespace returns the namespace to list: the given one, or all.
func (o *SelectionOptions) Namespace(namespace string) string {
	if o.AllNamespaces {
		return metav1.NamespaceAll
	}
	return namespace
}

// Several reports whether more than one object may be selected.
func (o *SelectionOptions) Several() bool { return len(o.refs) != 1 }

// Result returns the line that reports what was done with the object.
func (o *SelectionOptions) Result(object Selected, done string) string {
	switch {
	case o.Quiet:
		return object.Ref.String()
	case o.AllNamespaces:
		return fmt.Sprintf("%s %s in namespace %s", object.Ref, done, object.Namespace)
	}
	return object.Ref.String() + " " + done
}

// ProgressOut returns where progress is printed: errOut, or nowhere with --quiet.
func (o *SelectionOptions) ProgressOut(errOut io.Writer) io.Writer {
	if o.Quiet {
		return io.Discard
	}
	return errOut
}

// NoneSelected returns the text that nothing was selected.
func (o *SelectionOptions) NoneSelected(namespace string) string {
	return upperFirst(o.ErrNoneSelected(namespace).Error()) + "."
}

// ErrNoneSelected returns the error of a command that cannot do nothing.
func (o *SelectionOptions) ErrNoneSelected(namespace string) error {
	objects := "sandboxes"
	if o.kind != resolve.KindAny {
		objects = plural(o.kind)
	}
	if o.AllNamespaces {
		return fmt.Errorf("no %s are selected in any namespace", objects)
	}
	return fmt.Errorf("no %s are selected in namespace %s", objects, namespace)
}

func upperFirst(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// ValidateSelector returns a usage error for a value of --selector that is not a label selector.
func ValidateSelector(selector string) error {
	if _, err := labels.Parse(selector); err != nil {
		return UsageError(fmt.Errorf("-l %q: %w", selector, err))
	}
	return nil
}

// ValidateForKind validates the options for one kind, although the flags select others.
func (o *SelectionOptions) ValidateForKind(kind resolve.Kind) error {
	o.kind = kind
	return o.Validate()
}

// RequireKind returns a usage error for references of another kind.
func RequireKind(kind resolve.Kind, refs []resolve.Ref) error {
	for _, ref := range refs {
		if ref.Kind != resolve.KindAny && ref.Kind != kind {
			return UsageError(fmt.Errorf("%s is not a %s: this command works on %s only", ref, kind, plural(kind)))
		}
	}
	return nil
}

func plural(kind resolve.Kind) string {
	if kind == resolve.KindSandbox {
		return "sandboxes"
	}
	return string(kind) + "s"
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

// Objects returns the named objects, or lists the selected claims and the Sandboxes that have no owner.
func (o *SelectionOptions) Objects(
	ctx context.Context, sandboxes versioned.Interface, namespace string,
) ([]Selected, error) {
	var objects []Selected
	for _, ref := range o.refs {
		objects = append(objects, Selected{namespace, ref})
	}
	if len(objects) > 0 {
		return objects, nil
	}
	namespace = o.Namespace(namespace)
	options := metav1.ListOptions{LabelSelector: o.Selector}
	claims, err := sandboxes.ExtensionsV1beta1().SandboxClaims(namespace).List(ctx, options)
	if err != nil && !resolve.NotServed(err) {
		return nil, fmt.Errorf("list claims: %w", err)
	}
	if err == nil {
		for i := range claims.Items {
			objects = append(objects, selectedOf(resolve.KindClaim, &claims.Items[i]))
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
			objects = append(objects, selectedOf(resolve.KindSandbox, &list.Items[i]))
		}
	}
	return objects, nil
}

// Vanished reports whether an error means that an object which was selected, not named, has been deleted since it was
// listed. Whoever selects asks about what there is, so that this is no failure.
func (o *SelectionOptions) Vanished(err error) bool {
	return len(o.refs) == 0 && resolve.Is(err, resolve.NotFound)
}

func selectedOf(kind resolve.Kind, object metav1.Object) Selected {
	return Selected{Namespace: object.GetNamespace(), Ref: resolve.Ref{Kind: kind, Name: object.GetName()}}
}

// maxConcurrent is how many objects ForEach works on at the same time.
const maxConcurrent = 16

// ForEach calls do for every object, several at a time. It prints the results as they arrive and joins the errors in
// the order of the objects.
func ForEach[T any](out io.Writer, objects []T, do func(T) (result string, err error)) error {
	errs := make([]error, len(objects))
	places := make(chan struct{}, maxConcurrent)
	var outLock sync.Mutex
	var all sync.WaitGroup
	for i, object := range objects {
		places <- struct{}{}
		all.Go(func() {
			defer func() { <-places }()
			result, err := do(object)
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
