// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package store

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/pool"
)

// stripMeta drops metadata that no table shows, and all annotations but the named ones.
func stripMeta(m *metav1.ObjectMeta, annotations ...string) {
	m.ManagedFields, m.Finalizers, m.GenerateName = nil, nil, ""
	all := m.Annotations
	m.Annotations = nil
	for _, key := range annotations {
		if value, has := all[key]; has {
			m.Annotations = map[string]string{key: value}
		}
	}
}

func stripClaim(c *extensionsv1beta1.SandboxClaim) {
	stripMeta(&c.ObjectMeta)
	s := c.Spec
	c.Spec = extensionsv1beta1.SandboxClaimSpec{
		TemplateRef: s.TemplateRef, WarmPool: s.WarmPool, WarmPoolRef: s.WarmPoolRef, Lifecycle: s.Lifecycle,
		Env: s.Env, VolumeClaimTemplates: s.VolumeClaimTemplates, // claims with either are not served by pools
	}
}

func stripPod(p *corev1.Pod) {
	stripMeta(&p.ObjectMeta)
	p.Labels = nil
	p.Spec = corev1.PodSpec{}
	containers := p.Status.ContainerStatuses
	for i := range containers {
		containers[i] = corev1.ContainerStatus{Name: containers[i].Name, RestartCount: containers[i].RestartCount}
	}
	p.Status = corev1.PodStatus{Phase: p.Status.Phase, ContainerStatuses: containers}
}

// blueprints lets equal members of a pool share one Pod spec, which decides whether they are stale, and caches this
// decision. The Pod specs of other Sandboxes are dropped. The caller has to lock it.
type blueprints struct {
	known map[types.UID][]*blueprint
}

type blueprint struct {
	spec agentsv1beta1.SandboxSpec
	// hash is the member's label with the hash of its template's name.
	hash string
	// The cached decision, and the template and generation that it is for.
	templateUID types.UID
	generation  int64
	stale       bool
}

// maxBlueprints limits the number of blueprints that are kept for a pool; more than two or three at once are rare.
const maxBlueprints = 16

// strip drops what is not needed from the Sandbox, and returns its blueprint if it is a member of a pool.
func (b *blueprints) strip(s *agentsv1beta1.Sandbox) *blueprint {
	stripMeta(&s.ObjectMeta, apis.AnnotationTemplateRef)
	spec := s.Spec
	s.Spec = agentsv1beta1.SandboxSpec{
		Lifecycle: spec.Lifecycle, Replicas: spec.Replicas, OperatingMode: spec.OperatingMode,
		VolumeClaimTemplates:                 stripVolumes(spec.VolumeClaimTemplates),
		PersistentVolumeClaimRetentionPolicy: spec.PersistentVolumeClaimRetentionPolicy,
	}
	owner := metav1.GetControllerOf(s)
	if owner == nil || owner.Kind != apis.KindSandboxWarmPool {
		return nil
	}
	wanted := &blueprint{hash: s.Labels[apis.LabelSandboxTemplateRefHash], spec: agentsv1beta1.SandboxSpec{
		PodTemplate:          agentsv1beta1.PodTemplate{Spec: spec.PodTemplate.Spec},
		VolumeClaimTemplates: spec.VolumeClaimTemplates, Service: spec.Service,
	}}
	for _, known := range b.known[owner.UID] {
		if known.hash == wanted.hash && equality.Semantic.DeepEqual(&known.spec, &wanted.spec) {
			return known
		}
	}
	if b.known == nil {
		b.known = map[types.UID][]*blueprint{}
	}
	known := b.known[owner.UID]
	b.known[owner.UID] = append(known[max(0, len(known)+1-maxBlueprints):], wanted)
	return wanted
}

// stripVolumes keeps the names and sizes, which the question before a deletion shows.
func stripVolumes(all []agentsv1beta1.PersistentVolumeClaimTemplate) []agentsv1beta1.PersistentVolumeClaimTemplate {
	var some []agentsv1beta1.PersistentVolumeClaimTemplate
	for i := range all {
		var short agentsv1beta1.PersistentVolumeClaimTemplate
		short.Name = all[i].Name
		short.Spec.Resources.Requests = all[i].Spec.Resources.Requests
		some = append(some, short)
	}
	return some
}

// isStale decides once for each blueprint and generation of the template whether members are stale.
func (b *blueprint) isStale(template *extensionsv1beta1.SandboxTemplate, member *agentsv1beta1.Sandbox) bool {
	if b.templateUID != template.UID || b.generation != template.Generation {
		whole := member.DeepCopy()
		whole.Spec.PodTemplate, whole.Spec.Service = b.spec.PodTemplate, b.spec.Service
		whole.Spec.VolumeClaimTemplates = b.spec.VolumeClaimTemplates
		b.templateUID, b.generation, b.stale = template.UID, template.Generation, pool.Stale(template, whole)
	}
	return b.stale
}
