// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package provision

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
)

// createsClaim reports whether a claim is created, as opposed to a Sandbox.
func (o *Options) createsClaim() bool { return o.Image == "" }

// validateName checks the name, which is also the name of the Service with --service.
func (o *Options) validateName() error {
	if len(o.Name) > validation.DNS1123SubdomainMaxLength {
		return fmt.Errorf("the name is too long: %d characters, at most %d are allowed", len(o.Name),
			validation.DNS1123SubdomainMaxLength)
	}
	if problems := validation.IsDNS1123Subdomain(o.Name); len(problems) > 0 {
		return fmt.Errorf("%q cannot be a name: use lower-case letters, digits, '-' and '.', and begin and end with a "+
			"letter or digit", o.Name)
	}
	if !o.Service {
		return nil
	}
	if len(o.Name) > validation.DNS1123LabelMaxLength {
		return fmt.Errorf("the name is too long for --service: %d characters, at most %d are allowed", len(o.Name),
			validation.DNS1123LabelMaxLength)
	}
	if strings.Contains(o.Name, ".") {
		return fmt.Errorf("%q cannot be the name of a Service: leave out --service, or the dots", o.Name)
	}
	return nil
}

// validateSource checks that the sandbox has exactly one source, and that only flags for that source are given.
func (o *Options) validateSource() error {
	claim := o.Template != "" || o.Pool != ""
	switch {
	case o.Image == "" && !claim:
		return errors.New("--image, --template or --pool is missing: give what to create the sandbox from")
	case o.Image != "" && claim:
		return errors.New("--image creates a Sandbox without a claim: it does not go together with --template or --pool")
	case o.Image != "":
		return o.validateImage()
	case o.Template == "" && o.Pool == apis.WarmPoolNone:
		return errors.New("--pool none creates a new sandbox from a template: give --template too")
	case len(o.Command) > 0:
		return errors.New("a claim runs the command of its template: leave out \"-- COMMAND\", and run it with exec, or " +
			"use the command run")
	case o.Restart != "":
		return errors.New("--restart is set by the template: it does not go together with --template or --pool")
	case o.VolumeRetention != "":
		return errors.New("--volume-retention is set by the template: it does not go together with --template or --pool")
	case o.Pod.Given() != "":
		return fmt.Errorf("%s is set by the template: it does not go together with --template or --pool. template create "+
			"takes it, or --image creates a Sandbox without a template", o.Pod.Given())
	case o.Service:
		return errors.New("--service is set by the template: it does not go together with --template or --pool")
	}
	for flag, name := range map[string]string{"--template": o.Template, "--pool": o.Pool} {
		if name != "" && len(validation.IsDNS1123Subdomain(name)) > 0 {
			return fmt.Errorf("%s: %q cannot be a name", flag, name)
		}
	}
	return nil
}

// validateImage checks --image and parses --restart.
func (o *Options) validateImage() error {
	if strings.TrimSpace(o.Image) != o.Image || strings.ContainsAny(o.Image, " \t") {
		return fmt.Errorf("--image %q contains spaces", o.Image)
	}
	o.restart = corev1.RestartPolicyAlways
	if o.Restart == "" {
		return nil
	}
	for _, policy := range []corev1.RestartPolicy{corev1.RestartPolicyAlways, corev1.RestartPolicyOnFailure,
		corev1.RestartPolicyNever} {
		if strings.EqualFold(o.Restart, string(policy)) {
			o.restart = policy
			return nil
		}
	}
	return fmt.Errorf("--restart is %q: use Always, OnFailure or Never", o.Restart)
}

// parseRetention parses the value of --volume-retention.
func (o *Options) parseRetention() error {
	o.retention = ""
	if o.VolumeRetention == "" {
		return nil
	}
	for _, policy := range []agentsv1beta1.PersistentVolumeClaimRetentionPolicyType{
		agentsv1beta1.PersistentVolumeClaimRetentionPolicyDelete, agentsv1beta1.PersistentVolumeClaimRetentionPolicyRetain,
	} {
		if strings.EqualFold(o.VolumeRetention, string(policy)) {
			o.retention = policy
			return nil
		}
	}
	return fmt.Errorf("--volume-retention is %q: use Delete or Retain", o.VolumeRetention)
}

// validateWarm refuses variables and volumes for a sandbox of a pool: it is running already, and cannot take them.
func (o *Options) validateWarm() error {
	if o.Template != "" && o.Pool != "" && o.Pool != apis.WarmPoolNone && len(o.env)+len(o.volumes) > 0 {
		return fmt.Errorf("a warm sandbox of pool %s is running already and takes neither --env nor --volume: use --pool "+
			"none, or leave them out", o.Pool)
	}
	return nil
}

// validateLifetime checks --ttl and --ttl-after-finished, and parses --shutdown-policy.
func (o *Options) validateLifetime() error {
	switch {
	case o.AfterFinishedGiven && !o.createsClaim():
		return errors.New("--ttl-after-finished belongs to claims, and --image creates a Sandbox without a claim: use --ttl")
	case o.AfterFinishedGiven && (o.AfterFinished < 0 || o.AfterFinished%time.Second != 0 ||
		o.AfterFinished/time.Second > math.MaxInt32):
		return fmt.Errorf("--ttl-after-finished is %s: give whole seconds, and none below 0", o.AfterFinished)
	case o.TTL < 0 || (o.TTL > 0 && o.TTL < time.Second):
		return fmt.Errorf("--ttl is %s: give at least a second", o.TTL)
	case o.ShutdownPolicy == "":
		return nil
	}
	policies, words := []string{string(agentsv1beta1.ShutdownPolicyDelete),
		string(agentsv1beta1.ShutdownPolicyRetain)}, "Delete or Retain"
	if o.createsClaim() {
		policies, words = append(policies,
			string(extensionsv1beta1.ShutdownPolicyDeleteForeground)), "Delete, DeleteForeground or Retain"
	}
	at := slices.IndexFunc(policies, func(policy string) bool { return strings.EqualFold(o.ShutdownPolicy, policy) })
	switch {
	case at < 0:
		return fmt.Errorf("--shutdown-policy is %q: use %s", o.ShutdownPolicy, words)
	case o.TTL == 0 && !o.AfterFinishedGiven:
		return errors.New("--shutdown-policy says what happens at the end of --ttl: give --ttl too")
	}
	o.policy = policies[at]
	return nil
}
