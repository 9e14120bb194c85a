// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package create

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/exit"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/waiting"
)

// Values of --dry-run.
const (
	dryRunNone   = "none"
	dryRunClient = "client"
	dryRunServer = "server"
)

// Options are the name, the command and the flags.
type Options struct {
	Name           string
	Command        []string
	Image          string
	Env            []string
	Labels         []string
	Annotations    []string
	Volumes        []string
	TTL            time.Duration
	AfterFinished  time.Duration
	ShutdownPolicy string
	Restart        string
	Service        bool
	DryRun         string
	Waiting        waiting.Options

	printing    *genericclioptions.PrintFlags
	env         []corev1.EnvVar
	labels      map[string]string
	annotations map[string]string
	volumes     []volume
	policy      agentsv1beta1.ShutdownPolicy
	restart     corev1.RestartPolicy
}

type volume struct {
	name, path string
	size       resource.Quantity
}

// NewOptions returns Options with the defaults of the flags.
func NewOptions() *Options {
	return &Options{DryRun: dryRunNone, Restart: string(corev1.RestartPolicyAlways), printing: newPrintFlags()}
}

func (o *Options) addFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&o.Image, "image", "", "The container image.")
	flags.StringArrayVar(&o.Env, "env", nil, "An environment variable, NAME=VALUE. Repeatable.")
	flags.StringArrayVar(&o.Labels, "label", nil, "A label of the Sandbox and its Pod, KEY=VALUE. Repeatable.")
	flags.StringArrayVar(&o.Annotations, "annotation", nil, "An annotation of the Sandbox and its Pod, KEY=VALUE. Repeatable.")
	flags.StringArrayVar(&o.Volumes, "volume", nil, "A persistent volume, NAME=SIZE[:PATH], as in data=1Gi:/data. PATH is /NAME by default. Repeatable.")
	flags.DurationVar(&o.TTL, "ttl", 0, "End the sandbox after this time, as in 30m or 4h.")
	flags.DurationVar(&o.AfterFinished, "ttl-after-finished", 0, "Only claims have this: it cannot be used with --image.")
	flags.StringVar(&o.ShutdownPolicy, "shutdown-policy", "", "What happens at the end of --ttl: Retain (the default) keeps the Sandbox and its volumes without a Pod, Delete deletes them.")
	flags.StringVar(&o.Restart, "restart", o.Restart, "Start the container again when it ends: Always, OnFailure or Never.")
	flags.BoolVar(&o.Service, "service", false, "Give the sandbox a DNS name in the cluster (a headless Service of its name).")
	flags.StringVar(&o.DryRun, "dry-run", o.DryRun, "Create nothing: client only prints the object, server has the cluster check it too.")
	o.Waiting.AddFlags(cmd, "the sandbox is ready")
	o.printing.AddFlags(cmd)
}

// Validate checks the flags and reads their values. It needs no cluster.
func (o *Options) Validate() error {
	checks := []func() error{o.checkName, o.checkImage, o.checkLifetime, o.readEnv, o.readMetadata, o.readVolumes, o.checkOutput}
	for _, check := range checks {
		if err := check(); err != nil {
			return exit.Usage(err)
		}
	}
	return nil
}

func (o *Options) checkName() error {
	if len(o.Name) > validation.DNS1123SubdomainMaxLength {
		return fmt.Errorf("the name is too long: %d characters, at most %d are allowed", len(o.Name), validation.DNS1123SubdomainMaxLength)
	}
	if problems := validation.IsDNS1123Subdomain(o.Name); len(problems) > 0 {
		return fmt.Errorf("%q cannot be a name: use lower-case letters, digits, '-' and '.', and begin and end with a letter or digit", o.Name)
	}
	if !o.Service {
		return nil
	}
	if len(o.Name) > validation.DNS1123LabelMaxLength {
		return fmt.Errorf("the name is too long for --service: %d characters, at most %d are allowed", len(o.Name), validation.DNS1123LabelMaxLength)
	}
	if strings.Contains(o.Name, ".") {
		return fmt.Errorf("%q cannot be the name of a Service: leave out --service, or the dots", o.Name)
	}
	return nil
}

func (o *Options) checkImage() error {
	switch {
	case o.Image == "":
		return errors.New("--image is missing")
	case strings.TrimSpace(o.Image) != o.Image || strings.ContainsAny(o.Image, " \t"):
		return fmt.Errorf("--image %q holds spaces", o.Image)
	}
	policies := []corev1.RestartPolicy{corev1.RestartPolicyAlways, corev1.RestartPolicyOnFailure, corev1.RestartPolicyNever}
	for _, policy := range policies {
		if strings.EqualFold(o.Restart, string(policy)) {
			o.restart = policy
			return nil
		}
	}
	return fmt.Errorf("--restart is %q: use Always, OnFailure or Never", o.Restart)
}

