// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package status is the command `status`. Its tests are in the packages describe and list, whose objects they share.
package status

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/printing"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/diagnose"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/observe"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/operator"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// Options are the names and flags.
type Options struct {
	Selection cli.SelectionOptions
	Output    string
	// Watch prints the diagnosis again when it changes.
	Watch bool
}

// NewCommand returns the command.
func NewCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := &Options{}
	cmd := &cobra.Command{
		Use:        "status NAME... | --all | -l SELECTOR",
		SuggestFor: []string{"why", "health"},
		Short:      "Show the state of sandboxes and what blocks them",
		Long: "status diagnoses a sandbox in three layers: the conditions of the claim and the Sandbox, the scheduling\n" +
			"of the Pod with its volumes, and the containers. It ends with what to do next. If no operator looks\n" +
			"after the namespace, it says so first, provided that you may read what is needed to tell.",
		Example: "  # Find out why a sandbox does not become ready\n" +
			"  kubectl sandbox status dev\n\n" +
			"  # Follow a sandbox while it starts\n" +
			"  kubectl sandbox status dev -w\n\n" +
			"  # One line for each sandbox of the namespace\n" +
			"  kubectl sandbox status --all -q\n\n" +
			"  # Print the diagnosis for a script\n" +
			"  kubectl sandbox status dev -o json",
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Selection.Names = args
			if err := o.Validate(); err != nil {
				return err
			}
			return o.Run(cmd.Context(), f, streams)
		},
	}
	cmd.Flags().StringVarP(&o.Output, "output", "o", "", "Output format: json or yaml.")
	cmd.Flags().BoolVarP(
		&o.Watch, "watch", "w", false, "Print the diagnosis again each time it changes, until interrupted.",
	)
	o.Selection.AddFlags(cmd)
	cmd.Flags().BoolVarP(&o.Selection.Quiet, "quiet", "q", false,
		"Print only one line for each sandbox: its name and state.")
	return cmd
}

// Validate checks the names and flags.
func (o *Options) Validate() error {
	switch o.Output {
	case "", "json", "yaml":
	default:
		return cli.UsageError(fmt.Errorf("-o %q is not an output format: use json or yaml", o.Output))
	}
	if o.Selection.Quiet && o.Output != "" {
		return cli.UsageError(errors.New("--quiet and --output do not go together"))
	}
	return o.Selection.Validate()
}

// Run diagnoses each sandbox.
func (o *Options) Run(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams) error {
	a, err := factory.NewClients(f)
	if err != nil {
		return err
	}
	found, failed := o.diagnose(ctx, a)
	if len(found.all) == 0 && failed == nil && o.Output == "" {
		_, err = printable.Fprintf(streams.ErrOut, "%s\n", o.Selection.NoneSelected(a.Namespace))
		return err
	}
	if err := o.print(found, f, streams.Out); err != nil || !o.Watch || len(found.all) == 0 {
		return errors.Join(failed, err)
	}
	return errors.Join(failed, o.watch(ctx, f, a, streams, found))
}

// found is what one round of diagnoses found.
type found struct {
	// operator says why no operator manages the sandboxes. It is empty if one does, or if that is unknown.
	operator string
	all      []diagnose.Diagnosis
	targets  []*resolve.Target
}

func (f *found) same(as *found) bool {
	return f.operator == as.operator && reflect.DeepEqual(f.all, as.all)
}

// diagnose diagnoses each sandbox. A name that does not exist is an error; the others are still diagnosed.
func (o *Options) diagnose(ctx context.Context, a *factory.Clients) (*found, error) {
	f := &found{all: []diagnose.Diagnosis{}}
	problems := map[string]operator.Problem{} // by namespace
	objects, failed := o.Selection.Objects(ctx, a.Sandboxes, a.Namespace)
	for _, object := range objects {
		t, err := a.Resolver.ReadableObjects(ctx, object.Namespace, object.Ref)
		if o.Selection.Vanished(err) {
			continue
		}
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		problem, asked := problems[t.Namespace]
		if !asked {
			problem, _, _ = a.Operator.Problem(ctx, t.Namespace) // on an error only the sandboxes are diagnosed
			problems[t.Namespace] = problem
		}
		if problem.Message != "" && f.operator == "" {
			f.operator = factory.OperatorWarning(t.Namespace, problem)
		}
		snapshot := a.Observer.SnapshotWithNodes(ctx, t)
		if problem.Message != "" {
			observe.AddOperator(&snapshot, t, problem)
		}
		f.all, f.targets = append(f.all, diagnose.Of(snapshot)), append(f.targets, t)
	}
	return f, failed
}

