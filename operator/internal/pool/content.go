// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pool

import (
	"maps"

	"k8s.io/apimachinery/pkg/types"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/provenance"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/sandboxspec"
)

// content is what a Sandbox is made of. Nothing but the name of its template changes it: an edited spec has no revision.
type content struct {
	template     string
	revision     string
	templateHash string
}

// ContentOf says what Sandboxes are made of. To hash hundreds of them in each pass would cost more than all the rest of it, so what was
// hashed once is remembered while the Sandbox is there.
func (m *expectations) ContentOf(pool types.UID, lists ...[]*agentsv1beta1.Sandbox) map[types.UID]content {
	var known map[types.UID]content
	m.with(pool, func(r *poolState) { known = r.contents })
	all := map[types.UID]content{}
	for _, list := range lists {
		for _, s := range list {
			is, examined := known[s.UID]
			if template := s.Annotations[apis.AnnotationTemplateRef]; !examined || is.template != template || !provenance.SpecUnchanged(s) {
				is = content{template, provenance.Revision(s), sandboxspec.SandboxHash(s)}
			}
			all[s.UID] = is
		}
	}
	m.with(pool, func(r *poolState) { r.contents = all })
	return all
}

// RecordRevision notes the revision that is made from now on, and returns all that this process could have made.
func (m *expectations) RecordRevision(pool types.UID, revision string) map[string]bool {
	all := map[string]bool{}
	m.with(pool, func(r *poolState) {
		if revision != "" {
			r.revisions[revision] = true
		}
		all = maps.Clone(r.revisions)
	})
	return all
}

// separateForeign parts what names the pool as its controller and is not of its making from the members. It takes up no room.
func (s *observed) separateForeign(pool *extensionsv1beta1.SandboxWarmPool, made map[string]bool) {
	var members []*agentsv1beta1.Sandbox
	for _, member := range s.members {
		revision := s.contents[member.UID].revision
		if provenance.HasRevision(pool, revision) || made[revision] {
			members = append(members, member)
		} else {
			s.foreign = append(s.foreign, member)
		}
	}
	s.members = members
}
