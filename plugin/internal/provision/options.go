// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package provision creates a claim or a Sandbox as the flags of create and run describe it.
package provision

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/cli-runtime/pkg/genericclioptions"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
)

// Options are the name, the command and the flags of create and run.
type Options struct {
	Name    string
	Command []string
	// A Sandbox is created from Image, or a claim from Template, Pool or both.
	Image    string
	Template string
	Pool     string

	cli.EnvOptions
	Labels      []string
	Annotations []string
	Volumes     []string
	TTL         time.Duration
	// AfterFinished is used only with AfterFinishedGiven: 0 ends a claim as soon as it has finished.
	AfterFinished      time.Duration
	AfterFinishedGiven bool
	ShutdownPolicy     string
	// VolumeRetention says whether the volumes stay when the Sandbox is deleted.
	VolumeRetention string
	Restart         string
	Service         bool
	// Pod are the flags about the Pod.
	Pod PodOptions
	// Grace is the termination grace period of the Pod in seconds, with an image; nil is the default of Kubernetes.
	Grace   *int64
	DryRun  cli.DryRunOptions
	Waiting cli.WaitOptions
	// Quiet prints no progress, and create prints only the name.
	Quiet bool
	// PrintFlags say how the created object is printed.
	PrintFlags *genericclioptions.PrintFlags

	env         []corev1.EnvVar
	labels      map[string]string
	annotations map[string]string
	volumes     []volume
	policy      string
	retention   agentsv1beta1.PersistentVolumeClaimRetentionPolicyType
	restart     corev1.RestartPolicy
}

// volume is a parsed value of --volume. path is empty in a claim.
type volume struct {
	name, path string
	size       resource.Quantity
}

// NewOptions returns options with the defaults of the flags.
func NewOptions() *Options {
	return &Options{DryRun: cli.DryRunOptions{Mode: cli.DryRunNone}, PrintFlags: cli.NewCreatedPrintFlags()}
}

// AddFlags adds the flags that describe the sandbox.
func (o *Options) AddFlags(cmd *cobra.Command, f factory.Factory) {
	flags := cmd.Flags()
	flags.StringVar(&o.Image, "image", "", "Create a Sandbox, without a claim, from this container image.")
	flags.StringVar(&o.Template, "template", "", "Claim a sandbox of this SandboxTemplate.")
	flags.StringVar(&o.Pool, "pool", "",
		"Claim a warm sandbox of this pool; with --template none for a new one. (default with --template: any pool of it)")
	o.EnvOptions.AddFlags(cmd, "the first container")
	flags.StringArrayVar(&o.Labels, "label", nil, "A label of the claim, the Sandbox and its Pod, KEY=VALUE. Repeatable.")
	flags.StringArrayVar(&o.Annotations, "annotation", nil,
		"An annotation of the claim, the Sandbox and its Pod, KEY=VALUE. Repeatable.")
	flags.StringArrayVar(&o.Volumes, "volume", nil,
		"A persistent volume, NAME=SIZE[:PATH], as in data=1Gi:/data. PATH is /NAME by default; "+
			"in a claim the template sets it. Repeatable.")
	flags.DurationVar(&o.TTL, "ttl", 0, "End the sandbox after this time, as in 30m or 4h.")
	flags.DurationVar(&o.AfterFinished, "ttl-after-finished", 0,
		"End a claim this long after its sandbox has finished. Not with --image.")
	flags.StringVar(&o.ShutdownPolicy, "shutdown-policy", "",
		"What happens at the end: Retain (the default) keeps the object without a Pod, Delete deletes it; "+
			"for claims also DeleteForeground, which deletes it when all that belongs to it is gone. A claim's Sandbox is "+
			"deleted in any case.")
	flags.StringVar(&o.VolumeRetention, "volume-retention", "",
		"What happens to the volumes when the Sandbox is deleted: Delete (the default), or Retain, "+
			"which keeps them for the next Sandbox of the same name. With --image only: in a claim the template sets it.")
	flags.BoolVar(&o.Service, "service", false,
		"Give the sandbox a DNS name in the cluster (a headless Service of its name). With --image only.")
	o.Pod.AddFlags(cmd, "With --image: ")
	_ = cmd.RegisterFlagCompletionFunc("template", cli.CompleteTemplates(f)) // it fails only for an unknown flag
	_ = cmd.RegisterFlagCompletionFunc("pool", cli.CompletePools(f))
}

// ReadChangedFlags records which flags were given, for those whose zero value has a meaning.
func (o *Options) ReadChangedFlags(cmd *cobra.Command) {
	o.AfterFinishedGiven = cmd.Flags().Changed("ttl-after-finished")
}

// Validate checks the flags and parses their values. It needs no cluster.
func (o *Options) Validate() error {
	checks := []func() error{o.validateName, o.validateSource, o.validateLifetime, o.parseRetention, o.parseEnv,
		o.parseMetadata, o.parseVolumes, o.Pod.parse, o.validateWarm, o.validateOutput}
	for _, check := range checks {
		if err := check(); err != nil {
			return cli.UsageError(err)
		}
	}
	return nil
}

func (o *Options) validateOutput() error {
	if err := o.DryRun.Validate(); err != nil {
		return err
	}
	if o.Waiting.Wait && o.DryRun.Enabled() {
		return errors.New("--wait and --dry-run do not go together")
	}
	if _, err := o.PrintFlags.ToPrinter(); err != nil {
		return fmt.Errorf("--output: %w", err)
	}
	return nil
}
