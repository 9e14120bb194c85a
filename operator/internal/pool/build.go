// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pool

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/sandboxspec"
)

// newMember returns a member as it is created: nothing has to be added to it later.
func newMember(
	pool *extensionsv1beta1.SandboxWarmPool, template *extensionsv1beta1.SandboxTemplate, blueprint, name string,
) *agentsv1beta1.Sandbox {
	s := sandboxspec.FromTemplate(template)
	s.Name = name
	s.Annotations[apis.AnnotationPodName] = name // its Pod has the Sandbox's name
	s.Labels[apis.LabelWarmPoolSandbox] = naming.Hash(pool.Name)
	s.Labels[apis.LabelSandboxPodTemplateHash] = blueprint
	s.OwnerReferences = []metav1.OwnerReference{controllerReference(pool)}
	return s
}

// adopted returns an orphan as a member.
func adopted(pool *extensionsv1beta1.SandboxWarmPool, orphan *agentsv1beta1.Sandbox, blueprint string) *agentsv1beta1.Sandbox {
	s := orphan.DeepCopy()
	s.Labels[apis.LabelSandboxPodTemplateHash] = blueprint // an orphan has labels: it was found by one
	s.OwnerReferences = append(s.OwnerReferences, controllerReference(pool))
	return s
}

// relabeled returns a member with the labels right by which claims find it and a NetworkPolicy finds its Pod; nil: they are. The
// blueprint is empty while there is no template.
func relabeled(pool *extensionsv1beta1.SandboxWarmPool, member *agentsv1beta1.Sandbox, blueprint string) *agentsv1beta1.Sandbox {
	right := map[string]string{apis.LabelWarmPoolSandbox: naming.Hash(pool.Name)}
	if template := member.Annotations[apis.AnnotationTemplateRef]; template != "" {
		right[apis.LabelSandboxTemplateRefHash] = naming.Hash(template)
	}
	if recreates(pool) && blueprint != "" {
		right[apis.LabelSandboxPodTemplateHash] = blueprint // one of another content is not kept
	}
	var s *agentsv1beta1.Sandbox
	for key, value := range right {
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

func controllerReference(pool *extensionsv1beta1.SandboxWarmPool) metav1.OwnerReference {
	return *metav1.NewControllerRef(pool, extensionsv1beta1.SchemeGroupVersion.WithKind(apis.KindSandboxWarmPool))
}

// poolOf is the reference to the pool that controls a Sandbox, or nil: by group and kind, as pools are served in two versions.
func poolOf(sandbox metav1.Object) *metav1.OwnerReference {
	return controllerOf(sandbox, apis.KindSandboxWarmPool)
}

func controllerOf(sandbox metav1.Object, kind string) *metav1.OwnerReference {
	ref := metav1.GetControllerOfNoCopy(sandbox)
	if ref == nil || ref.Kind != kind {
		return nil
	}
	if gv, err := schema.ParseGroupVersion(ref.APIVersion); err != nil || gv.Group != apis.GroupExtensions {
		return nil
	}
	return ref
}

// podSelector is what the members' Pods are found by.
func podSelector(pool *extensionsv1beta1.SandboxWarmPool) string {
	return apis.LabelWarmPoolSandbox + "=" + naming.Hash(pool.Name)
}
