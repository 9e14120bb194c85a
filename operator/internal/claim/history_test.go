// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/simulation"
	"github.com/agent-sandbox/kubectl-sandbox/test/soak"
)

// history is a random history of claims, members and operators over one API server.
type history struct {
	t         *testing.T
	rand      *rand.Rand
	operators []*world
	// cachedClaims is each operator's cached version of each claim. It lags, and never goes back.
	cachedClaims []map[string]*extensionsv1beta1.SandboxClaim
	log          []string
	created      int
	depth        int
	faultless    bool // every write succeeds
}

func newHistory(t *testing.T, seed uint64, operators int) *history {
	tr := &history{t: t, rand: rand.New(rand.NewPCG(seed, 0))}
	for i := range operators {
		w := newWorld(t, newTemplate(), newPool("p"))
		if i > 0 {
			w.store, w.createdCount, w.promises = tr.operators[0].store, tr.operators[0].createdCount, tr.operators[0].promises
			w.restart()
		}
		w.promises.severalOperators = operators > 1
		tr.operators, tr.cachedClaims = append(tr.operators, w), append(
			tr.cachedClaims, map[string]*extensionsv1beta1.SandboxClaim{},
		)
	}
	return tr
}

func (tr *history) chance(percent int) bool { return tr.rand.IntN(100) < percent }

func (tr *history) logf(format string, args ...any) {
	tr.log = append(tr.log, fmt.Sprintf(format, args...))
}

// step simulates one random event of a cluster.
func (tr *history) step() {
	w := tr.operators[0]
	claims, sandboxes := w.claims(), w.sandboxes()
	switch n := tr.rand.IntN(100); {
	case n < 10 && len(claims) < 5:
		tr.created++
		name := fmt.Sprintf("c%d", tr.created)
		tr.logf("create claim %s", name)
		w.create(newClaim(name))
	case n < 20 && len(sandboxes) < 8:
		tr.created++
		name := fmt.Sprintf("p-%d", tr.created)
		tr.logf("create member %s", name)
		w.create(newMember(name, newPool("p")))
	case n < 24 && len(sandboxes) > 0:
		name := sandboxes[tr.rand.IntN(len(sandboxes))].Name
		tr.logf("delete Sandbox %s", name)
		w.deleteSandbox(name)
	case n < 28 && len(claims) > 0:
		tr.deleteClaim(claims[tr.rand.IntN(len(claims))])
	case n < 36 && len(sandboxes) > 0:
		s := sandboxes[tr.rand.IntN(len(sandboxes))]
		tr.logf("Sandbox %s reports", s.Name)
		w.updateSandbox(s.Name, []sandboxOption{ready, notReady, withoutIP}[tr.rand.IntN(3)])
	case n < 40:
		i := tr.rand.IntN(len(tr.operators))
		tr.logf("restart operator %d", i)
		tr.restart(i)
	case n < 55:
		tr.toggleLag(tr.rand.IntN(len(tr.operators)), claims, sandboxes)
	default:
		if len(claims) > 0 {
			tr.pass(tr.rand.IntN(len(tr.operators)), claims[tr.rand.IntN(len(claims))].Name)
		}
	}
}

// deleteClaim deletes a claim and its Sandboxes, as the API server and the garbage collector do.
func (tr *history) deleteClaim(claim extensionsv1beta1.SandboxClaim) {
	w := tr.operators[0]
	tr.logf("delete claim %s", claim.Name)
	if err := w.store.Delete(context.Background(), &claim); err != nil {
		tr.t.Fatal(err)
	}
	for _, name := range w.ownedBy(string(claim.UID)) {
		w.deleteSandbox(name)
	}
}

func (tr *history) restart(i int) {
	tr.operators[i].restart()
	tr.operators[i].leadsFor(-time.Second) // all claims are older
	clear(tr.cachedClaims[i])
}

// toggleLag stops or resumes the updates of one object in an operator's cache.
func (tr *history) toggleLag(i int, claims []extensionsv1beta1.SandboxClaim, sandboxes []agentsv1beta1.Sandbox) {
	w := tr.operators[i]
	var names []string
	for _, c := range claims {
		names = append(names, c.Name)
	}
	for _, s := range sandboxes {
		names = append(names, s.Name)
	}
	if len(names) == 0 {
		return
	}
	name := names[tr.rand.IntN(len(names))]
	if _, lags := w.staleSandboxes[name]; lags {
		tr.logf("operator %d sees Sandbox %s as it is", i, name)
		delete(w.staleSandboxes, name)
		w.syncQueue()
		return
	}
	tr.logf("operator %d sees no news of Sandbox %s", i, name)
	w.freezeSandbox(name)
}

