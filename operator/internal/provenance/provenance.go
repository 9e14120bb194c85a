// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package provenance verifies that a pool made the content of a Sandbox. Labels and owner references prove nothing,
// because whoever may create Sandboxes may write them.
//
// Invariants:
//   - A Sandbox whose spec was edited after its creation has no revision: its Pod may run another spec than the Sandbox
//     shows.
//   - The revisions that a pool has made are in its status, which only the operator needs permission to write.
package provenance

import (
	"slices"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/blueprint"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/sandboxspec"
)

// MaxRevisions is the number of revisions that a pool's status holds. The schema has the same limit.
const MaxRevisions = 64

// SpecUnchanged reports whether the spec is as it was created. The API server increments the generation with each
// change of it.
func SpecUnchanged(s *agentsv1beta1.Sandbox) bool { return s.Generation <= 1 }

// Revision returns a digest of the spec, including the Pod's metadata, and of the name of the template that the Sandbox
// was made from. It is empty if the spec was edited.
func Revision(s *agentsv1beta1.Sandbox) string {
	if !SpecUnchanged(s) {
		return ""
	}
	spec := s.Spec
	spec.PersistentVolumeClaimRetentionPolicy = nil // a claim that adopts the Sandbox sets it
	if spec.ShutdownTime == nil {
		spec.ShutdownPolicy = nil // it has no effect without a shutdownTime, and the API server defaults it
	}
	return blueprint.Digest(struct {
		Template string
		Spec     agentsv1beta1.SandboxSpec
	}{s.Annotations[apis.AnnotationTemplateRef], spec})
}

// CurrentRevision returns the revision of a Sandbox that is made from the template now, or "" if the template is nil.
func CurrentRevision(template *extensionsv1beta1.SandboxTemplate) string {
	if template == nil {
		return ""
	}
	return Revision(sandboxspec.FromTemplate(template))
}

// predatesRevisions reports whether an earlier version of the operator, which recorded no revisions, wrote the pool's
// status. The pool's existing members are then trusted. A new pool has an empty status, and its members are not.
func predatesRevisions(pool *extensionsv1beta1.SandboxWarmPool) bool {
	return pool.Status.Members == nil && pool.Status.Selector != ""
}

// HasRevision reports whether the pool has made members of the revision.
func HasRevision(pool *extensionsv1beta1.SandboxWarmPool, revision string) bool {
	return revision != "" &&
		(predatesRevisions(pool) || (pool.Status.Members != nil && slices.Contains(pool.Status.Members.Revisions, revision)))
}
