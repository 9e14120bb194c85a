// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pool

import (
	"context"
	"fmt"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/printing"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/capacity"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/pool"
)

// room is where more members fit.
type room struct {
	// Needs are the requests of each member.
	Needs string `json:"needs"`
	capacity.Answer
	// Missing is how many of the members that were asked about do not fit.
	Missing int `json:"missing"`
}

// room looks at the nodes. It is nil without an error where there is no template or no node to look at.
func (o *PlanOptions) room(ctx context.Context, a *factory.Clients, s *pool.Summary) (*room, error) {
	if s.Template == nil {
		return nil, nil
	}
	facts, err := a.Observer.Capacity(ctx, a.Namespace)
	if err != nil || len(facts.Nodes) == 0 {
		return nil, err
	}
	member, volumes, err := a.Pools.Member(ctx, a.Kubernetes, s)
	if err != nil {
		return nil, err
	}
	r := &room{Needs: capacity.Amounts(capacity.Requests(member)), Answer: capacity.Calculate(member, volumes, facts)}
	if o.Replicas >= 0 {
		r.Missing = max(int(o.Replicas)-placed(s)-r.Fits, 0)
	}
	return r, nil
}

// placed are the members that have their place already.
func placed(s *pool.Summary) int {
	n := 0
	for _, member := range s.Members {
		if member.DeletionTimestamp == nil && len(member.Status.PodIPs) > 0 {
			n++
		}
	}
	return max(n, s.Ready)
}

// sections say how many more fit, and on each node why not more.
func (r *room) sections(p *printing.Page) {
	p.Section("Room", []string{"Each requests:\t" + r.Needs, fmt.Sprintf("More fit:\t%d", r.Fits)})
	lines := []string{"NODE\tMORE\tWHY NOT MORE THAN THAT"}
	for _, node := range r.Nodes {
		lines = append(lines, fmt.Sprintf("%s\t%d\t%s", node.Name, node.Fits, node.Why))
	}
	p.Section("Nodes", lines)
	var remarks []string
	if r.Quota != "" {
		remarks = append(remarks, "fewer than the nodes take are admitted: "+r.Quota)
	}
	for _, rule := range r.Unchecked {
		remarks = append(remarks, "not looked at: "+rule)
	}
	p.Section("Remarks", remarks)
}
