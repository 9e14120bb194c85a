// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/metadata"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/owner"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/sandboxspec"
)

// newColdSandbox returns a new Sandbox for the claim. Its name is that of the claim, or of the Sandbox whose volumes
// were retained. The name is therefore fixed, and the API server rejects a second creation.
func newColdSandbox(
	claim *extensionsv1beta1.SandboxClaim, name string, template *extensionsv1beta1.SandboxTemplate,
) (*agentsv1beta1.Sandbox, *rejection) {
	sandbox := sandboxspec.FromTemplate(template)
	sandbox.Name, sandbox.Namespace = name, claim.Namespace
	if rejected := injectEnv(&sandbox.Spec.PodTemplate.Spec, claim, template); rejected != nil {
		return nil, rejected
	}
	if rejected := addVolumes(sandbox, claim, template); rejected != nil {
		return nil, rejected
	}
	metadata.Set(&sandbox.Labels, apis.LabelLaunchType, apis.LaunchTypeCold)
	metadata.Set(&sandbox.Annotations, apis.AnnotationPodName, sandbox.Name) // saves the Sandbox's reconciler a write
	if rejected := assignTo(sandbox, claim, template); rejected != nil {
		return nil, rejected
	}
	return sandbox, nil
}

// newAdoptedSandbox returns the member as it is once it belongs to the claim. Its spec does not change, so that the Pod
// keeps running, and it keeps the template label that its NetworkPolicy selects.
func newAdoptedSandbox(
	member *agentsv1beta1.Sandbox, claim *extensionsv1beta1.SandboxClaim, template *extensionsv1beta1.SandboxTemplate,
) (*agentsv1beta1.Sandbox, *rejection) {
	sandbox := member.DeepCopy()
	delete(sandbox.Labels, apis.LabelWarmPoolSandbox)
	delete(sandbox.Labels, apis.LabelSandboxPodTemplateHash)
	metadata.Set(&sandbox.Labels, apis.LabelLaunchType, apis.LaunchTypeWarm)
	if isMadeFrom(sandbox, template) {
		sandbox.Spec.PersistentVolumeClaimRetentionPolicy = template.Spec.PersistentVolumeClaimRetentionPolicy.DeepCopy()
	}
	if rejected := assignTo(sandbox, claim, template); rejected != nil {
		return nil, rejected
	}
	return sandbox, nil
}

// assignTo sets what adopted and new Sandboxes have in common: the controller, the identity labels, the trace and the
// metadata.
func assignTo(
	sandbox *agentsv1beta1.Sandbox, claim *extensionsv1beta1.SandboxClaim, template *extensionsv1beta1.SandboxTemplate,
) *rejection {
	owner.SetController(sandbox, claim)
	setIdentityLabels(sandbox, claim)
	if trace := claim.Annotations[apis.AnnotationTraceContext]; trace != "" {
		metadata.Set(&sandbox.Annotations, apis.AnnotationTraceContext, trace)
	}
	return setMetadata(sandbox, claim, template)
}

// setIdentityLabels sets the labels by which the claim and the template's NetworkPolicy find the Sandbox and its Pod.
func setIdentityLabels(sandbox *agentsv1beta1.Sandbox, claim *extensionsv1beta1.SandboxClaim) {
	metadata.Set(&sandbox.Labels, apis.LabelClaimUID, string(claim.UID))
	if template := templateNameOf(sandbox, claim); template != "" {
		metadata.Set(&sandbox.Annotations, apis.AnnotationTemplateRef, template)
		metadata.Set(&sandbox.Labels, apis.LabelSandboxTemplateRefHash, naming.Hash(template))
	}
}

// templateNameOf returns the template that the Sandbox was made from: the one in the claim's status, else the one that
// matches the Sandbox's label. The claim's reference counts only for a Sandbox without the label: otherwise an edit of
// the claim would move the Pod to another NetworkPolicy.
func templateNameOf(sandbox *agentsv1beta1.Sandbox, claim *extensionsv1beta1.SandboxClaim) string {
	if name := claim.Status.SandboxStatus.TemplateName; name != "" && isBound(sandbox, claim) {
		return name
	}
	hash := sandbox.Labels[apis.LabelSandboxTemplateRefHash]
	for _, name := range [...]string{sandbox.Annotations[apis.AnnotationTemplateRef], claim.Spec.TemplateName()} {
		if name != "" && (hash == "" || hash == naming.Hash(name)) {
			return name
		}
	}
	return ""
}

// isMadeFrom reports whether the Sandbox was made from the template, which may be nil.
func isMadeFrom(sandbox *agentsv1beta1.Sandbox, template *extensionsv1beta1.SandboxTemplate) bool {
	return template != nil && sandbox.Labels[apis.LabelSandboxTemplateRefHash] == naming.Hash(template.Name)
}
