// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/sandboxspec"
)

// newColdSandbox returns a new Sandbox for the claim. It has the claim's name, or that of the Sandbox whose volumes wait for it, so a second one
// is refused by the API server.
func newColdSandbox(claim *extensionsv1beta1.SandboxClaim, name string, template *extensionsv1beta1.SandboxTemplate) (*agentsv1beta1.Sandbox, *rejection) {
	sandbox := sandboxspec.FromTemplate(template)
	sandbox.Name, sandbox.Namespace = name, claim.Namespace
	if why := injectEnv(&sandbox.Spec.PodTemplate.Spec, claim, template); why != nil {
		return nil, why
	}
	if why := addVolumes(sandbox, claim, template); why != nil {
		return nil, why
	}
	setKey(&sandbox.Labels, apis.LabelLaunchType, apis.LaunchTypeCold)
	setKey(&sandbox.Annotations, apis.AnnotationPodName, sandbox.Name) // here it costs no write of its own
	if why := assignTo(sandbox, claim, template); why != nil {
		return nil, why
	}
	return sandbox, nil
}

// newAdoptedSandbox returns the member as it is when it belongs to the claim. It stays under its template's NetworkPolicy, and its spec
// stays as it is, so that the running Pod goes on.
func newAdoptedSandbox(member *agentsv1beta1.Sandbox, claim *extensionsv1beta1.SandboxClaim, template *extensionsv1beta1.SandboxTemplate) (
	*agentsv1beta1.Sandbox, *rejection,
) {
	sandbox := member.DeepCopy()
	delete(sandbox.Labels, apis.LabelWarmPoolSandbox)
	delete(sandbox.Labels, apis.LabelSandboxPodTemplateHash)
	setKey(&sandbox.Labels, apis.LabelLaunchType, apis.LaunchTypeWarm)
	if isMadeFrom(sandbox, template) {
		sandbox.Spec.PersistentVolumeClaimRetentionPolicy = template.Spec.PersistentVolumeClaimRetentionPolicy.DeepCopy()
	}
	if why := assignTo(sandbox, claim, template); why != nil {
		return nil, why
	}
	return sandbox, nil
}

// assignTo is what warm and cold have in common: owner, identity, metadata, trace.
func assignTo(sandbox *agentsv1beta1.Sandbox, claim *extensionsv1beta1.SandboxClaim, template *extensionsv1beta1.SandboxTemplate) *rejection {
	setController(sandbox, claim)
	setIdentityLabels(sandbox, claim)
	if trace := claim.Annotations[apis.AnnotationTraceContext]; trace != "" {
		setKey(&sandbox.Annotations, apis.AnnotationTraceContext, trace)
	}
	return setMetadata(sandbox, claim, template)
}

// setIdentityLabels makes the labels right by which the claim and the template's NetworkPolicy find the Sandbox and its Pod.
func setIdentityLabels(sandbox *agentsv1beta1.Sandbox, claim *extensionsv1beta1.SandboxClaim) {
	setKey(&sandbox.Labels, apis.LabelClaimUID, string(claim.UID))
	if template := templateNameOf(sandbox, claim); template != "" {
		setKey(&sandbox.Annotations, apis.AnnotationTemplateRef, template)
		setKey(&sandbox.Labels, apis.LabelSandboxTemplateRefHash, naming.Hash(template))
	}
}

// templateNameOf is the template that the Sandbox was made from: the claim's status remembers it. Before that is written the Sandbox's label
// decides, and what the claim names now only where there is none: the Pod would leave its NetworkPolicy with an edit of the claim.
func templateNameOf(sandbox *agentsv1beta1.Sandbox, claim *extensionsv1beta1.SandboxClaim) string {
	if name := claim.Status.SandboxStatus.TemplateName; name != "" && isBound(sandbox, claim) {
		return name
	}
	hash := sandbox.Labels[apis.LabelSandboxTemplateRefHash]
	for _, name := range [...]string{sandbox.Annotations[apis.AnnotationTemplateRef], templateName(claim)} {
		if name != "" && (hash == "" || hash == naming.Hash(name)) {
			return name
		}
	}
	return ""
}
