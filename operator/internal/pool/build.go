// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pool

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/owner"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/sandboxspec"
)

// newMember returns a complete member: nothing is added to it after its creation.
func newMember(
	pool *extensionsv1beta1.SandboxWarmPool, template *extensionsv1beta1.SandboxTemplate, blueprintHash, name string,
) *agentsv1beta1.Sandbox {
	s := sandboxspec.FromTemplate(template)
	s.Name = name
	s.Annotations[apis.AnnotationPodName] = name // its Pod has the Sandbox's name
	s.Labels[apis.LabelWarmPoolSandbox] = naming.Hash(pool.Name)
	s.Labels[apis.LabelSandboxPodTemplateHash] = blueprintHash
	owner.SetController(s, pool)
	return s
}

// withController returns a copy of an orphan that the pool controls.
func withController(
	pool *extensionsv1beta1.SandboxWarmPool, orphan *agentsv1beta1.Sandbox, blueprintHash string,
) *agentsv1beta1.Sandbox {
	s := orphan.DeepCopy()
	s.Labels[apis.LabelSandboxPodTemplateHash] = blueprintHash // an orphan is found by a label, so the map is not nil
	owner.SetController(s, pool)
	return s
}

// withCorrectLabels returns a copy of a member with the labels that claims and NetworkPolicies select by, or nil if the
// labels are right. blueprintHash is empty while the template does not exist.
func withCorrectLabels(
	pool *extensionsv1beta1.SandboxWarmPool, member *agentsv1beta1.Sandbox, blueprintHash string,
) *agentsv1beta1.Sandbox {
	labels := map[string]string{apis.LabelWarmPoolSandbox: naming.Hash(pool.Name)}
	if template := member.Annotations[apis.AnnotationTemplateRef]; template != "" {
		labels[apis.LabelSandboxTemplateRefHash] = naming.Hash(template)
	}
	if pool.Recreates() && blueprintHash != "" {
		labels[apis.LabelSandboxPodTemplateHash] = blueprintHash // members with another content are deleted
	}
	var s *agentsv1beta1.Sandbox
	for key, value := range labels {
		if member.Labels[key] == value {
			continue
		}
		if s == nil {
			s = member.DeepCopy()
		}
		if s.Labels == nil {
			s.Labels = map[string]string{}
		}
		s.Labels[key] = value
	}
	return s
}

// poolOf returns the reference to the pool that controls a Sandbox, or nil.
func poolOf(sandbox metav1.Object) *metav1.OwnerReference {
	return owner.ControllerOf(sandbox, apis.KindSandboxWarmPool)
}

func controlledBy(sandbox *agentsv1beta1.Sandbox, pool *extensionsv1beta1.SandboxWarmPool) bool {
	ref := poolOf(sandbox)
	return ref != nil && ref.UID == pool.UID
}

// podSelector returns the label selector of the members' Pods.
func podSelector(pool *extensionsv1beta1.SandboxWarmPool) string {
	return apis.LabelWarmPoolSandbox + "=" + naming.Hash(pool.Name)
}
