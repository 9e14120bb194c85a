// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package install is the command `install`, and what `upgrade`, `uninstall`, `doctor` and `version` know about an installation.
//
// Invariants:
//   - nothing is written before everything was checked: permissions, what is there already, and what the API server admits;
//   - an object of the same name that this command did not make is never changed;
//   - a second run changes nothing.
package install

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"sigs.k8s.io/yaml"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/operator/install"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/argument"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/exit"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/factory"
)

// The values of --dry-run.
const (
	dryRunNone   = "none"
	dryRunClient = "client"
	dryRunServer = "server"
)

// Options are the flags.
type Options struct {
	Manifests install.Options
	Export    bool
	DryRun    string
	Wait      bool
	Timeout   time.Duration
}

// NewCommand returns the command.
func NewCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := &Options{}
	cmd := &cobra.Command{
		Use:   "install",
		Short: "Install the operator in the cluster, or bring it up to this version",
		Long: "install applies the operator and the CustomResourceDefinitions that this program carries, and waits until the operator\n" +
			"is available. It checks first whether you may do that, and changes nothing that it did not make itself. It can be\n" +
			"repeated. The operator goes to the namespace " + apis.OperatorNamespace + " unless --namespace says otherwise.",
		Example: "  kubectl sandbox install\n\n" +
			"  # For two namespaces that exist, without any right in the others\n" +
			"  kubectl sandbox install --watch-namespaces=team-a,team-b\n\n" +
			"  # With secure metrics, and what the operator needs for them\n" +
			"  kubectl sandbox install --arg=--metrics-secure\n\n" +
			"  # Apply the manifests yourself\n" +
			"  kubectl sandbox install --export | kubectl apply --server-side -f -\n\n" +
			"  # What would change\n" +
			"  kubectl sandbox install --dry-run=server",
		Args: argument.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.Validate(); err != nil {
				return err
			}
			return o.Run(cmd.Context(), f, streams)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&o.Export, "export", false, "Print the manifests as YAML and change nothing. No cluster is needed.")
	flags.BoolVar(&o.Manifests.CoreOnly, "core-only", false, "Leave out claims, templates and pools.")
	flags.StringVar(&o.Manifests.Image, "image", install.DefaultImage(), "The operator's image.")
	flags.Int32Var(&o.Manifests.Replicas, "replicas", 1, "How many operators run; one leads and the others stand by.")
	flags.StringSliceVar(&o.Manifests.WatchNamespaces, "watch-namespaces", nil,
		"Work in these namespaces alone, with Roles in place of ClusterRoles. They must exist.")
	flags.StringArrayVar(&o.Manifests.Args, "arg", nil, "Flag of the operator, as in --arg=--kube-api-qps=50. May be given several times.")
	AddFlags(cmd, o)
	return cmd
}

// AddFlags adds the flags that say how to apply, not what.
func AddFlags(cmd *cobra.Command, o *Options) {
	flags := cmd.Flags()
	flags.StringVar(&o.DryRun, "dry-run", dryRunNone, "none; client says what would be applied; server has the cluster check it too.")
	flags.Lookup("dry-run").NoOptDefVal = dryRunClient
	flags.BoolVar(&o.Wait, "wait", true, "Wait until the operator is available.")
	flags.DurationVar(&o.Timeout, "timeout", 5*time.Minute, "How long to wait, as in 90s or 10m.")
	_ = cmd.RegisterFlagCompletionFunc("dry-run", cobra.FixedCompletions( // fails only for a flag that does not exist
		[]string{dryRunNone, dryRunClient, dryRunServer}, cobra.ShellCompDirectiveNoFileComp))
}

// Validate checks the flags.
func (o *Options) Validate() error {
	switch o.DryRun {
	case dryRunNone, dryRunClient, dryRunServer:
	default:
		return exit.Usage(fmt.Errorf("--dry-run is %q: use none, client or server", o.DryRun))
	}
	switch {
	case o.Manifests.Image == "":
		return exit.Usage(errors.New("--image is empty"))
	case o.Manifests.Replicas < 1:
		return exit.Usage(fmt.Errorf("--replicas is %d: at least one is needed", o.Manifests.Replicas))
	case o.Timeout <= 0:
		return exit.Usage(fmt.Errorf("--timeout is %s: it must be positive", o.Timeout))
	}
	for _, arg := range o.Manifests.Args {
		if name, _, _ := strings.Cut(arg, "="); !strings.HasPrefix(name, "--") || strings.ContainsAny(name, " \t") {
			return exit.Usage(fmt.Errorf("--arg is %q: give a flag of the operator, as in --arg=--kube-api-qps=50", arg))
		}
	}
	return exit.Usage(o.Manifests.Validate())
}

// Run installs, or exports.
func (o *Options) Run(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams) error {
	namespace, explicit, err := f.Namespace()
	if err != nil && !o.Export {
		return err
	}
	if explicit {
		o.Manifests.Namespace = namespace
	}
	objects, err := install.Render(o.Manifests)
	if err != nil {
		return exit.Usage(err)
	}
	if o.Export {
		return export(streams.Out, objects)
	}
	a, err := newApplier(f, streams)
	if err != nil {
		return err
	}
	plan, err := a.check(ctx, objects, o.Manifests.Complete().Namespace)
	if err != nil {
		return err
	}
	obsolete, err := a.obsolete(ctx, objects)
	if err != nil {
		return err
	}
	if o.DryRun != dryRunNone {
		return a.preview(ctx, plan, obsolete, o.DryRun == dryRunServer)
	}
	limit := f.Clock().NewTimer(o.Timeout)
	defer limit.Stop()
	if err := a.apply(ctx, plan, obsolete, limit.C()); err != nil {
		return err
	}
	if !o.Wait {
		return nil
	}
	return a.available(ctx, o.Manifests.Complete().Namespace, limit.C())
}

func export(out io.Writer, objects []*unstructured.Unstructured) error {
	for _, object := range objects {
		text, err := yaml.Marshal(object.Object)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(out, "---\n%s", text); err != nil {
			return err
		}
	}
	return nil
}
