// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package installer

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/apis/crds"
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
	flags.StringVar(&o.Choices.RouterImage, "router-image", "",
		"The image of the routers, chosen as --image is.")
	flags.StringSliceVar(&o.Choices.ServedVersions, "served-versions", nil,
		"The API versions that the API server serves. Without v1alpha1 it does less work for each change of a Sandbox, and "+
			"clients that use v1alpha1 fail. (default: those that it serves; else "+strings.Join(crds.Versions(), ",")+")")
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
	for flag, values := range map[string][]string{
		"dry-run": {dryRunNone, dryRunClient, dryRunServer}, "served-versions": crds.Versions(),
	} {
		_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions( // it fails only for an unknown flag
			values, cobra.ShellCompDirectiveNoFileComp))
	}
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
	if err := checkArgs("arg", "operator", "--kube-api-qps=50", o.Choices.Args); err != nil {
		return err
	}
	if err := checkArgs("router-arg", "router", "--resume-on-request", o.Choices.RouterArgs); err != nil {
		return err
	}
	for _, variable := range o.Choices.Env {
		name, _, valued := strings.Cut(variable, "=")
		if problems := validation.IsEnvVarName(name); !valued || len(problems) > 0 {
			return cli.UsageError(fmt.Errorf("--env is %q: give NAME=VALUE, as in --env GOMEMLIMIT=900MiB", variable))
		}
	}
	if o.Choices.ServedVersions != nil {
		if err := crds.ValidateServed(o.Choices.ServedVersions); err != nil {
			return cli.UsageError(fmt.Errorf("--served-versions: %w", err))
		}
	}
	return cli.UsageError(install.Options{
		Image: o.Choices.Image, WatchNamespaces: o.Choices.WatchNamespaces, Routers: o.Choices.asked(),
		Env: mergeEnv(nil, o.Choices.Env),
	}.Validate())
}

// checkArgs checks that arguments of a program are flags.
func checkArgs(flag, program, example string, args []string) error {
	for _, arg := range args {
		if name, _, _ := strings.Cut(arg, "="); !strings.HasPrefix(name, "--") || strings.ContainsAny(name, " \t") {
			return cli.UsageError(fmt.Errorf("--%s is %q: give a flag of the %s, as in --%[1]s=%[4]s", flag, arg, program,
				example))
		}
	}
	return nil
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
	objects = withKeys(objects)
	plan, err := a.check(ctx, objects, manifests.Namespace)
	if err != nil {
		return err
	}
	obsolete, err := a.obsolete(ctx, objects)
	if err != nil {
		return err
	}
	if err := a.warnOfUse(ctx, plan); err != nil {
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
	return a.waitAvailable(ctx, manifests, limit.C())
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
	routers, known, err := a.readRouters(ctx)
	if err != nil {
		return install.Options{}, err
	}
	a.routersKnown = known
	manifests, err := choices.merge(have, routers, namespace, f.Program(), a.printNote)
	if err != nil {
		return install.Options{}, err
	}
	if manifests.ServedVersions == nil && !choices.Defaults {
		if manifests.ServedVersions, err = a.servedVersions(ctx); err != nil {
			return install.Options{}, err
		}
	}
	return manifests.Complete(), nil
}

// Export prints the manifests that the flags ask for. It contacts no cluster.
func (o *Options) Export(f factory.Factory, streams genericiooptions.IOStreams) error {
	namespace, explicit, err := f.Namespace() // this reads the command line, and contacts no cluster
	if err != nil || !explicit {
		namespace = ""
	}
	manifests, err := o.Choices.merge(nil, nil, namespace, f.Program(), func(string, ...any) {})
	if err != nil {
		return err
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
		if _, err := streams.Out.Write(append([]byte("---\n"), text...)); err != nil {
			return err
		}
	}
	for _, router := range manifests.Complete().Routers {
		_, _ = printable.Fprintf(streams.ErrOut, // best effort
			"The router needs a signing key, which is no manifest. Make it once: kubectl create secret generic %s "+
				"--namespace %s --from-literal=%s=$(openssl rand -hex 32)\n",
			install.SigningKeyName, router.Namespace, install.SigningKeyEntry)
	}
	return nil
}