// pass lets an operator reconcile the cached version of a claim, with random answers of the API server.
func (tr *history) pass(i int, name string) {
	w := tr.operators[i]
	if tr.cachedClaims[i][name] == nil || tr.chance(70) {
		tr.cachedClaims[i][name] = w.claim(name)
	}
	tr.logf("operator %d looks at %s", i, name)
	w.onWrite = func(write string, do func() error) error { return tr.answerWrite(i, write, do) }
	killed := simulation.Killed(func() {
		if _, err := w.reconciler.Reconcile(context.Background(), tr.cachedClaims[i][name].DeepCopy()); err != nil {
			tr.logf("  error: %v", err)
		}
	})
	w.onWrite = nil
	if killed {
		tr.restart(i)
	}
}

func (tr *history) answerWrite(i int, write string, do func() error) error {
	if tr.faultless {
		return do()
	}
	tr.interrupt(i)
	switch n := tr.rand.IntN(100); {
	case n < 4:
		tr.logf("  %s: killed before", write)
		panic(simulation.ErrKilled)
	case n < 8:
		tr.logf("  %s: killed after %v", write, do())
		panic(simulation.ErrKilled)
	case n < 12:
		tr.logf("  %s: refused", write)
		return apierrors.NewInternalError(errors.New("ill"))
	case n < 16:
		tr.logf("  %s: %v, and the answer is lost", write, do())
		return context.DeadlineExceeded
	default:
		err := do()
		tr.logf("  %s: %v", write, err)
		tr.check()
		tr.interrupt(i)
		return err
	}
}

// interrupt simulates an event between two writes of a reconcile.
func (tr *history) interrupt(i int) {
	if tr.depth > 0 || !tr.chance(25) {
		return
	}
	tr.depth++
	defer func() { tr.depth-- }()
	w := tr.operators[0]
	claims, sandboxes := w.claims(), w.sandboxes()
	switch other := (i + 1) % len(tr.operators); {
	case other != i && len(claims) > 0 && tr.chance(70):
		tr.pass(other, claims[tr.rand.IntN(len(claims))].Name)
	case len(sandboxes) > 0:
		s := sandboxes[tr.rand.IntN(len(sandboxes))]
		tr.logf("Sandbox %s reports", s.Name)
		w.updateSandbox(s.Name, []sandboxOption{ready, notReady}[tr.rand.IntN(2)])
	}
}

// check fails the test if an invariant is violated.
func (tr *history) check() {
	tr.t.Helper()
	for _, problem := range tr.operators[0].violations() {
		tr.t.Error(problem)
	}
}

// finish settles the cluster, and checks that every claim has its Sandbox and that the queue has all warm members.
func (tr *history) finish() {
	tr.faultless = true
	w := tr.operators[0]
	for i := range tr.operators {
		tr.restart(i)
	}
	w.settle()
	w.checkOneToOne()
	warm := 0
	for _, s := range w.sandboxes() {
		if _, ok := queueMember(&s); ok {
			warm++
		}
	}
	for _, c := range w.claims() {
		if len(w.ownedBy(string(c.UID))) != 1 {
			tr.t.Errorf("claim %s has no Sandbox: %q", c.Name, conditionStrings(c.Status.Conditions))
		}
	}
	if w.queue.Len() != warm {
		tr.t.Errorf("%d members are warm, %d in the queue", warm, w.queue.Len())
	}
}

func TestRandomHistories(t *testing.T) {
	for operators := 1; operators <= 2; operators++ {
		for seed := range soak.Rounds(t, 4, 100) {
			t.Run(fmt.Sprintf("%d operators, seed %d", operators, seed), func(t *testing.T) {
				tr := newHistory(t, seed, operators)
				for range 120 {
					tr.step()
					tr.check()
					if t.Failed() {
						break
					}
				}
				if !t.Failed() {
					tr.finish()
				}
				if t.Failed() {
					for _, line := range tr.log {
						t.Log(line)
					}
				}
			})
			if t.Failed() {
				return
			}
		}
	}
}
