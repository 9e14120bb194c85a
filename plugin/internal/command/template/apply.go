// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package template

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/util/retry"

	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/printing"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// ApplyOptions are the flags of `template apply`.
type ApplyOptions struct {
	Files  []string
	Quiet  bool
	DryRun cli.DryRunOptions
}

func newApplyCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := &ApplyOptions{}
	cmd := &cobra.Command{
		Use:        "apply -f FILE",
		SuggestFor: []string{"update", "replace"},
		Short:      "Create or change templates as files say",
		Long: "apply creates the templates of the files, and changes those that exist: the spec becomes that of the file,\n" +
			"also where the file leaves a field out. Labels and annotations that the file does not name stay.\n\n" +
			"A change has no effect on claimed sandboxes. A pool replaces its unclaimed ones as its update strategy\n" +
			"says: pool rollout status waits for that. To have fields that others manage left alone, use kubectl\n" +
			"apply --server-side instead.",
		Example: "  kubectl sandbox template apply -f template.yaml\n\n" +
			"  # Change the image in a script\n" +
			"  kubectl sandbox template list python -o yaml | sed s/3.13/3.14/ | kubectl sandbox template apply -f -\n\n" +
			"  # Have the cluster check several files without changing anything\n" +
			"  kubectl sandbox template apply -f python.yaml -f node.yaml --dry-run=server",
		Args:              cli.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.Validate(); err != nil {
				return err
			}
			return o.Run(cmd.Context(), f, streams)
		},
	}
	cmd.Flags().StringArrayVarP(&o.Files, "filename", "f", nil,
		"A file with SandboxTemplates, or - for standard input. Repeatable.")
	cmd.Flags().BoolVarP(&o.Quiet, "quiet", "q", false, "Print only the names, one on each line, and no remarks.")
	o.DryRun.AddFlag(cmd)
	return cmd
}

// Validate checks the flags. It needs no cluster.
func (o *ApplyOptions) Validate() error {
	if len(o.Files) == 0 {
		return cli.UsageError(errors.New("-f is missing: give a file with templates, or - for standard input"))
	}
	return cli.UsageError(o.DryRun.Validate())
}

// Run applies all templates of the files, after all files were read. Every template is tried.
func (o *ApplyOptions) Run(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams) error {
	namespace, explicit, err := f.Namespace()
	if err != nil {
		return err
	}
	var all []*extensionsv1beta1.SandboxTemplate
	for _, file := range o.Files {
		templates, err := readTemplates(file, namespace, explicit, streams.In)
		if err != nil {
			return err
		}
		all = append(all, templates...)
	}
	if o.DryRun.OnClient() {
		return o.printEach(streams.Out, all, "applied"+o.DryRun.Suffix())
	}
	a, err := factory.NewClients(f)
	if err != nil {
		return err
	}
	remarks := streams.ErrOut
	if o.Quiet || o.DryRun.Enabled() {
		remarks = io.Discard
	}
	var failed error
	for _, template := range all {
		done, err := o.apply(ctx, f, a, template, remarks)
		if err == nil {
			err = o.print(streams.Out, template.Name, done)
		}
		failed = errors.Join(failed, err)
	}
	return failed
}

// apply creates or changes one template, and returns what was done. A change by somebody else at the same time is
// overwritten.
func (o *ApplyOptions) apply(
	ctx context.Context, f factory.Factory, a *factory.Clients, template *extensionsv1beta1.SandboxTemplate,
	remarks io.Writer,
) (done string, err error) {
	err = retry.RetryOnConflict(retry.DefaultRetry, func() error {
		was, err := a.Pools.Template(ctx, template.Namespace, template.Name)
		if resolve.Is(err, resolve.NotFound) {
			_, err = a.Pools.CreateTemplate(ctx, template, o.DryRun.OnServer())
			done = "created"
			return err
		}
		if err != nil {
			return err
		}
		is, err := a.Pools.UpdateTemplate(ctx, was, withContent(was, template), o.DryRun.OnServer())
		if err != nil {
			return err
		}
		done = changed(was, is)
		if done != unchanged {
			printPools(ctx, f, a, is, remarks)
		}
		return nil
	})
	return done + o.DryRun.Suffix(), err
}

// withContent returns the existing template with the spec of the other, and its labels and annotations added.
func withContent(existing, content *extensionsv1beta1.SandboxTemplate) *extensionsv1beta1.SandboxTemplate {
	desired := existing.DeepCopy()
	desired.Spec = *content.Spec.DeepCopy()
	for key, value := range content.Labels {
		if desired.Labels == nil {
			desired.Labels = map[string]string{}
		}
		desired.Labels[key] = value
	}
	for key, value := range content.Annotations {
		if desired.Annotations == nil {
			desired.Annotations = map[string]string{}
		}
		desired.Annotations[key] = value
	}
	return desired
}

// The words for a template that was there.
const (
	configured = "configured"
	unchanged  = "unchanged"
)

// changed says whether the API server has, or would have, changed the template.
func changed(was, is *extensionsv1beta1.SandboxTemplate) string {
	if equality.Semantic.DeepEqual(was.Spec, is.Spec) && equality.Semantic.DeepEqual(was.Labels, is.Labels) &&
		equality.Semantic.DeepEqual(was.Annotations, is.Annotations) {
		return unchanged
	}
	return configured
}

func (o *ApplyOptions) printEach(out io.Writer, templates []*extensionsv1beta1.SandboxTemplate, done string) error {
	for _, template := range templates {
		if err := o.print(out, template.Name, done); err != nil {
			return err
		}
	}
	return nil
}

func (o *ApplyOptions) print(out io.Writer, name, done string) error {
	line := "template/" + name
	if !o.Quiet {
		line += " " + done
	}
	_, err := printable.Fprintf(out, "%s\n", line)
	return err
}

// printPools says how the pools of a changed template take over the change. It is best effort: pools may be hidden.
func printPools(
	ctx context.Context, f factory.Factory, a *factory.Clients, template *extensionsv1beta1.SandboxTemplate, out io.Writer,
) {
	pools, err := a.Pools.Pools(ctx, template.Namespace, "")
	if err != nil {
		return
	}
	for i := range pools {
		if pools[i].Spec.TemplateRef.Name != template.Name {
			continue
		}
		how := "replaces older sandboxes as claims take them (update strategy OnReplenish)"
		if pools[i].Recreates() {
			how = "replaces older sandboxes now (update strategy Recreate)"
		}
		_, _ = printable.Fprintf(out, "pool/%s %s; to follow it: %s\n", pools[i].Name, how,
			printing.SuggestedCommand("pool rollout status "+pools[i].Name, f))
	}
}

// readTemplates reads the templates of a file, each of which has a name.
func readTemplates(
	file, namespace string, explicit bool, in io.Reader,
) ([]*extensionsv1beta1.SandboxTemplate, error) {
	documents, err := readDocuments(file, in)
	if err != nil {
		return nil, err
	}
	var all []*extensionsv1beta1.SandboxTemplate
	for _, document := range documents {
		template, err := parseTemplate(file, document)
		if err != nil {
			return nil, err
		}
		if template.Name == "" {
			return nil, fmt.Errorf("%s has a template without a name: give metadata.name", file)
		}
		if err := setNamespace(file, template, namespace, explicit); err != nil {
			return nil, err
		}
		dropReadOnly(template)
		all = append(all, template)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no template", file)
	}
	return all, nil
}
