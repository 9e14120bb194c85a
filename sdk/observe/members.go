// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"context"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/diagnose"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/pool"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// AddObstacles adds to the inventory of a namespace, or of all if it is empty, what only events, volumes and Pods tell:
// that the API server rejects members of pools, and what blocks members. What the caller may not read is left out.
func (o *Observer) AddObstacles(ctx context.Context, namespace string, f *pool.Inventory) {
	f.Rejections = o.Rejections(ctx, namespace)
	var targets []*resolve.Target
	for _, member := range f.Sandboxes {
		owner := metav1.GetControllerOf(member)
		if owner != nil && owner.Kind == apis.KindSandboxWarmPool && pool.VerdictOf(member, f.Now) == diagnose.Starting {
			targets = append(targets, &resolve.Target{Namespace: member.Namespace, Sandbox: member})
		}
	}
	f.Obstacles = map[types.UID]pool.Obstacle{}
	for i, snapshot := range o.Snapshots(ctx, namespace, targets) {
		member := targets[i].Sandbox
		if obstacle, blocked := MemberObstacle(member.Name, diagnose.Of(snapshot)); blocked {
			f.Obstacles[member.UID] = obstacle
		}
	}
}

// MemberObstacle returns what blocks a member according to its diagnosis, in words that do not depend on its name if
// they are about its Pod: members of a pool usually share a cause.
func MemberObstacle(name string, d diagnose.Diagnosis) (obstacle pool.Obstacle, blocked bool) {
	text := strings.TrimPrefix(d.Obstacle, "Pod "+name+": ")
	return pool.Obstacle{Verdict: d.Verdict, Text: text}, d.Verdict == diagnose.Blocked
}