func (o *Options) checkLifetime() error {
	if o.AfterFinished != 0 {
		return errors.New("--ttl-after-finished belongs to claims, and --image creates a Sandbox without a claim: use --ttl")
	}
	if o.TTL < 0 || (o.TTL > 0 && o.TTL < time.Second) {
		return fmt.Errorf("--ttl is %s: give at least a second", o.TTL)
	}
	if o.ShutdownPolicy == "" {
		return nil
	}
	for _, policy := range []agentsv1beta1.ShutdownPolicy{agentsv1beta1.ShutdownPolicyDelete, agentsv1beta1.ShutdownPolicyRetain} {
		if strings.EqualFold(o.ShutdownPolicy, string(policy)) {
			o.policy = policy
		}
	}
	switch {
	case o.policy == "":
		return fmt.Errorf("--shutdown-policy is %q: use Delete or Retain", o.ShutdownPolicy)
	case o.TTL == 0:
		return errors.New("--shutdown-policy says what happens at the end of --ttl: give --ttl too")
	}
	return nil
}

func (o *Options) readEnv() error {
	o.env = nil
	for _, text := range o.Env {
		name, value, found := strings.Cut(text, "=")
		if !found {
			return fmt.Errorf("--env %q: use NAME=VALUE", text)
		}
		if problems := validation.IsEnvVarName(name); len(problems) > 0 {
			return fmt.Errorf("--env %q: %q cannot be the name of a variable", text, name)
		}
		// $$ keeps the kubelet from expanding $(NAME): the value arrives as it was written.
		o.env = append(o.env, corev1.EnvVar{Name: name, Value: strings.ReplaceAll(value, "$(", "$$(")})
	}
	return nil
}

func (o *Options) readMetadata() error {
	var err error
	if o.labels, err = pairs("--label", o.Labels, validation.IsValidLabelValue); err != nil {
		return err
	}
	for key, value := range o.labels {
		if apis.ReservedLabel(key, value) {
			return fmt.Errorf("--label %s: only the operator sets labels of this kind", key)
		}
	}
	o.annotations, err = pairs("--annotation", o.Annotations, func(string) []string { return nil })
	for key := range o.annotations {
		if apis.ReservedKey(key) {
			return fmt.Errorf("--annotation %s: only the operator sets annotations of this kind", key)
		}
	}
	return err
}

func pairs(flag string, texts []string, problems func(value string) []string) (map[string]string, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	all := make(map[string]string, len(texts))
	for _, text := range texts {
		key, value, found := strings.Cut(text, "=")
		if !found {
			return nil, fmt.Errorf("%s %q: use KEY=VALUE", flag, text)
		}
		if wrong := slices.Concat(validation.IsQualifiedName(key), problems(value)); len(wrong) > 0 {
			return nil, fmt.Errorf("%s %q: %s", flag, text, wrong[0])
		}
		all[key] = value
	}
	return all, nil
}

func (o *Options) readVolumes() error {
	o.volumes = nil
	for _, text := range o.Volumes {
		name, rest, found := strings.Cut(text, "=")
		size, path, hasPath := strings.Cut(rest, ":")
		if !found || len(validation.IsDNS1123Label(name)) > 0 {
			return fmt.Errorf("--volume %q: use NAME=SIZE[:PATH], where NAME is lower-case letters, digits and '-'", text)
		}
		quantity, err := resource.ParseQuantity(size)
		if err != nil || quantity.Sign() <= 0 {
			return fmt.Errorf("--volume %q: %q is not a size; use for example 500Mi or 10Gi", text, size)
		}
		if !hasPath {
			path = "/" + name
		}
		if !strings.HasPrefix(path, "/") || strings.Contains(path, ":") {
			return fmt.Errorf("--volume %q: %q is not an absolute path", text, path)
		}
		for _, other := range o.volumes {
			if other.name == name || other.path == path {
				return fmt.Errorf("--volume %q: another volume has the same name or path", text)
			}
		}
		if long := len(naming.PersistentVolumeClaim(name, o.Name)); long > validation.DNS1123SubdomainMaxLength {
			return fmt.Errorf("--volume %q: the name is too long together with the sandbox's: %d characters, at most %d", text, long-1, validation.DNS1123SubdomainMaxLength-1)
		}
		o.volumes = append(o.volumes, volume{name: name, path: path, size: quantity})
	}
	return nil
}

func (o *Options) checkOutput() error {
	switch o.DryRun {
	case dryRunNone, dryRunClient, dryRunServer:
	default:
		return fmt.Errorf("--dry-run is %q: use client, server or none", o.DryRun)
	}
	if o.Waiting.Wait && o.DryRun != dryRunNone {
		return errors.New("--wait and --dry-run do not go together")
	}
	_, err := o.printing.ToPrinter()
	return err
}
