// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"k8s.io/apimachinery/pkg/types"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/provenance"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/sandboxspec"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/warmqueue"
)

// source is where a claim's Sandbox may come from.
type source struct {
	template  *extensionsv1beta1.SandboxTemplate
	pools     []eligiblePool // that may serve the claim; none: it starts cold
	selector  warmqueue.Selector
	blueprint string // that a member of a pool with strategy Recreate must have
}

// eligiblePool is a pool with what its members are labelled by.
type eligiblePool struct {
	*extensionsv1beta1.SandboxWarmPool

	hash string
}

// resolveSource resolves the claim's reference, of either style.
func resolveSource(claim *extensionsv1beta1.SandboxClaim, seen observed) (*source, *rejection) {
	named := poolName(claim)
	var pool *extensionsv1beta1.SandboxWarmPool
	if named != "" {
		if len(seen.pools) == 0 || seen.pools[0].DeletionTimestamp != nil {
			return nil, rejectf(apis.ReasonWarmPoolNotFound, "SandboxWarmPool %q does not exist in namespace %q: create it, or "+
				"make a claim that names another", named, claim.Namespace)
		}
		pool = seen.pools[0]
	}
	if seen.template == nil {
		return nil, templateNotFound(claim, pool)
	}
	if pool != nil && pool.Spec.TemplateRef.Name != seen.template.Name {
		return nil, rejectf(apis.ReasonWarmPoolNotFound, "SandboxWarmPool %q keeps Sandboxes of template %q, not %q: set warmpool to a "+
			"pool of that template, or to %s", pool.Name, pool.Spec.TemplateRef.Name, seen.template.Name, apis.WarmPoolDefault)
	}
	if why := checkPolicies(claim, seen.template); why != nil {
		return nil, why
	}
	from := &source{template: seen.template, selector: warmqueue.Selector{Namespace: claim.Namespace}}
	if !wantsWarm(claim) {
		return from, nil
	}
	if claim.Spec.WarmPoolRef == nil {
		from.selector.TemplateHash = naming.Hash(seen.template.Name)
	}
	if pool != nil {
		from.selector.PoolHash = naming.Hash(pool.Name)
	}
	for _, pool := range seen.pools {
		if pool.DeletionTimestamp != nil {
			continue
		}
		from.pools = append(from.pools, eligiblePool{pool, naming.Hash(pool.Name)})
		if recreates(pool) && from.blueprint == "" {
			from.blueprint = sandboxspec.TemplateHash(seen.template)
		}
	}
	return from, nil
}

func templateNotFound(claim *extensionsv1beta1.SandboxClaim, pool *extensionsv1beta1.SandboxWarmPool) *rejection {
	if claim.Spec.TemplateRef == nil {
		return rejectf(apis.ReasonTemplateNotFound, "SandboxTemplate %q of SandboxWarmPool %q does not exist in namespace %q: create "+
			"it, or name another in the pool", pool.Spec.TemplateRef.Name, pool.Name, claim.Namespace)
	}
	return rejectf(apis.ReasonTemplateNotFound, "SandboxTemplate %q does not exist in namespace %q: create it, or make a claim "+
		"that names another", claim.Spec.TemplateRef.Name, claim.Namespace)
}

// matches says whether a member in the queue may serve the claim. The queue's word is checked against the Sandbox itself after.
func (s *source) matches(member warmqueue.Member) bool {
	for _, pool := range s.pools {
		if pool.hash == member.PoolHash && s.isCurrent(pool.SandboxWarmPool, member) {
			return true
		}
	}
	return false
}

// mayAdopt says whether a Sandbox, as it is, may become the claim's: a pool that may serve the claim holds it.
func (s *source) mayAdopt(sandbox *agentsv1beta1.Sandbox) bool {
	member, ok := queueMember(sandbox)
	if !ok || (s.selector.TemplateHash != "" && member.TemplateHash != s.selector.TemplateHash) {
		return false
	}
	pool := s.controllingPool(sandbox)
	return pool != nil && s.isCurrent(pool, member) && s.hasTrustedContent(pool, sandbox)
}

// hasTrustedContent says whether the content of a Sandbox that a pool seems to hold is the pool's: what was made from the template as it is, or is
// recorded in the pool's status. Under Recreate it is what the template says now, but for metadata.
func (s *source) hasTrustedContent(pool *extensionsv1beta1.SandboxWarmPool, sandbox *agentsv1beta1.Sandbox) bool {
	if recreates(pool) && sandboxspec.SandboxHash(sandbox) != s.blueprint {
		return false
	}
	if name := sandbox.Annotations[apis.AnnotationTemplateRef]; sandbox.Labels[apis.LabelSandboxTemplateRefHash] != naming.Hash(name) {
		return false
	}
	revision := provenance.Revision(sandbox)
	return provenance.HasRevision(pool, revision) || (revision != "" && pool.Spec.TemplateRef.Name == s.template.Name &&
		revision == provenance.CurrentRevision(s.template))
}

// controllingPool is the pool of the source that controls the Sandbox. Names may share a hash, so the UID decides.
func (s *source) controllingPool(sandbox *agentsv1beta1.Sandbox) *extensionsv1beta1.SandboxWarmPool {
	for _, pool := range s.pools {
		if controlledBy(sandbox, pool.UID) {
			return pool.SandboxWarmPool
		}
	}
	return nil
}

// isCurrent: under Recreate a member that was built from an older template is on its way out and is handed to nobody.
func (s *source) isCurrent(pool *extensionsv1beta1.SandboxWarmPool, member warmqueue.Member) bool {
	return !recreates(pool) || (member.Blueprint == s.blueprint && member.TemplateHash == naming.Hash(s.template.Name))
}

func recreates(pool *extensionsv1beta1.SandboxWarmPool) bool {
	return pool.Spec.UpdateStrategy != nil && pool.Spec.UpdateStrategy.Type == extensionsv1beta1.RecreateSandboxWarmPoolUpdateStrategyType
}

// queueMember describes a Sandbox to the queue, if a claim may have it: a pool controls it, it carries the pool's labels, its Pod
// has an address, and it is neither finished nor going.
func queueMember(sandbox *agentsv1beta1.Sandbox) (warmqueue.Member, bool) {
	member := warmqueue.Member{
		NamespacedName: types.NamespacedName{Namespace: sandbox.Namespace, Name: sandbox.Name},
		UID:            sandbox.UID,
		PoolHash:       sandbox.Labels[apis.LabelWarmPoolSandbox],
		TemplateHash:   sandbox.Labels[apis.LabelSandboxTemplateRefHash],
		Blueprint:      sandbox.Labels[apis.LabelSandboxPodTemplateHash],
		Node:           sandbox.Status.NodeName,
		Ready:          apis.ConditionTrue(sandbox.Status.Conditions, apis.ConditionReady),
		Created:        sandbox.CreationTimestamp.Time,
	}
	ok := isPoolMember(sandbox) && member.PoolHash != "" && member.TemplateHash != "" && len(sandbox.Status.PodIPs) > 0 &&
		sandbox.DeletionTimestamp == nil && !apis.ConditionTrue(sandbox.Status.Conditions, apis.ConditionFinished)
	return member, ok
}
