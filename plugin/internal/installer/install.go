// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package installer

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/apis/buildinfo"
	"github.com/agent-sandbox/kubectl-sandbox/operator/install"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
)

// The values of --dry-run.
const (
	dryRunNone   = "none"
	dryRunClient = "client"
	dryRunServer = "server"
)

// Options are what to install and how.
type Options struct {
	Choices Choices
	DryRun  string
	Wait    bool
	Timeout time.Duration
	// ForceConflicts overwrites fields that others set.
	ForceConflicts bool
}

// AddFlags adds the flags that install and upgrade share.
func AddFlags(cmd *cobra.Command, o *Options) {
	flags := cmd.Flags()
	flags.StringVar(&o.Choices.Image, "image", "",
		"The operator's image. (default: the one that is installed; else, or to change the version, the published one of "+
			"this version)")
	flags.BoolVar(&o.Choices.AllowDowngrade, "allow-downgrade", false,
		"Replace a newer operator by the older one of this program.")
	flags.BoolVar(&o.ForceConflicts, "force-conflicts", false,
		"Overwrite what was chosen before or set by others, as kubectl does. Without further flags everything is the "+
			"default.")
	flags.StringVar(&o.DryRun, "dry-run", dryRunNone,
		"none, client (print what would be applied) or server (print what the cluster would change).")
	flags.Lookup("dry-run").NoOptDefVal = dryRunClient
	flags.BoolVar(&o.Wait, "wait", true, "Wait until the operator is available.")
	flags.DurationVar(&o.Timeout, "timeout", 5*time.Minute, "How long to wait, as in 90s or 10m.")
	_ = cmd.RegisterFlagCompletionFunc("dry-run", cobra.FixedCompletions( // it fails only for an unknown flag
		[]string{dryRunNone, dryRunClient, dryRunServer}, cobra.ShellCompDirectiveNoFileComp))
}

// Validate checks the flags.
func (o *Options) Validate() error {
	switch o.DryRun {
	case dryRunNone, dryRunClient, dryRunServer:
	default:
		return cli.UsageError(fmt.Errorf("--dry-run is %q: use none, client or server", o.DryRun))
	}
	switch {
	case o.Choices.Replicas != nil && *o.Choices.Replicas < 1:
		return cli.UsageError(fmt.Errorf("--replicas is %d: at least one is needed", *o.Choices.Replicas))
	case o.Timeout <= 0:
		return cli.UsageError(fmt.Errorf("--timeout is %s: it must be positive", o.Timeout))
	}
	for _, arg := range o.Choices.Args {
		if name, _, _ := strings.Cut(arg, "="); !strings.HasPrefix(name, "--") || strings.ContainsAny(name, " \t") {
			return cli.UsageError(fmt.Errorf("--arg is %q: give a flag of the operator, as in --arg=--kube-api-qps=50", arg))
		}
	}
	return cli.UsageError(install.Options{Image: o.Choices.Image, WatchNamespaces: o.Choices.WatchNamespaces}.Validate())
}

// Run installs the operator.
func (o *Options) Run(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams) error {
	a, err := newApplier(f, streams)
	if err != nil {
		return err
	}
	a.forceConflicts = o.ForceConflicts
	manifests, err := o.manifests(ctx, f, a)
	if err != nil {
		return err
	}
	objects, err := install.Render(manifests)
	if err != nil {
		return cli.UsageError(err)
	}
	plan, err := a.check(ctx, objects, manifests.Namespace)
	if err != nil {
		return err
	}
	obsolete, err := a.obsoleteGrants(ctx, objects)
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
		return nil // a remark says so
	}
	return a.waitAvailable(ctx, manifests.Namespace, limit.C())
}

// manifests returns the options of the manifests: the choices of the user over those of the installation.
func (o *Options) manifests(ctx context.Context, f factory.Factory, a *applier) (install.Options, error) {
	namespace, err := Namespace(ctx, f, a.kubernetes)
	if err != nil {
		return install.Options{}, err
	}
	have, err := GetDeployment(ctx, a.kubernetes, namespace)
	if err != nil && !apierrors.IsForbidden(err) { // check reports all missing permissions at once
		return install.Options{}, err
	}
	choices := o.Choices
	choices.Defaults = o.ForceConflicts
	manifests, remarks, err := choices.mergeInto(have, f.Program(), buildinfo.Get().Version)
	if err != nil {
		return install.Options{}, err
	}
	for _, remark := range remarks {
		a.printNote("%s", remark)
	}
	manifests.Namespace = namespace
	return manifests.Complete(), nil
}

// Export prints the manifests that the flags ask for. It contacts no cluster.
func (o *Options) Export(f factory.Factory, out io.Writer) error {
	manifests, _, err := o.Choices.mergeInto(nil, f.Program(), buildinfo.Get().Version)
	if err != nil {
		return err
	}
	// this reads the command line, and contacts no cluster
	if namespace, explicit, err := f.Namespace(); err == nil && explicit {
		manifests.Namespace = namespace
	}
	objects, err := install.Render(manifests)
	if err != nil {
		return cli.UsageError(err)
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
