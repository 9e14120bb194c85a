// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package provision

import (
	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
)

// PodOptions are the flags about the Pod of a Sandbox that is created from an image, or of a template.
type PodOptions struct {
	Ports            []string
	CPU, Memory      string
	Requests, Limits []string
	EnvFrom          []string
	ServiceAccount   string
	RuntimeClass     string
	NodeSelector     []string
	Tolerations      []string
	PullSecrets      []string
	SecurityOptions

	ports        []corev1.ContainerPort
	resources    corev1.ResourceRequirements
	envFrom      []corev1.EnvFromSource
	nodeSelector map[string]string
	tolerations  []corev1.Toleration
	pullSecrets  []corev1.LocalObjectReference
}

// AddFlags adds the flags. of is "With --image: " where they apply to that alone.
func (o *PodOptions) AddFlags(cmd *cobra.Command, of string) {
	flags := cmd.Flags()
	flags.StringArrayVar(&o.Ports, "port", nil,
		of+"A port that the container listens on, [NAME=]PORT. Repeatable.")
	flags.StringVar(&o.CPU, "cpu", "", of+"The CPU that the container requests and may use, as in 500m.")
	flags.StringVar(&o.Memory, "memory", "", of+"The memory that the container requests and may use, as in 512Mi.")
	flags.StringSliceVar(&o.Requests, "requests", nil,
		of+"What the container requests, as in cpu=250m,memory=256Mi, before --cpu and --memory.")
	flags.StringSliceVar(&o.Limits, "limits", nil,
		of+"What the container may use at most, as in cpu=2,memory=1Gi, before --cpu and --memory.")
	flags.StringArrayVar(&o.EnvFrom, "env-from", nil,
		of+"Environment variables of a Secret or ConfigMap, secret/NAME or configmap/NAME. Repeatable.")
	flags.StringVar(&o.ServiceAccount, "service-account", "",
		of+"The ServiceAccount of the Pod, which gets no token for it.")
	flags.StringVar(&o.RuntimeClass, "runtime-class", "", of+"The RuntimeClass, as in gvisor.")
	flags.StringSliceVar(&o.NodeSelector, "node-selector", nil,
		of+"Run only on nodes with this label, KEY=VALUE. Repeatable.")
	flags.StringArrayVar(&o.Tolerations, "toleration", nil,
		of+"Run on nodes with this taint too, KEY[=VALUE][:EFFECT]. Repeatable.")
	flags.StringArrayVar(&o.PullSecrets, "image-pull-secret", nil,
		of+"A Secret with which the image is pulled. Repeatable.")
	o.addFlags(cmd, of)
}

// Given returns the first flag that was given, or "".
func (o *PodOptions) Given() string {
	for _, flag := range []struct {
		name  string
		given bool
	}{
		{"--port", len(o.Ports) > 0},
		{"--cpu", o.CPU != ""},
		{"--memory", o.Memory != ""},
		{"--requests", len(o.Requests) > 0},
		{"--limits", len(o.Limits) > 0},
		{"--env-from", len(o.EnvFrom) > 0},
		{"--service-account", o.ServiceAccount != ""},
		{"--runtime-class", o.RuntimeClass != ""},
		{"--node-selector", len(o.NodeSelector) > 0},
		{"--toleration", len(o.Tolerations) > 0},
		{"--image-pull-secret", len(o.PullSecrets) > 0},
		{"--uid", o.RunAsUser != ""},
		{"--read-only", o.ReadOnly},
		{"--restricted", o.Restricted},
	} {
		if flag.given {
			return flag.name
		}
	}
	return ""
}

// parse parses the values of the flags.
func (o *PodOptions) parse() error {
	for _, parse := range []func() error{
		o.parsePorts, o.parseResources, o.parseEnvFrom, o.parseNames, o.parseNodeSelector, o.parseTolerations,
		o.SecurityOptions.parse,
	} {
		if err := parse(); err != nil {
			return err
		}
	}
	return nil
}

// apply sets the parsed values in the Pod and its container.
func (o *PodOptions) apply(pod *corev1.PodSpec, container *corev1.Container) {
	container.Ports, container.Resources, container.EnvFrom = o.ports, *o.resources.DeepCopy(), o.envFrom
	pod.ServiceAccountName, pod.NodeSelector = o.ServiceAccount, o.nodeSelector
	pod.Tolerations, pod.ImagePullSecrets = o.tolerations, o.pullSecrets
	if o.RuntimeClass != "" {
		pod.RuntimeClassName = &o.RuntimeClass
	}
	o.SecurityOptions.apply(pod, container)
}
