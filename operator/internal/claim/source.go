// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/owner"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/provenance"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/sandboxspec"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/warmqueue"
)

// source is where a claim's Sandbox may come from.
type source struct {
	template  *extensionsv1beta1.SandboxTemplate
	pools     []eligiblePool // that may serve the claim; if there are none, the claim gets a new Sandbox
	selector  warmqueue.Selector
	blueprint string // the blueprint hash that a member of a pool with the strategy Recreate must have
}

// eligiblePool is a pool with the hash in its members' label.
type eligiblePool struct {
	*extensionsv1beta1.SandboxWarmPool

	hash string
}

// resolveSource resolves the claim's reference to a template or to a pool.
func resolveSource(claim *extensionsv1beta1.SandboxClaim, seen observed) (*source, *rejection) {
	name := claim.Spec.PoolName()
	var named *extensionsv1beta1.SandboxWarmPool
	if name != "" {
		if len(seen.pools) == 0 || seen.pools[0].DeletionTimestamp != nil {
			return nil, rejectf(apis.ReasonWarmPoolNotFound, "SandboxWarmPool %q does not exist in namespace %q: create it, or "+
				"create a claim that names another one", name, claim.Namespace)
		}
		named = seen.pools[0]
	}
	if seen.template == nil {
		return nil, rejectTemplateNotFound(claim, named)
	}
	if named != nil && named.Spec.TemplateRef.Name != seen.template.Name {
		return nil, rejectf(
			apis.ReasonWarmPoolNotFound,
			"SandboxWarmPool %q keeps Sandboxes of template %q, not %q: set warmpool to a "+
				"pool of template %[3]q, or to %[4]s",
			named.Name, named.Spec.TemplateRef.Name, seen.template.Name, apis.WarmPoolDefault,
		)
	}
	if rejected := checkPolicies(claim, seen.template); rejected != nil {
		return nil, rejected
	}
	from := &source{template: seen.template, selector: warmqueue.Selector{Namespace: claim.Namespace}}
	if !claim.Spec.AcceptsWarm() {
		return from, nil
	}
	if claim.Spec.WarmPoolRef == nil {
		from.selector.TemplateNameHash = naming.Hash(seen.template.Name)
	}
	if named != nil {
		from.selector.PoolHash = naming.Hash(named.Name)
	}
	for _, pool := range seen.pools {
		if pool.DeletionTimestamp != nil {
			continue
		}
		from.pools = append(from.pools, eligiblePool{pool, naming.Hash(pool.Name)})
		if pool.Recreates() && from.blueprint == "" {
			from.blueprint = sandboxspec.BlueprintHash(seen.template)
		}
	}
	return from, nil
}

// requiresWarmSandbox reports whether the claim names a template and does not set warmpool to none. Such a claim must
// not add to the spec; one that names a pool may, and then gets a new Sandbox.
func requiresWarmSandbox(claim *extensionsv1beta1.SandboxClaim) bool {
	return claim.Spec.TemplateRef != nil && claim.Spec.WarmPoolPolicy() != apis.WarmPoolNone
}

// checkPolicies rejects what the template does not let the claim add.
func checkPolicies(claim *extensionsv1beta1.SandboxClaim, template *extensionsv1beta1.SandboxTemplate) *rejection {
	if rejected := checkEnvPolicy(claim, template); rejected != nil {
		return rejected
	}
	if rejected := checkVolumePolicy(claim, template); rejected != nil {
		return rejected
	}
	return checkOverrides(claim, template, agentsv1beta1.PodMetadata{})
}

// rejectTemplateNotFound rejects a claim whose template, or that of the pool that it names, does not exist.
func rejectTemplateNotFound(claim *extensionsv1beta1.SandboxClaim, pool *extensionsv1beta1.SandboxWarmPool) *rejection {
	if claim.Spec.TemplateRef == nil {
		return rejectf(
			apis.ReasonTemplateNotFound,
			"SandboxTemplate %q of SandboxWarmPool %q does not exist in namespace %q: create "+
				"it, or name another one in the pool",
			pool.Spec.TemplateRef.Name, pool.Name, claim.Namespace,
		)
	}
	return rejectf(
		apis.ReasonTemplateNotFound,
		"SandboxTemplate %q does not exist in namespace %q: create it, or create a claim "+
			"that names another one",
		claim.Spec.TemplateRef.Name, claim.Namespace,
	)
}

