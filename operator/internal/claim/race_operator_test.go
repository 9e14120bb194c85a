// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"fmt"
	"time"

	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/simulation"
)

// raceOperator is one of the operators, with its cached versions of the claims.
type raceOperator struct {
	*world

	cachedClaims map[string]*extensionsv1beta1.SandboxClaim
	workers      []*worker
}

// worker is idle, or in a reconcile that is paused before a call of the API server.
type worker struct {
	claim  string
	next   func() (string, bool)
	stop   func()
	yield  func(string) bool
	answer moveKind // to its next write
}

// restartUpToDate kills the operator and starts it with an empty queue and a current cache.
func (o *raceOperator) restartUpToDate() {
	for _, w := range o.workers {
		if w.stop != nil {
			w.stop()
		}
		*w = worker{}
	}
	o.restart()
	o.leadsFor(-time.Second) // all claims are older
	o.cachedClaims = map[string]*extensionsv1beta1.SandboxClaim{}
	o.updateWholeCache()
}

func (o *raceOperator) updateWholeCache() {
	for what := range len(raceClaims) + len(raceSandboxes) {
		o.updateCache(what)
	}
}

func (o *raceOperator) updateCache(what int) {
	if what %= len(raceClaims) + len(raceSandboxes); what < len(raceClaims) {
		o.cachedClaims[raceClaims[what]] = o.claim(raceClaims[what])
		return
	}
	name := raceSandboxes[what-len(raceClaims)]
	o.showQueue(name, o.freezeSandbox(name))
}

// pauseBefore pauses the reconcile before a call. If the operator is killed meanwhile, the reconcile ends.
func (w *worker) pauseBefore(call string) {
	if !w.yield(call) {
		panic(simulation.ErrKilled)
	}
}

// settleAll reconciles all claims until nothing is written any more, and returns what fails.
func (o *raceOperator) settleAll() (problems []string) {
	o.restart()
	for range 20 {
		before := len(o.writes)
		for _, claim := range raceClaims {
			if _, err := o.reconcile(claim); err != nil {
				problems = append(problems, fmt.Sprintf("at rest: pass of %s: %v", claim, err))
			}
		}
		if len(o.writes) == before {
			return problems
		}
		o.syncQueue()
	}
	return append(problems, "it never comes to rest")
}
