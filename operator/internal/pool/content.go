// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pool

import (
	"k8s.io/apimachinery/pkg/types"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/provenance"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/sandboxspec"
)

// content identifies what a Sandbox was created from. A cached content is valid as long as the spec is unedited and the
// template annotation is the same. A Sandbox with an edited spec has no revision.
type content struct {
	template      string
	revision      string
	blueprintHash string
}

// contentOf returns the content of Sandboxes, by UID. Hashing hundreds of them would dominate the cost of a reconcile,
// so results are cached as long as the Sandbox exists.
func (s *poolStates) contentOf(pool types.UID, lists ...[]*agentsv1beta1.Sandbox) map[types.UID]content {
	var known map[types.UID]content
	s.with(pool, func(p *poolState) { known = p.contents })
	all := map[types.UID]content{}
	for _, list := range lists {
		for _, sandbox := range list {
			c, found := known[sandbox.UID]
			template := sandbox.Annotations[apis.AnnotationTemplateRef]
			if !found || c.template != template || !provenance.SpecUnchanged(sandbox) {
				c = content{template, provenance.Revision(sandbox), sandboxspec.SandboxHash(sandbox)}
			}
			all[sandbox.UID] = c
		}
	}
	s.with(pool, func(p *poolState) { p.contents = all })
	return all
}

// separateForeign moves members that the pool did not create to the foreign Sandboxes, which take up no room. created
// are the revisions that this process may have created.
func (o *observed) separateForeign(pool *extensionsv1beta1.SandboxWarmPool, created map[string]bool) {
	var members []*agentsv1beta1.Sandbox
	for _, member := range o.members {
		revision := o.contents[member.UID].revision
		if provenance.HasRevision(pool, revision) || created[revision] {
			members = append(members, member)
		} else {
			o.foreign = append(o.foreign, member)
		}
	}
	o.members = members
}
