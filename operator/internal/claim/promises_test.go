// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"fmt"

	"k8s.io/apimachinery/pkg/types"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
)

// promises are the Sandboxes that statuses of claims have named. All operators of a history share them.
type promises struct {
	severalOperators bool
	made             map[types.UID]types.UID // by claim, the Sandbox that its status named last
	deletedByUser    map[types.UID]bool
}

func newPromises() *promises {
	return &promises{made: map[types.UID]types.UID{}, deletedByUser: map[types.UID]bool{}}
}

// broken lists promises that the operators have broken: a status that names another Sandbox although the first one is
// there, and a Sandbox that no user deleted and that is gone.
func (p *promises) broken(
	claims []extensionsv1beta1.SandboxClaim, sandboxes []agentsv1beta1.Sandbox,
) (problems []string) {
	there := map[types.UID]bool{}
	for i := range sandboxes {
		there[sandboxes[i].UID] = sandboxes[i].DeletionTimestamp == nil
	}
	for i := range claims {
		c := &claims[i]
		promised, named := p.made[c.UID], c.Status.SandboxStatus.UID
		if promised != "" && named != promised && there[promised] {
			problems = append(problems, fmt.Sprintf("the status of %s names %s instead of %s, which is there",
				c.Name, c.Status.SandboxStatus.Name, promised))
		}
		if _, exists := there[promised]; promised != "" && !exists && !p.deletedByUser[promised] {
			problems = append(problems, fmt.Sprintf("Sandbox %s of %s is gone, and no user deleted it", promised, c.Name))
		}
		if named != "" {
			p.made[c.UID] = named
		}
	}
	return problems
}
