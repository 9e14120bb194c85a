// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package router

import (
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

// objects are a Sandbox "box", one that is suspended, one that has expired, one that has finished, and a claim "warm".
// Those that run do so on loopback.
func objects() (sandboxes, pods []runtime.Object) {
	since := time.Unix(0, 0)
	ready := builders.WithCondition(apis.ConditionReady, true, apis.ReasonDependenciesReady, "", since)
	status := builders.WithSandboxStatus(agentsv1beta1.SandboxStatus{PodIPs: []string{"127.0.0.1"}})
	claim := builders.Claim("warm", "t", builders.WithUID("c-warm"))
	claim.Status.SandboxStatus = extensionsv1beta1.SandboxStatus{Name: "pool-1", UID: "s-pool-1"}
	box := builders.Sandbox("box", builders.WithUID("s-box"), status, ready)
	member := builders.Sandbox("pool-1", builders.WithUID("s-pool-1"), builders.OwnedBy(claim), status, ready)
	other := builders.Sandbox("box", builders.WithUID("s-other"), builders.InNamespace("team-b"), status, ready)
	sandboxes = []runtime.Object{
		box, member, other, claim, builders.Claim("new", "t", builders.WithUID("c-new")),
		builders.Sandbox("asleep", builders.WithUID("s-asleep"), builders.WithReplicas(0)),
		builders.Sandbox("starting", builders.WithUID("s-starting")),
		builders.Sandbox("expired", builders.WithUID("s-expired"),
			builders.WithCondition(apis.ConditionReady, false, apis.ReasonSandboxExpired, "", since)),
		builders.Sandbox("finished", builders.WithUID("s-finished"),
			builders.WithCondition(apis.ConditionFinished, true, apis.ReasonPodSucceeded, "", since)),
	}
	for _, s := range []*agentsv1beta1.Sandbox{box, member, other} {
		pods = append(pods, builders.Pod(s.Name, builders.OwnedBy(s), builders.Ready("127.0.0.1"),
			builders.InNamespace(s.Namespace)))
	}
	return sandboxes, pods
}
