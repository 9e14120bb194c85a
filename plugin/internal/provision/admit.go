// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package provision

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/printing"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// checkAdditions refuses a claim whose variables or volumes its template does not admit. Of a template that cannot be
// read it only prints that nothing was checked.
func (o *Options) checkAdditions(ctx context.Context, f factory.Factory, a *factory.Clients, errOut io.Writer) error {
	if !o.createsClaim() || len(o.env)+len(o.volumes) == 0 {
		return nil
	}
	template, err := o.readTemplate(ctx, a)
	switch {
	case err == nil:
		edit := printing.SuggestedCommand("template edit "+template.Name, f)
		return o.refusedBy(template, edit)
	case resolve.Is(err, resolve.NotFound) || apierrors.IsForbidden(err):
		_, _ = printable.Fprintf(errOut, "Warning: whether the template admits --env and --volume was not checked: %v\n",
			err) // best effort
		return nil
	}
	return err
}

// readTemplate reads the template of the claim: the one that is given, or that of its pool.
func (o *Options) readTemplate(ctx context.Context, a *factory.Clients) (*extensionsv1beta1.SandboxTemplate, error) {
	name := o.Template
	if name == "" {
		pool, err := a.Pools.Pool(ctx, a.Namespace, o.Pool)
		if err != nil {
			return nil, err
		}
		name = pool.Spec.TemplateRef.Name
	}
	return a.Pools.Template(ctx, a.Namespace, name)
}

// refusedBy returns why the template does not admit what the claim adds, or nil. edit is the command that changes the
// template. A volume that no container mounts is refused too: it would be created, and nobody could use it. A template
// without a policy, which has a default, is of a cluster that does not know the policy, and whose operator decides.
func (o *Options) refusedBy(template *extensionsv1beta1.SandboxTemplate, edit string) error {
	spec := &template.Spec
	envPolicy, policy := spec.EnvVarsInjectionPolicy, spec.VolumeClaimTemplatesPolicy
	switch {
	case len(o.env) > 0 && envPolicy != "" && !envPolicy.AllowsAdding():
		return fmt.Errorf("template %s lets claims set no variables: leave out --env and --env-file, or set "+
			"envVarsInjectionPolicy to %s: %s", template.Name, extensionsv1beta1.EnvVarsInjectionPolicyAllowed, edit)
	case policy == "":
		return nil
	case len(o.volumes) > 0 && !policy.AllowsAdding():
		return fmt.Errorf("template %s lets claims add no volumes: leave out --volume, or set "+
			"volumeClaimTemplatesPolicy to %s: %s", template.Name, extensionsv1beta1.VolumeClaimTemplatesPolicyAllowed, edit)
	}
	mounted := spec.MountedVolumes()
	for _, v := range o.volumes {
		switch {
		case spec.HasVolume(v.name) && !policy.AllowsOverriding():
			return fmt.Errorf("template %s has a volume %s already: give --volume another name, or set "+
				"volumeClaimTemplatesPolicy to %s, so that a claim may replace it: %s", template.Name, v.name,
				extensionsv1beta1.VolumeClaimTemplatesPolicyOverrides, edit)
		case !slices.Contains(mounted, v.name):
			return fmt.Errorf("no container of template %s mounts a volume %s, so that nothing could use it: %sadd a "+
				"volumeMount of that name to the template: %s", template.Name, v.name, mountedHint(spec, mounted), edit)
		}
	}
	return nil
}

// mountedHint names the volumes that a claim may add, as the beginning of a remedy.
func mountedHint(spec *extensionsv1beta1.SandboxTemplateSpec, mounted []string) string {
	if !spec.VolumeClaimTemplatesPolicy.AllowsOverriding() {
		mounted = slices.DeleteFunc(slices.Clone(mounted), spec.HasVolume)
	}
	if len(mounted) == 0 {
		return ""
	}
	return "call it " + strings.Join(mounted, " or ") + ", or "
}
