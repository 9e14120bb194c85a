// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package provenance says whether a Sandbox is of the content that a pool makes. Labels and owner references prove nothing: who may
// create Sandboxes may write them.
//
// Invariants:
//   - a Sandbox whose spec was edited after its creation is of no content: its Pod may be of another spec than it shows;
//   - the contents that a pool has made are in its status, which nobody but the operator need be able to write.
package provenance

import (
	"slices"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/blueprint"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/sandboxspec"
)

// MaxRevisions bounds what a pool's status remembers.
const MaxRevisions = 64

// SpecUnchanged says whether the spec is as it was created: the API server counts changes of it.
func SpecUnchanged(s *agentsv1beta1.Sandbox) bool { return s.Generation <= 1 }

// Revision names all that whoever gets the Sandbox gets: its spec, metadata of the Pod included, and the template that it was
// made from. It is empty for one whose spec was edited.
func Revision(s *agentsv1beta1.Sandbox) string {
	if !SpecUnchanged(s) {
		return ""
	}
	spec := s.Spec
	spec.PersistentVolumeClaimRetentionPolicy = nil // a claim that takes the Sandbox sets it anew
	if spec.ShutdownTime == nil {
		spec.ShutdownPolicy = nil // means nothing, and is filled in by the API server
	}
	return blueprint.Digest(struct {
		Template string
		Spec     agentsv1beta1.SandboxSpec
	}{s.Annotations[apis.AnnotationTemplateRef], spec})
}

// CurrentRevision is the revision of what is made from the template now; empty without a template.
func CurrentRevision(template *extensionsv1beta1.SandboxTemplate) string {
	if template == nil {
		return ""
	}
	return Revision(sandboxspec.FromTemplate(template))
}

// PredatesRevisions says whether the status is that of an operator that recorded no revisions: the members that there are then count as the
// pool's. A new pool has nothing in its status, and no members to be trusted.
func PredatesRevisions(pool *extensionsv1beta1.SandboxWarmPool) bool {
	return pool.Status.Members == nil && pool.Status.Selector != ""
}

// HasRevision says whether the pool has made members of the revision.
func HasRevision(pool *extensionsv1beta1.SandboxWarmPool, revision string) bool {
	return revision != "" && (PredatesRevisions(pool) || (pool.Status.Members != nil && slices.Contains(pool.Status.Members.Revisions, revision)))
}