// resyncPeriod is how often the diagnosis is repeated without a change: no watch reports everything that it depends on.
const resyncPeriod = 3 * time.Second

// watch prints the diagnoses each time one of them changes. It returns when the context ends or no sandbox is left.
func (o *Options) watch(
	ctx context.Context, f factory.Factory, a *factory.Clients, streams genericiooptions.IOStreams, shown *found,
) error {
	follow := a.Waiter.Watch(ctx)
	tick := f.Clock().NewTicker(resyncPeriod)
	defer tick.Stop()
	for {
		for _, t := range shown.targets {
			follow.AddTarget(t)
		}
		select {
		case <-ctx.Done():
			return &cli.ExitError{Code: cli.ExitInterrupted}
		case <-follow.Changed():
		case <-tick.C():
		}
		next, failed := o.diagnose(ctx, a)
		switch {
		case ctx.Err() != nil:
			return &cli.ExitError{Code: cli.ExitInterrupted}
		case len(next.all) == 0:
			return failed
		case next.same(shown):
			continue
		}
		shown = next
		if err := o.separate(f, streams.Out); err != nil {
			return err
		}
		if err := o.print(shown, f, streams.Out); err != nil {
			return err
		}
	}
}

// separate writes what separates two diagnoses of a watched sandbox. JSON documents need no separator.
func (o *Options) separate(f factory.Factory, out io.Writer) error {
	text := ""
	switch o.Output {
	case "":
		text = "\n" + f.Clock().Now().Format(time.TimeOnly) + "\n"
	case "yaml":
		text = "---\n"
	}
	_, err := io.WriteString(out, text)
	return err
}

func (o *Options) print(found *found, f factory.Factory, out io.Writer) error {
	all := found.all
	if o.Output != "" {
		document := map[string]any{"items": all}
		if o.Selection.AllNamespaces {
			document["items"] = found.inNamespaces()
		}
		if found.operator != "" {
			document["operator"] = found.operator
		}
		encoded, err := json.MarshalIndent(document, "", "    ")
		if err == nil && o.Output == "yaml" {
			encoded, err = printable.YAML(document)
		}
		if err != nil {
			return fmt.Errorf("encode the diagnosis: %w", err)
		}
		_, err = fmt.Fprintln(out, string(encoded))
		return err
	}
	style := printing.Style{Colored: f.Color(out)}
	if o.Selection.Quiet {
		return o.printVerdicts(found, style, out)
	}
	if found.operator != "" {
		if _, err := fmt.Fprintf(out, "%s\n\n", style.Alert(found.operator)); err != nil {
			return err
		}
	}
	command := func(arguments string) string { return printing.SuggestedCommand(arguments, f) }
	for i := range all {
		text := fmt.Sprintf(
			"%s: %s\n\n%s", o.title(found, i), style.Summary(&all[i]), style.Diagnosis(&all[i], command),
		)
		if i > 0 {
			text = "\n" + text
		}
		if _, err := io.WriteString(out, text); err != nil {
			return err
		}
	}
	return nil
}

// namespaced is a diagnosis with the namespace of the sandbox.
type namespaced struct {
	Namespace string `json:"namespace"`
	diagnose.Diagnosis
}

func (f *found) inNamespaces() []namespaced {
	all := make([]namespaced, len(f.all))
	for i := range f.all {
		all[i] = namespaced{f.targets[i].Namespace, f.all[i]}
	}
	return all
}

// title names one sandbox of those found, with its namespace if there may be several.
func (o *Options) title(found *found, i int) string {
	name := printable.Line(found.all[i].Name)
	if o.Selection.AllNamespaces {
		name += " in namespace " + found.targets[i].Namespace
	}
	return name
}

// printVerdicts prints one line for each sandbox.
func (o *Options) printVerdicts(found *found, style printing.Style, out io.Writer) error {
	for i := range found.all {
		verdict := found.all[i].Verdict
		text := string(verdict)
		if paint := style.VerdictPainter(verdict); paint != nil {
			text = paint(text)
		}
		if _, err := fmt.Fprintf(out, "%s: %s\n", o.title(found, i), text); err != nil {
			return err
		}
	}
	return nil
}
