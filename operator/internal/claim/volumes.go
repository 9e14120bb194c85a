// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
)

// maxVolumes is the limit in the schema of a Sandbox.
const maxVolumes = 32

// checkVolumePolicy rejects a claim with volumes if it must get a warm Sandbox, or if the template permits no volumes.
func checkVolumePolicy(claim *extensionsv1beta1.SandboxClaim, template *extensionsv1beta1.SandboxTemplate) *rejection {
	switch {
	case len(claim.Spec.VolumeClaimTemplates) == 0:
		return nil
	case requiresWarmSandbox(claim):
		return rejectf(
			apis.ReasonVolumeClaimTemplatesError,
			"a running warm Sandbox cannot take volumes: set warmpool to %s, or "+
				"remove volumeClaimTemplates from the claim",
			apis.WarmPoolNone,
		)
	case !template.Spec.VolumeClaimTemplatesPolicy.AllowsAdding():
		return rejectf(
			apis.ReasonVolumeClaimTemplatesError,
			"volumeClaimTemplates of claims are not allowed by the template policy: set "+
				"volumeClaimTemplatesPolicy of SandboxTemplate %q to %s, or remove volumeClaimTemplates from the claim",
			template.Name, extensionsv1beta1.VolumeClaimTemplatesPolicyAllowed,
		)
	}
	return nil
}

// addVolumes adds the claim's volumes to a new Sandbox. A volume whose name the template uses, for a
// volumeClaimTemplate or for a volume of the Pod, replaces the template's if the policy allows it, and is rejected
// otherwise. So is a volume that begins with data.
func addVolumes(
	sandbox *agentsv1beta1.Sandbox, claim *extensionsv1beta1.SandboxClaim, template *extensionsv1beta1.SandboxTemplate,
) *rejection {
	for i := range claim.Spec.VolumeClaimTemplates {
		volume := claim.Spec.VolumeClaimTemplates[i].DeepCopy()
		at := slices.IndexFunc(sandbox.Spec.VolumeClaimTemplates, func(v agentsv1beta1.PersistentVolumeClaimTemplate) bool {
			return v.Name == volume.Name
		})
		overrides := template.Spec.VolumeClaimTemplatesPolicy.AllowsOverriding()
		switch {
		case !overrides && beginsWithData(&volume.Spec):
			return rejectf(
				apis.ReasonVolumeClaimTemplatesError,
				"volume %q of the claim would begin with data that exists already: leave out its dataSource, dataSourceRef, "+
					"volumeName and selector, or set volumeClaimTemplatesPolicy of SandboxTemplate %q to %s",
				volume.Name, template.Name, extensionsv1beta1.VolumeClaimTemplatesPolicyOverrides,
			)
		case !overrides && template.Spec.HasVolume(volume.Name):
			return rejectf(
				apis.ReasonVolumeClaimTemplatesError,
				"the template already has a volume %q: rename the claim's volume, or set "+
					"volumeClaimTemplatesPolicy of SandboxTemplate %q to %s",
				volume.Name, template.Name, extensionsv1beta1.VolumeClaimTemplatesPolicyOverrides,
			)
		case at < 0: // the Sandbox's reconciler lets it replace a volume of the Pod
			sandbox.Spec.VolumeClaimTemplates = append(sandbox.Spec.VolumeClaimTemplates, *volume)
		default:
			sandbox.Spec.VolumeClaimTemplates[at] = *volume
		}
	}
	if n := len(sandbox.Spec.VolumeClaimTemplates); n > maxVolumes {
		return rejectf(
			apis.ReasonVolumeClaimTemplatesError,
			"the template and the claim have %d volumes, and a Sandbox can have %d: "+
				"remove some from the claim",
			n, maxVolumes,
		)
	}
	return nil
}

// beginsWithData reports whether a volume is a copy of another one or an existing PersistentVolume. The operator
// creates it, so nobody asks whether the user of the claim may read that data.
func beginsWithData(spec *corev1.PersistentVolumeClaimSpec) bool {
	return spec.DataSource != nil || spec.DataSourceRef != nil || spec.VolumeName != "" || spec.Selector != nil
}
