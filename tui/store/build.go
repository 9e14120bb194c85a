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

// group is what belongs to one pool.
type group struct {
	pool       *extensionsv1beta1.SandboxWarmPool
	facts      pool.Inventory
	warm, cold int
}

// build makes a snapshot of the state. Unread lists are those that may not be read.
func (s *state) build(now time.Time, health Health) *Snapshot {
	s.renew(now)
	s.changed = false
	snapshot := &Snapshot{At: now, Members: map[types.UID][]*rows.Row{}, Health: health}
	groups, byTemplate := s.groups(now, health)
	templateClaims := map[key]int{}
	for k, row := range s.claimRows {
		snapshot.Work = append(snapshot.Work, row)
		templateClaims[key{Namespace: k.Namespace, Name: row.Template}]++
		s.count(k, row, groups, byTemplate, now)
	}
	for k, row := range s.sandboxRows {
		o := s.sandboxes[k]
		owner := metav1.GetControllerOf(o)
		switch {
		case owner == nil || (owner.Kind != apis.KindSandboxClaim && owner.Kind != apis.KindSandboxWarmPool):
			snapshot.Work = append(snapshot.Work, row)
		case owner.Kind == apis.KindSandboxClaim && s.claims[key{Namespace: k.Namespace, Name: owner.Name}] == nil:
			snapshot.Work = append(snapshot.Work, row) // its claim is gone, or may not be read
		case owner.Kind == apis.KindSandboxWarmPool:
			snapshot.Members[owner.UID] = append(snapshot.Members[owner.UID], row)
			if g := groups[key{Namespace: k.Namespace, Name: owner.Name}]; g != nil && g.facts.Sandboxes != nil {
				g.facts.Sandboxes = append(g.facts.Sandboxes, o.Sandbox)
			}
		}
	}
	faults := s.finishPools(snapshot, groups, now)
	for k, t := range s.templates {
		pools := slices.Clone(byTemplate[k])
		slices.Sort(pools)
		snapshot.Templates = append(snapshot.Templates, rows.OfTemplate(t, pools, templateClaims[k], faults[k]))
	}
	return snapshot
}

// groups prepares a group for each pool, and says which pools use a template.
func (s *state) groups(now time.Time, health Health) (groups map[key]*group, byTemplate map[key][]string) {
	groups, byTemplate = make(map[key]*group, len(s.pools)), map[key][]string{}
	for k, p := range s.pools {
		g := &group{pool: p, facts: pool.Inventory{Now: now, Stale: s.judge}}
		template := key{Namespace: k.Namespace, Name: p.Spec.TemplateRef.Name}
		byTemplate[template] = append(byTemplate[template], k.Name)
		if !health.Unread(resourceTemplates) {
			g.facts.Templates = []*extensionsv1beta1.SandboxTemplate{}
		}
		if t := s.templates[template]; t != nil {
			g.facts.Templates = append(g.facts.Templates, t)
		}
		if !health.Unread(resourceSandboxes) {
			g.facts.Sandboxes = []*agentsv1beta1.Sandbox{}
		}
		if !health.Unread(resourceClaims) {
			g.facts.Claims = []*extensionsv1beta1.SandboxClaim{}
		}
		groups[k] = g
	}
	return groups, byTemplate
}

// judge is pool.Stale with a memory.
func (s *state) judge(template *extensionsv1beta1.SandboxTemplate, member *agentsv1beta1.Sandbox) bool {
	o := s.sandboxes[keyOf(member)]
	return o.blueprint != nil && o.blueprint.isStale(template, o.Sandbox)
}

// count adds a claim to the pools that served it, or that it wanted to be served from.
func (s *state) count(k key, row *rows.Row, groups map[key]*group, byTemplate map[key][]string, now time.Time) {
	claim := s.claims[k]
	switch row.Source {
	case rows.SourceWarm:
		from := key{Namespace: k.Namespace, Name: row.Pool}
		s.history.claim(row.UID, row.Created, now, from)
		g := groups[from]
		if g == nil {
			return
		}
		if row.Hit {
			g.warm++
		} else {
			g.cold++ // the member was not Ready: the claim waited
		}
		if g.facts.Claims != nil && g.facts.Sandboxes != nil {
			held := s.sandboxes[key{Namespace: k.Namespace, Name: row.Sandbox}].Sandbox
			g.facts.Claims, g.facts.Sandboxes = append(g.facts.Claims, claim), append(g.facts.Sandboxes, held)
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
		s.history.claim(row.UID, row.Created, now, wanted...)
	default: // no pool had to do with it
	}
}

// finishPools makes the rows of the pools, and says what is wrong with their templates.
func (s *state) finishPools(snapshot *Snapshot, groups map[key]*group, now time.Time) (faults map[key]string) {
	faults = map[key]string{}
	due, alive := s.history.due(now), make(map[types.UID]struct{}, len(groups))
	for k, g := range groups {
		summary := pool.Summarize(g.pool, &g.facts)
		alive[g.pool.UID] = struct{}{}
		if due {
			s.history.sample(g.pool.UID, summary.Ready)
		}
		template := key{Namespace: k.Namespace, Name: g.pool.Spec.TemplateRef.Name}
		if summary.Broken() && !summary.TemplateChanged && (faults[template] == "" || summary.Shortage < faults[template]) {
			faults[template] = summary.Shortage
		}
		snapshot.Pools = append(snapshot.Pools,
			rows.OfPool(&summary, g.warm, g.cold, s.history.ready[g.pool.UID], s.history.perMinute(k, now)))
	}
	s.history.keep(alive)
	return faults
}
