// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/metadata"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/owner"
)

// retainsVolumes reports whether the volumes outlive the Sandbox. The volumes of a pool's member never do: they hold no
// user's data, and the member's name is never used again.
func retainsVolumes(sandbox *agentsv1beta1.Sandbox) bool {
	return sandbox.Spec.RetainsVolumes() && !isPoolMember(sandbox)
}

func decideVolumes(sandbox *agentsv1beta1.Sandbox, seen observed) []step[*corev1.PersistentVolumeClaim] {
	templates := sandbox.Spec.VolumeClaimTemplates
	steps := make([]step[*corev1.PersistentVolumeClaim], 0, len(templates))
	for i := range templates {
		was := seen.volumes[naming.PersistentVolumeClaim(templates[i].Name, sandbox.Name)]
		steps = append(steps, decideVolume(sandbox, &templates[i], was))
	}
	return steps
}

func decideVolume(
	sandbox *agentsv1beta1.Sandbox, template *agentsv1beta1.PersistentVolumeClaimTemplate,
	was *corev1.PersistentVolumeClaim,
) step[*corev1.PersistentVolumeClaim] {
	return decideChild("PersistentVolumeClaim", sandbox, was, was == nil, buildVolume(sandbox, template, was))
}

// retentionSteps reduces the steps to those of an expired Sandbox. It creates and adopts no volume, but retains or
// releases its own according to the current spec, because a deletion of the Sandbox may follow.
func retentionSteps(
	sandbox *agentsv1beta1.Sandbox, steps []step[*corev1.PersistentVolumeClaim],
) []step[*corev1.PersistentVolumeClaim] {
	for i := range steps {
		if steps[i].action != patch || relationOf(steps[i].was, sandbox) != owner.Owned {
			steps[i].action = leave
		}
	}
	if !slices.ContainsFunc(steps, func(s step[*corev1.PersistentVolumeClaim]) bool { return s.action == patch }) {
		return nil
	}
	return steps
}

// buildVolume returns a PersistentVolumeClaim. In an existing one it sets only the owner and our own keys: the spec is
// immutable, and other metadata may belong to others. A retained volume has labels that name its Sandbox and claim
// instead of an owner reference, which the garbage collector would follow.
func buildVolume(
	sandbox *agentsv1beta1.Sandbox, template *agentsv1beta1.PersistentVolumeClaimTemplate,
	was *corev1.PersistentVolumeClaim,
) *corev1.PersistentVolumeClaim {
	var want *corev1.PersistentVolumeClaim
	if was != nil {
		want = was.DeepCopy()
	} else {
		want = &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{
			Namespace: sandbox.Namespace, Name: naming.PersistentVolumeClaim(template.Name, sandbox.Name),
			Labels: map[string]string{}, Annotations: map[string]string{},
		}}
		copyUnreserved(want.Labels, template.Labels)
		copyUnreserved(want.Annotations, template.Annotations)
		template.Spec.DeepCopyInto(&want.Spec)
	}
	metadata.Set(&want.Labels, apis.LabelSandboxNameHash, naming.Hash(sandbox.Name))
	delete(want.Labels, apis.LabelClaimUID)
	delete(want.Annotations, apis.AnnotationUnusedSince)
	if !retainsVolumes(sandbox) {
		adopt(want, sandbox)
		delete(want.Labels, apis.LabelSandboxUID)
	} else {
		owner.RemoveReference(want, sandbox.UID)
		want.Labels[apis.LabelSandboxUID] = string(sandbox.UID)
		if uid := sandbox.Labels[apis.LabelClaimUID]; uid != "" && isClaimed(sandbox) {
			want.Labels[apis.LabelClaimUID] = uid
		}
	}
	if was == nil || retainsVolumes(sandbox) { // a volume of an older operator is not written only to add the name
		recordSandboxName(want, sandbox.Name)
	}
	return want
}

// recordSandboxName sets the keys that name the volume's Sandbox. Two names may have the same hash, and users read
// names.
func recordSandboxName(volume *corev1.PersistentVolumeClaim, sandbox string) {
	metadata.Set(&volume.Annotations, apis.AnnotationAssignedSandboxName, sandbox)
	if len(validation.IsValidLabelValue(sandbox)) == 0 {
		metadata.Set(&volume.Labels, apis.LabelAssignedSandboxName, sandbox)
	}
}
