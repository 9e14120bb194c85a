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
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/apis/buildinfo"
	"github.com/agent-sandbox/kubectl-sandbox/operator/install"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/argument"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/exit"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/factory"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
)

// The values of --dry-run.
const (
	dryRunNone   = "none"
	dryRunClient = "client"
	dryRunServer = "server"
)

// Options are the flags.
type Options struct {
	Choices Choices
	Export  bool
	DryRun  string
	Wait    bool
	Timeout time.Duration
	// Forced takes back what others set.
	Forced bool
}

// NewCommand returns the command.
func NewCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := &Options{}
	var replicas int32
	var coreOnly bool
	var namespaces []string
	cmd := &cobra.Command{
		Use:   "install",
		Short: "Install the operator in the cluster, or bring it up to this version",
		Long: "install applies the operator and the CustomResourceDefinitions that this program carries, and waits until the operator\n" +
			"is available. It checks first whether you may do that, and changes nothing that it did not make itself. It can be\n" +
			"repeated. The operator goes to the namespace " + apis.OperatorNamespace + " unless --namespace says otherwise.\n\n" +
			"Over an installation it keeps what was chosen: image, replicas, kinds, watched namespaces and arguments stay unless a flag\n" +
			"asks for others, and so do the environment, resources, node selector and whatever else somebody set with kubectl. The\n" +
			"image changes only with --image, or from the published one of another version to that of this. --force-conflicts takes\n" +
			"everything back. The CustomResourceDefinitions and the operator's permissions are always those of this version.",
		Example: "  kubectl sandbox install\n\n" +
			"  # For two namespaces that exist, without any right in the others\n" +
			"  kubectl sandbox install --watch-namespaces=team-a,team-b\n\n" +
			"  # With secure metrics, and what the operator needs for them\n" +
			"  kubectl sandbox install --arg=--metrics-secure\n\n" +
			"  # Apply the manifests yourself\n" +
			"  kubectl sandbox install --export | kubectl apply --server-side -f -\n\n" +
			"  # What would change, as a diff\n" +
			"  kubectl sandbox install --dry-run=server",
		Args: argument.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.readGiven(cmd, replicas, coreOnly, namespaces)
			if err := o.Validate(); err != nil {
				return err
			}
			return o.Run(cmd.Context(), f, streams)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&o.Export, "export", false, "Print the manifests as YAML and change nothing. No cluster is needed.")
	flags.BoolVar(&coreOnly, "core-only", false, "Leave out claims, templates and pools.")
	flags.Int32Var(&replicas, "replicas", 1, "How many operators run; one leads and the others stand by.")
	flags.StringSliceVar(&namespaces, "watch-namespaces", nil,
		"Work in these namespaces alone, with Roles in place of ClusterRoles. They must exist. Empty is all.")
	flags.StringArrayVar(&o.Choices.Args, "arg", nil,
		"Flag of the operator, as in --arg=--kube-api-qps=50, in place of the value it has. May be given several times.")
	AddFlags(cmd, o)
	return cmd
}

// readGiven notes what the user asked for.
func (o *Options) readGiven(cmd *cobra.Command, replicas int32, coreOnly bool, namespaces []string) {
	if cmd.Flags().Changed("replicas") {
		o.Choices.Replicas = &replicas
	}
	if cmd.Flags().Changed("core-only") {
		o.Choices.CoreOnly = &coreOnly
	}
	if cmd.Flags().Changed("watch-namespaces") {
		o.Choices.WatchNamespaces = append([]string{}, namespaces...)
	}
}

// AddFlags adds the flags that say how to apply, not what.
func AddFlags(cmd *cobra.Command, o *Options) {
	flags := cmd.Flags()
	flags.StringVar(&o.Choices.Image, "image", "", "The operator's image. (default: the one that is installed; else, or to change the version, the published one of this version)")
	flags.BoolVar(&o.Choices.AllowDowngrade, "allow-downgrade", false, "Replace a newer operator by the older one of this program.")
	flags.BoolVar(&o.Forced, "force-conflicts", false, "Take back what was chosen before or set by others, as with kubectl: without further flags everything is the default.")
	flags.StringVar(&o.DryRun, "dry-run", dryRunNone, "none; client says what would be applied; server has the cluster say what would change.")
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
	case o.Choices.Replicas != nil && *o.Choices.Replicas < 1:
		return exit.Usage(fmt.Errorf("--replicas is %d: at least one is needed", *o.Choices.Replicas))
	case o.Timeout <= 0:
		return exit.Usage(fmt.Errorf("--timeout is %s: it must be positive", o.Timeout))
	}
	for _, arg := range o.Choices.Args {
		if name, _, _ := strings.Cut(arg, "="); !strings.HasPrefix(name, "--") || strings.ContainsAny(name, " \t") {
			return exit.Usage(fmt.Errorf("--arg is %q: give a flag of the operator, as in --arg=--kube-api-qps=50", arg))
		}
	}
	return exit.Usage(install.Options{Image: o.Choices.Image, WatchNamespaces: o.Choices.WatchNamespaces}.Validate())
}

// Run installs, or exports.
func (o *Options) Run(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams) error {
	if o.Export {
		return o.export(f, streams.Out)
	}
	a, err := newApplier(f, streams)
	if err != nil {
		return err
	}
	a.forced = o.Forced
	manifests, err := o.manifests(ctx, f, a)
	if err != nil {
		return err
	}
	objects, err := install.Render(manifests)
	if err != nil {
		return exit.Usage(err)
	}
	plan, err := a.check(ctx, objects, manifests.Namespace)
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
	if *manifests.Replicas == 0 {
		return nil // it was said
	}
	return a.available(ctx, manifests.Namespace, limit.C())
}

// manifests are what is to be installed: what was asked for over what is there.
func (o *Options) manifests(ctx context.Context, f factory.Factory, a *applier) (install.Options, error) {
	namespace, err := Namespace(ctx, f, a.kubernetes)
	if err != nil {
		return install.Options{}, err
	}
	have, err := Operator(ctx, a.kubernetes, namespace)
	if err != nil && !apierrors.IsForbidden(err) { // who may not read it is told all that is missing, later
		return install.Options{}, err
	}
	choices := o.Choices
	choices.Defaults = o.Forced
	manifests, remarks, err := choices.over(have, f.Program(), buildinfo.Get().Version)
	if err != nil {
		return install.Options{}, err
	}
	for _, remark := range remarks {
		a.note("%s", remark)
	}
	manifests.Namespace = namespace
	return manifests.Complete(), nil
}

// export prints the manifests of what was asked for.
func (o *Options) export(f factory.Factory, out io.Writer) error {
	manifests, _, err := o.Choices.over(nil, f.Program(), buildinfo.Get().Version)
	if err != nil {
		return err
	}
	if namespace, explicit, err := f.Namespace(); err == nil && explicit { // no cluster is needed
		manifests.Namespace = namespace
	}
	objects, err := install.Render(manifests)
	if err != nil {
		return exit.Usage(err)
	}
	for _, object := range objects {
		text, err := printable.YAML(object.Object)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(out, "---\n%s", text); err != nil {
			return err
		}
	}
	return nil
}