// matches reports whether a member in the queue may serve the claim. mayAdopt checks the Sandbox itself afterwards.
func (s *source) matches(member warmqueue.Member) bool {
	for _, pool := range s.pools {
		if pool.hash == member.PoolHash && s.isCurrent(pool.SandboxWarmPool, member) {
			return true
		}
	}
	return false
}

// mayAdopt reports whether a Sandbox may become the claim's: a pool that may serve the claim controls it, and its
// content is the pool's.
func (s *source) mayAdopt(sandbox *agentsv1beta1.Sandbox) bool {
	member, ok := queueMember(sandbox)
	if !ok || (s.selector.TemplateNameHash != "" && member.TemplateNameHash != s.selector.TemplateNameHash) {
		return false
	}
	pool := s.controllingPool(sandbox)
	return pool != nil && s.isCurrent(pool, member) && s.hasTrustedContent(pool, sandbox)
}

// hasTrustedContent reports whether the pool made the content of a Sandbox: it is what the template gives now, or a
// revision in the pool's status. With the strategy Recreate it must also have the blueprint of the template as it is
// now.
func (s *source) hasTrustedContent(pool *extensionsv1beta1.SandboxWarmPool, sandbox *agentsv1beta1.Sandbox) bool {
	if pool.Recreates() && sandboxspec.SandboxHash(sandbox) != s.blueprint {
		return false
	}
	template := sandbox.Annotations[apis.AnnotationTemplateRef]
	if sandbox.Labels[apis.LabelSandboxTemplateRefHash] != naming.Hash(template) {
		return false
	}
	revision := provenance.Revision(sandbox)
	return provenance.HasRevision(pool, revision) || (revision != "" && pool.Spec.TemplateRef.Name == s.template.Name &&
		revision == provenance.CurrentRevision(s.template))
}

// controllingPool returns the pool of the source that controls the Sandbox, by UID, because names can share a hash.
func (s *source) controllingPool(sandbox *agentsv1beta1.Sandbox) *extensionsv1beta1.SandboxWarmPool {
	for _, pool := range s.pools {
		if metav1.IsControlledBy(sandbox, pool.SandboxWarmPool) {
			return pool.SandboxWarmPool
		}
	}
	return nil
}

// isCurrent reports whether the pool would keep the member. With the strategy Recreate, a pool replaces members of an
// older template, and no claim gets them.
func (s *source) isCurrent(pool *extensionsv1beta1.SandboxWarmPool, member warmqueue.Member) bool {
	return !pool.Recreates() ||
		(member.Blueprint == s.blueprint && member.TemplateNameHash == naming.Hash(s.template.Name))
}

// queueMember describes a Sandbox to the queue. ok reports whether a claim may adopt it: a pool controls it, it has the
// pool's labels, its Pod has an address, and it is neither finished nor being deleted.
func queueMember(sandbox *agentsv1beta1.Sandbox) (member warmqueue.Member, ok bool) {
	member = warmqueue.Member{
		NamespacedName:   types.NamespacedName{Namespace: sandbox.Namespace, Name: sandbox.Name},
		UID:              sandbox.UID,
		PoolHash:         sandbox.Labels[apis.LabelWarmPoolSandbox],
		TemplateNameHash: sandbox.Labels[apis.LabelSandboxTemplateRefHash],
		Blueprint:        sandbox.Labels[apis.LabelSandboxPodTemplateHash],
		Node:             sandbox.Status.NodeName,
		Ready:            apis.ConditionTrue(sandbox.Status.Conditions, apis.ConditionReady),
		Created:          sandbox.CreationTimestamp.Time,
	}
	ok = owner.HasController(sandbox, apis.KindSandboxWarmPool) && member.PoolHash != "" &&
		member.TemplateNameHash != "" && len(sandbox.Status.PodIPs) > 0 && sandbox.DeletionTimestamp == nil &&
		!apis.ConditionTrue(sandbox.Status.Conditions, apis.ConditionFinished)
	return member, ok
}
