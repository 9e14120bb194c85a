// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package template

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
)

// readValues are the parsed values of flags that are more than text.
type readValues struct {
	env     extensionsv1beta1.EnvVarsInjectionPolicy
	volumes extensionsv1beta1.VolumeClaimTemplatesPolicy
}

// Validate checks the flags and reads their values. It needs no cluster.
func (o *CreateOptions) Validate() error {
	checks := []func() error{o.checkName, o.checkSource, o.readPolicies, o.DryRun.Validate}
	for _, check := range checks {
		if err := check(); err != nil {
			return cli.UsageError(err)
		}
	}
	_, err := o.printing.ToPrinter()
	return cli.UsageError(err)
}

func (o *CreateOptions) checkName() error {
	switch {
	case len(validation.IsDNS1123Subdomain(o.Name)) > 0:
		return fmt.Errorf("%q cannot be a name: use lower-case letters, digits, '-' and '.', and begin and end with a "+
			"letter or digit", o.Name)
	case len(o.Name) > naming.MaxTemplateName:
		return fmt.Errorf("the name has %d characters: use at most %d, because the name of its NetworkPolicy begins with it",
			len(o.Name), naming.MaxTemplateName)
	}
	return nil
}

func (o *CreateOptions) checkSource() error {
	s := o.Sandbox
	switch {
	case o.File == "" && s.Image == "":
		return errors.New("--image or -f is missing: give what to create the sandboxes from")
	case o.File == "":
		s.Name = "x" // any valid name: the sandboxes get theirs later, and all other checks of `create` apply
		return s.Validate()
	case s.Image != "" || s.Command != nil || s.Service || o.Unmanaged ||
		o.EnvPolicy+o.VolumePolicy+s.VolumeRetention+s.Pod.Given() != "" ||
		len(s.Env)+len(s.Files)+len(s.Labels)+len(s.Annotations)+len(s.Volumes) > 0:
		return errors.New("-f describes the whole template: change the file, and leave out the other flags")
	}
	return nil
}

func (o *CreateOptions) readPolicies() error {
	env, err := policy("--env-policy", o.EnvPolicy)
	if err != nil {
		return err
	}
	volumes, err := policy("--volume-policy", o.VolumePolicy)
	o.read.env, o.read.volumes = extensionsv1beta1.EnvVarsInjectionPolicy(
		env,
	), extensionsv1beta1.VolumeClaimTemplatesPolicy(volumes)
	return err
}

// policy parses the value of --env-policy or --volume-policy, which have the same values.
func policy(flag, text string) (string, error) {
	if text == "" {
		return "", nil
	}
	for _, word := range []extensionsv1beta1.EnvVarsInjectionPolicy{
		extensionsv1beta1.EnvVarsInjectionPolicyDisallowed, extensionsv1beta1.EnvVarsInjectionPolicyAllowed,
		extensionsv1beta1.EnvVarsInjectionPolicyOverrides,
	} {
		if strings.EqualFold(text, string(word)) {
			return string(word), nil
		}
	}
	return "", fmt.Errorf("%s is %q: use Disallowed, Allowed or Overrides", flag, text)
}

// Build returns the template that validated options describe.
func (o *CreateOptions) Build(
	namespace string, explicit bool, now time.Time, in io.Reader,
) (*extensionsv1beta1.SandboxTemplate, error) {
	if o.File != "" {
		return o.fromFile(namespace, explicit, in)
	}
	sandbox := o.Sandbox.BuildSandbox(namespace, now)
	template := &extensionsv1beta1.SandboxTemplate{
		ObjectMeta: metav1.ObjectMeta{
			Name:        o.Name,
			Namespace:   namespace,
			Labels:      sandbox.Labels,
			Annotations: sandbox.Annotations,
		},
		Spec: extensionsv1beta1.SandboxTemplateSpec{
			PodTemplate: sandbox.Spec.PodTemplate, VolumeClaimTemplates: sandbox.Spec.VolumeClaimTemplates,
			Service:                sandbox.Spec.Service,
			EnvVarsInjectionPolicy: o.read.env, VolumeClaimTemplatesPolicy: o.read.volumes,
			PersistentVolumeClaimRetentionPolicy: sandbox.Spec.PersistentVolumeClaimRetentionPolicy,
		},
	}
	if o.Unmanaged {
		template.Spec.NetworkPolicyManagement = extensionsv1beta1.NetworkPolicyManagementUnmanaged
	}
	return template, nil
}

// fromFile reads the one template of the file. Names that contradict each other are an error.
func (o *CreateOptions) fromFile(
	namespace string, explicit bool, in io.Reader,
) (*extensionsv1beta1.SandboxTemplate, error) {
	content, err := readFile(o.File, in)
	if err != nil {
		return nil, err
	}
	template, err := parseTemplate(o.File, content)
	switch {
	case err != nil:
		return nil, err
	case template.Name != "" && template.Name != o.Name:
		return nil, fmt.Errorf(
			"%s names the template %q, but NAME is %q: leave the name out of the file, or make them the same", o.File,
			template.Name, o.Name,
		)
	}
	template.Name = o.Name
	return template, setNamespace(o.File, template, namespace, explicit)
}
