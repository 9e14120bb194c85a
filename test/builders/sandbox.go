// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package builders

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
)

// SandboxOption changes a Sandbox.
type SandboxOption interface{ sandbox(*agentsv1beta1.Sandbox) }

type sandboxOption func(*agentsv1beta1.Sandbox)

func (o sandboxOption) sandbox(s *agentsv1beta1.Sandbox) { o(s) }

// Sandbox returns a running Sandbox with one container.
func Sandbox(name string, options ...SandboxOption) *agentsv1beta1.Sandbox {
	s := &agentsv1beta1.Sandbox{
		ObjectMeta: metadata(name),
		Spec:       agentsv1beta1.SandboxSpec{PodTemplate: podTemplate()},
	}
	for _, option := range options {
		option.sandbox(s)
	}
	return s
}

func podTemplate() agentsv1beta1.PodTemplate {
	return agentsv1beta1.PodTemplate{Spec: podSpec()}
}

func podSpec() corev1.PodSpec {
	return corev1.PodSpec{Containers: []corev1.Container{{Name: Container, Image: Image}}}
}

// WithReplicas sets spec.replicas, as kubectl scale does.
func WithReplicas(replicas int32) interface {
	SandboxOption
	PoolOption
} {
	return replicasOption(replicas)
}

type replicasOption int32

func (o replicasOption) sandbox(s *agentsv1beta1.Sandbox) { s.Spec.Replicas = new(int32(o)) }

func (o replicasOption) pool(p *extensionsv1beta1.SandboxWarmPool) {
	p.Spec.Replicas = new(int32(o))
}

// WithSandboxStatus sets the whole status.
func WithSandboxStatus(status agentsv1beta1.SandboxStatus) SandboxOption {
	return sandboxOption(func(s *agentsv1beta1.Sandbox) { s.Status = *status.DeepCopy() })
}

// WithShutdown makes a Sandbox expire at the given time, with the given policy.
func WithShutdown(at time.Time, policy agentsv1beta1.ShutdownPolicy) SandboxOption {
	return sandboxOption(func(s *agentsv1beta1.Sandbox) {
		s.Spec.ShutdownTime, s.Spec.ShutdownPolicy = new(metav1.NewTime(at)), new(policy)
	})
}

// TemplateOption changes a SandboxTemplate.
type TemplateOption interface {
	template(*extensionsv1beta1.SandboxTemplate)
}

// Blueprint is an option that changes the fields that Sandboxes and SandboxTemplates share.
type Blueprint func(pod *agentsv1beta1.PodTemplate, volumes *[]agentsv1beta1.PersistentVolumeClaimTemplate,
	service **bool)

func (b Blueprint) sandbox(s *agentsv1beta1.Sandbox) {
	b(&s.Spec.PodTemplate, &s.Spec.VolumeClaimTemplates, &s.Spec.Service)
}

func (b Blueprint) template(t *extensionsv1beta1.SandboxTemplate) {
	b(&t.Spec.PodTemplate, &t.Spec.VolumeClaimTemplates, &t.Spec.Service)
}

// WithService sets whether the Sandbox gets a headless Service.
func WithService(wanted bool) Blueprint {
	return func(_ *agentsv1beta1.PodTemplate, _ *[]agentsv1beta1.PersistentVolumeClaimTemplate, service **bool) {
		*service = new(wanted)
	}
}

// WithImage changes the image of the first container.
func WithImage(image string) Blueprint {
	return WithPodSpec(func(spec *corev1.PodSpec) { spec.Containers[0].Image = image })
}

// WithPodSpec changes the Pod's spec.
func WithPodSpec(change func(*corev1.PodSpec)) Blueprint {
	return func(pod *agentsv1beta1.PodTemplate, _ *[]agentsv1beta1.PersistentVolumeClaimTemplate, _ **bool) {
		change(&pod.Spec)
	}
}

// WithPodLabel adds a label to the Pod template.
func WithPodLabel(key, value string) Blueprint {
	return func(pod *agentsv1beta1.PodTemplate, _ *[]agentsv1beta1.PersistentVolumeClaimTemplate, _ **bool) {
		pod.ObjectMeta.Labels = with(pod.ObjectMeta.Labels, key, value)
	}
}

// WithPodAnnotation adds an annotation to the Pod template.
func WithPodAnnotation(key, value string) Blueprint {
	return func(pod *agentsv1beta1.PodTemplate, _ *[]agentsv1beta1.PersistentVolumeClaimTemplate, _ **bool) {
		pod.ObjectMeta.Annotations = with(pod.ObjectMeta.Annotations, key, value)
	}
}

// WithVolume adds a volume claim template.
func WithVolume(name, size string) Blueprint {
	return func(_ *agentsv1beta1.PodTemplate, volumes *[]agentsv1beta1.PersistentVolumeClaimTemplate, _ **bool) {
		*volumes = append(*volumes, VolumeTemplate(name, size))
	}
}

// VolumeTemplate returns a ReadWriteOnce volume claim template.
func VolumeTemplate(name, size string) agentsv1beta1.PersistentVolumeClaimTemplate {
	return agentsv1beta1.PersistentVolumeClaimTemplate{
		EmbeddedObjectMetadata: agentsv1beta1.EmbeddedObjectMetadata{Name: name}, Spec: volumeSpec(size),
	}
}

func volumeSpec(size string) corev1.PersistentVolumeClaimSpec {
	return corev1.PersistentVolumeClaimSpec{
		AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
		Resources: corev1.VolumeResourceRequirements{
			Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse(size)},
		},
	}
}

// Condition is an option that adds a condition to a Sandbox or a SandboxClaim.
type Condition metav1.Condition

func (c Condition) sandbox(s *agentsv1beta1.Sandbox) {
	s.Status.Conditions = append(s.Status.Conditions, metav1.Condition(c))
}

func (c Condition) claim(claim *extensionsv1beta1.SandboxClaim) {
	claim.Status.Conditions = append(claim.Status.Conditions, metav1.Condition(c))
}

// WithCondition adds a condition whose last transition was at the given time.
func WithCondition(
	kind apis.ConditionType, status bool, reason apis.Reason, message string, since time.Time,
) Condition {
	return Condition(apis.NewCondition(nil, kind, status, reason, message, 0, metav1.NewTime(since)))
}
