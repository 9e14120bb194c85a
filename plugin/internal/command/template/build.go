// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package template

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/yaml"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
)

// readValues are the parsed values of flags that are more than text.
type readValues struct {
	ports     []corev1.ContainerPort
	env       extensionsv1beta1.EnvVarsInjectionPolicy
	volumes   extensionsv1beta1.VolumeClaimTemplatesPolicy
	resources corev1.ResourceList
}

// Validate checks the flags and reads their values. It needs no cluster.
func (o *CreateOptions) Validate() error {
	checks := []func() error{o.checkName, o.checkSource, o.readPorts, o.readPolicies, o.readResources, o.DryRun.Validate}
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
		o.EnvPolicy+o.VolumePolicy+s.VolumeRetention+o.RuntimeClass+o.ServiceAccount+o.CPU+o.Memory != "" ||
		len(s.Env)+len(s.Labels)+len(s.Annotations)+len(s.Volumes)+len(o.Ports) > 0:
		return errors.New("-f describes the whole template: change the file, and leave out the other flags")
	}
	return nil
}

func (o *CreateOptions) readPorts() error {
	o.read.ports = nil
	for _, text := range o.Ports {
		name, number, named := strings.Cut(text, "=")
		if !named {
			name, number = "", text
		}
		port, err := strconv.ParseInt(number, 10, 32)
		if err != nil || len(validation.IsValidPortNum(int(port))) > 0 ||
			(named && len(validation.IsValidPortName(name)) > 0) {
			return fmt.Errorf("--port %q: use [NAME=]PORT, where PORT is 1 to 65535 and NAME at most 15 lower-case letters, "+
				"digits and hyphens", text)
		}
		for _, other := range o.read.ports {
			if other.ContainerPort == int32(port) || (named && other.Name == name) {
				return fmt.Errorf("--port %q: another port has the same name or number", text)
			}
		}
		o.read.ports = append(
			o.read.ports, corev1.ContainerPort{Name: name, ContainerPort: int32(port), Protocol: corev1.ProtocolTCP},
		)
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

func (o *CreateOptions) readResources() error {
	o.read.resources = nil
	for _, given := range []struct {
		flag, text string
		name       corev1.ResourceName
	}{{"--cpu", o.CPU, corev1.ResourceCPU}, {"--memory", o.Memory, corev1.ResourceMemory}} {
		if given.text == "" {
			continue
		}
		quantity, err := resource.ParseQuantity(given.text)
		if err != nil || quantity.Sign() <= 0 {
			return fmt.Errorf("%s %q is not a quantity; use for example 500m or 512Mi", given.flag, given.text)
		}
		if o.read.resources == nil {
			o.read.resources = corev1.ResourceList{}
		}
		o.read.resources[given.name] = quantity
	}
	return nil
}

// Build returns the template that validated options describe.
func (o *CreateOptions) Build(
	namespace string, explicit bool, now time.Time, in io.Reader,
) (*extensionsv1beta1.SandboxTemplate, error) {
	if o.File != "" {
		return o.fromFile(namespace, explicit, in)
	}
	sandbox := o.Sandbox.BuildSandbox(namespace, now)
	pod := &sandbox.Spec.PodTemplate.Spec
	pod.Containers[0].Ports = o.read.ports
	pod.Containers[0].Resources = corev1.ResourceRequirements{
		Requests: o.read.resources,
		Limits:   o.read.resources.DeepCopy(),
	}
	pod.ServiceAccountName = o.ServiceAccount
	if o.RuntimeClass != "" {
		pod.RuntimeClassName = &o.RuntimeClass
	}
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
	var content []byte
	var err error
	if o.File == "-" {
		content, err = io.ReadAll(in)
	} else {
		content, err = os.ReadFile(o.File)
	}
	if err != nil {
		return nil, fmt.Errorf("read the template: %w", err)
	}
	template := &extensionsv1beta1.SandboxTemplate{}
	if err := yaml.UnmarshalStrict(content, template); err != nil {
		return nil, fmt.Errorf("%s is not a SandboxTemplate: %w", o.File, err)
	}
	switch {
	case template.Kind != apis.KindSandboxTemplate || !strings.HasPrefix(template.APIVersion, apis.GroupExtensions+"/"):
		return nil, fmt.Errorf("%s contains a %s of %q: give one SandboxTemplate of %s",
			o.File, template.Kind, template.APIVersion, apis.GroupExtensions)
	case template.Name != "" && template.Name != o.Name:
		return nil, fmt.Errorf(
			"%s names the template %q, but NAME is %q: leave the name out of the file, or make them the same", o.File,
			template.Name, o.Name,
		)
	case template.Namespace != "" && explicit && template.Namespace != namespace:
		return nil, fmt.Errorf("%s puts the template into namespace %q, but you chose %q",
			o.File, template.Namespace, namespace)
	}
	template.Name = o.Name
	if template.Namespace == "" {
		template.Namespace = namespace
	}
	return template, nil
}
