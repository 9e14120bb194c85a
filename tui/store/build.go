// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package store

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/pool"
	"github.com/agent-sandbox/kubectl-sandbox/tui/rows"
)

// group collects what belongs to one pool.
type group struct {
	pool       *extensionsv1beta1.SandboxWarmPool
	inventory  pool.Inventory
	warm, cold int
}

// build creates a snapshot of the state.
func (s *state) build(now time.Time, health Health) *Snapshot {
	s.rebuildRows(now)
	s.changed = false
	snapshot := &Snapshot{At: now, Members: map[types.UID][]*rows.Row{}, Health: health}
	snapshot.Usage, snapshot.UsageRead = s.sandboxUsage(), s.usage.read
	snapshot.CausesRead = s.causes.read
	groups, byTemplate := s.groups(now, health)
	templateClaims := map[key]int{}
	for k, row := range s.claimRows {
		snapshot.Claims = append(snapshot.Claims, row)
		templateClaims[key{Namespace: k.Namespace, Name: row.Template}]++
		s.count(k, row, groups, byTemplate, now)
	}
	for k, row := range s.sandboxRows {
		o := s.sandboxes[k]
		owner := metav1.GetControllerOf(o)
		switch {
		case owner == nil || (owner.Kind != apis.KindSandboxClaim && owner.Kind != apis.KindSandboxWarmPool):
			snapshot.Claims = append(snapshot.Claims, row)
		case owner.Kind == apis.KindSandboxClaim && s.claims[key{Namespace: k.Namespace, Name: owner.Name}] == nil:
			snapshot.Claims = append(snapshot.Claims, row) // its claim is gone, or claims may not be read
		case owner.Kind == apis.KindSandboxWarmPool:
			snapshot.Members[owner.UID] = append(snapshot.Members[owner.UID], row)
			if g := groups[key{Namespace: k.Namespace, Name: owner.Name}]; g != nil && g.inventory.Sandboxes != nil {
				g.inventory.Sandboxes = append(g.inventory.Sandboxes, o.Sandbox)
			}
		}
	}
	faults := s.finishPools(snapshot, groups, now)
	for k, t := range s.templates {
		pools := slices.Clone(byTemplate[k])
		slices.Sort(pools)
		snapshot.Templates = append(snapshot.Templates, rows.FromTemplate(t, pools, templateClaims[k], faults[k]))
	}
	return snapshot
}

// groups returns a group for each pool, and the names of the pools of each template.
func (s *state) groups(now time.Time, health Health) (groups map[key]*group, byTemplate map[key][]string) {
	groups, byTemplate = make(map[key]*group, len(s.pools)), map[key][]string{}
	for k, p := range s.pools {
		g := &group{pool: p, inventory: pool.Inventory{
			Now: now, Stale: s.isStaleMember, Rejections: s.causes.rejections, Obstacles: s.causes.obstacles,
		}}
		template := key{Namespace: k.Namespace, Name: p.Spec.TemplateRef.Name}
		byTemplate[template] = append(byTemplate[template], k.Name)
		if !health.Unread(resourceTemplates) {
			g.inventory.Templates = []*extensionsv1beta1.SandboxTemplate{}
		}
		if t := s.templates[template]; t != nil {
			g.inventory.Templates = append(g.inventory.Templates, t)
		}
		if !health.Unread(resourceSandboxes) {
			g.inventory.Sandboxes = []*agentsv1beta1.Sandbox{}
		}
		if !health.Unread(resourceClaims) {
			g.inventory.Claims = []*extensionsv1beta1.SandboxClaim{}
		}
		groups[k] = g
	}
	return groups, byTemplate
}

// isStaleMember is pool.Stale with a cache.
func (s *state) isStaleMember(template *extensionsv1beta1.SandboxTemplate, member *agentsv1beta1.Sandbox) bool {
	o := s.sandboxes[keyOf(member)]
	return o.blueprint != nil && o.blueprint.isStale(template, o.Sandbox)
}

// count adds a claim to the pool that served it, or to those that could have served it.
func (s *state) count(k key, row *rows.Row, groups map[key]*group, byTemplate map[key][]string, now time.Time) {
	claim := s.claims[k]
	switch row.Source {
	case rows.SourceWarm, rows.SourceLate:
		from := key{Namespace: k.Namespace, Name: row.Pool}
		s.history.countClaim(row.UID, row.Created, now, from)
		g := groups[from]
		if g == nil {
			return
		}
		if row.Source == rows.SourceWarm {
			g.warm++
		} else {
			g.cold++
		}
		if g.inventory.Claims != nil && g.inventory.Sandboxes != nil {
			held := s.sandboxes[key{Namespace: k.Namespace, Name: row.Sandbox}].Sandbox
			g.inventory.Claims, g.inventory.Sandboxes = append(g.inventory.Claims, claim), append(g.inventory.Sandboxes, held)
		}
	case rows.SourceCold:
		var wanted []key
		names := byTemplate[key{Namespace: k.Namespace, Name: row.Template}]
		if claim.Spec.WarmPoolRef != nil {
			names = []string{claim.Spec.WarmPoolRef.Name}
		}
		for _, name := range names {
			from := key{Namespace: k.Namespace, Name: name}
			if g := groups[from]; g != nil && claim.Spec.AcceptsPool(g.pool) {
				g.cold++
				wanted = append(wanted, from)
			}
		}
		s.history.countClaim(row.UID, row.Created, now, wanted...)
	default: // no pool was involved
	}
}

// finishPools adds the rows of the pools to the snapshot, and returns the faults of their templates.
func (s *state) finishPools(snapshot *Snapshot, groups map[key]*group, now time.Time) (faults map[key]string) {
	faults = map[key]string{}
	due, alive := s.history.sampleDue(now), make(map[types.UID]struct{}, len(groups))
	for k, g := range groups {
		summary := pool.Summarize(g.pool, &g.inventory)
		alive[g.pool.UID] = struct{}{}
		if due {
			s.history.sample(g.pool.UID, summary.Ready)
		}
		template := key{Namespace: k.Namespace, Name: g.pool.Spec.TemplateRef.Name}
		if summary.Broken() && !summary.TemplateChanged && (faults[template] == "" || summary.Shortage < faults[template]) {
			faults[template] = summary.Shortage
		}
		snapshot.Pools = append(snapshot.Pools,
			rows.FromPool(&summary, g.warm, g.cold, s.history.ready[g.pool.UID], s.history.perMinute(k, now)))
	}
	s.history.retain(alive)
	return faults
}
