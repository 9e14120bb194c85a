// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package provision

import (
	"maps"
	"path"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
)

// containerName is the name of the container of a Sandbox that is created from an image.
const containerName = "sandbox"

// BuildSandbox returns the Sandbox that validated options with an image describe.
func (o *Options) BuildSandbox(namespace string, now time.Time) *agentsv1beta1.Sandbox {
	container := corev1.Container{Name: containerName, Image: o.Image, Command: o.Command, Env: o.env}
	spec := agentsv1beta1.SandboxSpec{}
	for _, v := range o.volumes {
		container.VolumeMounts = append(container.VolumeMounts, corev1.VolumeMount{Name: v.name, MountPath: v.path})
		spec.VolumeClaimTemplates = append(spec.VolumeClaimTemplates, newVolumeClaimTemplate(v))
	}
	spec.PodTemplate = agentsv1beta1.PodTemplate{
		ObjectMeta: agentsv1beta1.PodMetadata{Labels: maps.Clone(o.labels), Annotations: maps.Clone(o.annotations)},
		Spec: corev1.PodSpec{
			Containers:    []corev1.Container{container},
			RestartPolicy: o.restart,
			// Untrusted code gets no credentials for the Kubernetes API.
			AutomountServiceAccountToken:  new(false),
			TerminationGracePeriodSeconds: o.terminationGracePeriod(),
		},
	}
	o.Pod.apply(&spec.PodTemplate.Spec, &spec.PodTemplate.Spec.Containers[0])
	if o.TTL > 0 {
		end := metav1.NewTime(now.Add(o.TTL).Truncate(time.Second))
		spec.ShutdownTime = &end
	}
	if o.policy != "" {
		spec.ShutdownPolicy = new(agentsv1beta1.ShutdownPolicy(o.policy))
	}
	if o.retention != "" {
		spec.PersistentVolumeClaimRetentionPolicy = &agentsv1beta1.PersistentVolumeClaimRetentionPolicy{
			WhenDeleted: o.retention,
		}
	}
	if o.Service {
		spec.Service = new(true)
	}
	return &agentsv1beta1.Sandbox{
		ObjectMeta: metav1.ObjectMeta{
			Name: o.Name, Namespace: namespace, Labels: maps.Clone(o.labels), Annotations: maps.Clone(o.annotations),
		},
		Spec: spec,
	}
}

// terminationGracePeriod returns the grace period of the Pod in seconds. As the first process of a container, sleep
// ignores SIGTERM and has nothing to save, so it gets one second instead of the default of 30.
func (o *Options) terminationGracePeriod() *int64 {
	if o.Grace == nil && len(o.Command) > 0 && path.Base(o.Command[0]) == "sleep" {
		return new(int64(1))
	}
	return o.Grace
}

// newVolumeClaimTemplate returns the volumeClaimTemplate of a volume.
func newVolumeClaimTemplate(v volume) agentsv1beta1.PersistentVolumeClaimTemplate {
	return agentsv1beta1.PersistentVolumeClaimTemplate{
		EmbeddedObjectMetadata: agentsv1beta1.EmbeddedObjectMetadata{Name: v.name},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources: corev1.VolumeResourceRequirements{
				Requests: corev1.ResourceList{corev1.ResourceStorage: v.size},
			},
		},
	}
}
