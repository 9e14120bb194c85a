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

// room is how many more members fit on the nodes.
type room struct {
	// Needs is what each member requests.
	Needs string `json:"needs"`
	capacity.Answer
	// Missing is how many members of a pool of the size to check do not fit.
	Missing int `json:"missing"`
}

// room calculates the room on the nodes. It returns nil without an error if there is no template or no node.
func (o *PlanOptions) room(ctx context.Context, a *factory.Clients, s *pool.Summary) (*room, error) {
	if s.Template == nil {
		return nil, nil
	}
	cluster, err := a.Observer.Capacity(ctx, a.Namespace)
	if err != nil || len(cluster.Nodes) == 0 {
		return nil, err
	}
	member, volumes, err := a.Pools.Member(ctx, a.Kubernetes, s)
	if err != nil {
		return nil, err
	}
	r := &room{Needs: capacity.Amounts(capacity.Requests(member)), Answer: capacity.Calculate(member, volumes, cluster)}
	if o.Replicas >= 0 {
		r.Missing = max(int(o.Replicas)-placed(s)-r.Fits, 0)
	}
	return r, nil
}

// placed returns how many members have a place on a node already.
func placed(s *pool.Summary) int {
	n := 0
	for _, member := range s.Members {
		if member.DeletionTimestamp == nil && len(member.Status.PodIPs) > 0 {
			n++
		}
	}
	return max(n, s.Ready)
}

// sections adds to the page how many more members fit, and why no more of them fit on each node.
func (r *room) sections(p *printing.Page) {
	p.Section("Room", []string{"Each requests:\t" + r.Needs, fmt.Sprintf("More fit:\t%d", r.Fits)})
	lines := []string{"NODE\tMORE\tWHY NOT MORE"}
	for _, node := range r.Nodes {
		lines = append(lines, fmt.Sprintf("%s\t%d\t%s", node.Name, node.Fits, node.Why))
	}
	p.Section("Nodes", lines)
	var remarks []string
	if r.Quota != "" {
		remarks = append(remarks, "a quota admits fewer than fit on the nodes: "+r.Quota)
	}
	for _, rule := range r.Unchecked {
		remarks = append(remarks, "not checked: "+rule)
	}
	p.Section("Remarks", remarks)
}
