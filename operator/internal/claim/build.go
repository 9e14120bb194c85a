// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/stamp"
)

// cold returns a new Sandbox for the claim. It has the claim's name, or that of the Sandbox whose volumes wait for it, so a second one
// is refused by the API server.
func cold(claim *extensionsv1beta1.SandboxClaim, name string, template *extensionsv1beta1.SandboxTemplate) (*agentsv1beta1.Sandbox, *refusal) {
	sandbox := stamp.Sandbox(template)
	sandbox.Name, sandbox.Namespace = name, claim.Namespace
	if why := injectEnv(&sandbox.Spec.PodTemplate.Spec, claim, template); why != nil {
		return nil, why
	}
	if why := addVolumes(sandbox, claim, template); why != nil {
		return nil, why
	}
	setKey(&sandbox.Labels, apis.LabelLaunchType, apis.LaunchTypeCold)
	setKey(&sandbox.Annotations, apis.AnnotationPodName, sandbox.Name) // here it costs no write of its own
	if why := handOver(sandbox, claim, template); why != nil {
		return nil, why
	}
	return sandbox, nil
}

// adopted returns the member as it is when it belongs to the claim. It stays under its template's NetworkPolicy, and its spec
// stays as it is, so that the running Pod goes on.
func adopted(member *agentsv1beta1.Sandbox, claim *extensionsv1beta1.SandboxClaim, template *extensionsv1beta1.SandboxTemplate) (
	*agentsv1beta1.Sandbox, *refusal,
) {
	sandbox := member.DeepCopy()
	delete(sandbox.Labels, apis.LabelWarmPoolSandbox)
	delete(sandbox.Labels, apis.LabelSandboxPodTemplateHash)
	setKey(&sandbox.Labels, apis.LabelLaunchType, apis.LaunchTypeWarm)
	if stampedFrom(sandbox, template) {
		sandbox.Spec.PersistentVolumeClaimRetentionPolicy = template.Spec.PersistentVolumeClaimRetentionPolicy.DeepCopy()
	}
	if why := handOver(sandbox, claim, template); why != nil {
		return nil, why
	}
	return sandbox, nil
}

// handOver is what warm and cold have in common: owner, identity, metadata, trace.
func handOver(sandbox *agentsv1beta1.Sandbox, claim *extensionsv1beta1.SandboxClaim, template *extensionsv1beta1.SandboxTemplate) *refusal {
	own(sandbox, claim)
	setIdentity(sandbox, claim)
	if trace := claim.Annotations[apis.AnnotationTraceContext]; trace != "" {
		setKey(&sandbox.Annotations, apis.AnnotationTraceContext, trace)
	}
	return setMetadata(sandbox, claim, template)
}

// setIdentity makes the labels right by which the claim and the template's NetworkPolicy find the Sandbox and its Pod.
func setIdentity(sandbox *agentsv1beta1.Sandbox, claim *extensionsv1beta1.SandboxClaim) {
	setKey(&sandbox.Labels, apis.LabelClaimUID, string(claim.UID))
	if template := builtFrom(sandbox, claim); template != "" {
		setKey(&sandbox.Annotations, apis.AnnotationTemplateRef, template)
		setKey(&sandbox.Labels, apis.LabelSandboxTemplateRefHash, naming.Hash(template))
	}
}

// builtFrom is the template that the Sandbox was made from: the claim's status remembers it. Before that is written the Sandbox's label
// decides, and what the claim names now only where there is none: the Pod would leave its NetworkPolicy with an edit of the claim.
func builtFrom(sandbox *agentsv1beta1.Sandbox, claim *extensionsv1beta1.SandboxClaim) string {
	if name := claim.Status.SandboxStatus.TemplateName; name != "" && bound(sandbox, claim) {
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
