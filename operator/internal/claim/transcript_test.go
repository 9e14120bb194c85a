// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/soak"
)

// transcript is a random history of claims, members and operators over one API server.
type transcript struct {
	t         *testing.T
	rand      *rand.Rand
	operators []*world
	// known is each operator's cached version of each claim: it moves forward only, and not at once.
	known []map[string]*extensionsv1beta1.SandboxClaim
	log   []string
	made  int
	depth int
	calm  bool // nothing goes wrong
}

func newTranscript(t *testing.T, seed uint64, operators int) *transcript {
	tr := &transcript{t: t, rand: rand.New(rand.NewPCG(seed, 0))}
	for i := range operators {
		w := newWorld(t, template(), pool("p"))
		if i > 0 {
			w.store, w.made = tr.operators[0].store, tr.operators[0].made
			w.restart()
		}
		tr.operators, tr.known = append(tr.operators, w), append(tr.known, map[string]*extensionsv1beta1.SandboxClaim{})
	}
	return tr
}

func (tr *transcript) chance(percent int) bool { return tr.rand.IntN(100) < percent }

func (tr *transcript) note(format string, args ...any) {
	tr.log = append(tr.log, fmt.Sprintf(format, args...))
}

// act does one thing that happens in a cluster.
func (tr *transcript) act() {
	w := tr.operators[0]
	claims, sandboxes := w.claims(), w.sandboxes()
	switch n := tr.rand.IntN(100); {
	case n < 10 && len(claims) < 5:
		tr.made++
		name := fmt.Sprintf("c%d", tr.made)
		tr.note("create claim %s", name)
		w.create(claimOf(name))
	case n < 20 && len(sandboxes) < 8:
		tr.made++
		name := fmt.Sprintf("p-%d", tr.made)
		tr.note("create member %s", name)
		w.create(member(name, pool("p")))
	case n < 24 && len(sandboxes) > 0:
		name := sandboxes[tr.rand.IntN(len(sandboxes))].Name
		tr.note("delete Sandbox %s", name)
		w.remove(name)
	case n < 28 && len(claims) > 0:
		tr.deleteClaim(claims[tr.rand.IntN(len(claims))])
	case n < 36 && len(sandboxes) > 0:
		s := sandboxes[tr.rand.IntN(len(sandboxes))]
		tr.note("Sandbox %s reports", s.Name)
		w.change(s.Name, []change{ready, notReady, withoutIP}[tr.rand.IntN(3)])
	case n < 40:
		i := tr.rand.IntN(len(tr.operators))
		tr.note("restart operator %d", i)
		tr.restart(i)
	case n < 55:
		tr.lag(tr.rand.IntN(len(tr.operators)), claims, sandboxes)
	default:
		if len(claims) > 0 {
			tr.pass(tr.rand.IntN(len(tr.operators)), claims[tr.rand.IntN(len(claims))].Name)
		}
	}
}

// deleteClaim is what the API server and its garbage collector do.
func (tr *transcript) deleteClaim(claim extensionsv1beta1.SandboxClaim) {
	w := tr.operators[0]
	tr.note("delete claim %s", claim.Name)
	if err := w.store.Delete(context.Background(), &claim); err != nil {
		tr.t.Fatal(err)
	}
	for _, name := range w.owned(string(claim.UID)) {
		w.remove(name)
	}
}

func (tr *transcript) restart(i int) {
	tr.operators[i].restart()
	clear(tr.known[i])
}

// lag holds an operator's view of one Sandbox back, or lets it catch up.
func (tr *transcript) lag(i int, claims []extensionsv1beta1.SandboxClaim, sandboxes []agentsv1beta1.Sandbox) {
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
	if _, lags := w.lagging[name]; lags {
		tr.note("operator %d sees Sandbox %s as it is", i, name)
		delete(w.lagging, name)
		w.watch()
		return
	}
	tr.note("operator %d sees no news of Sandbox %s", i, name)
	w.hold(name)
}

// pass has an operator look at a claim, as far as its cache shows it, while the API server answers as it likes.
func (tr *transcript) pass(i int, name string) {
	w := tr.operators[i]
	if tr.known[i][name] == nil || tr.chance(70) {
		tr.known[i][name] = w.claim(name)
	}
	tr.note("operator %d looks at %s", i, name)
	w.intercept = func(write string, do func() error) error { return tr.answer(i, write, do) }
	defer func() {
		w.intercept = nil
		if p := recover(); p != nil {
			if err, ok := p.(error); !ok || !errors.Is(err, errKilled) {
				panic(p)
			}
			tr.restart(i)
		}
	}()
	_, err := w.reconciler.Reconcile(context.Background(), tr.known[i][name].DeepCopy())
	if err != nil {
		tr.note("  error: %v", err)
	}
}

func (tr *transcript) answer(i int, write string, do func() error) error {
	if tr.calm {
		return do()
	}
	tr.interrupt(i)
	switch n := tr.rand.IntN(100); {
	case n < 4:
		tr.note("  %s: killed before", write)
		panic(errKilled)
	case n < 8:
		tr.note("  %s: killed after %v", write, do())
		panic(errKilled)
	case n < 12:
		tr.note("  %s: refused", write)
		return apierrors.NewInternalError(errors.New("ill"))
	case n < 16:
		tr.note("  %s: %v, and the answer is lost", write, do())
		return context.DeadlineExceeded
	default:
		err := do()
		tr.note("  %s: %v", write, err)
		tr.check()
		tr.interrupt(i)
		return err
	}
}

// interrupt lets something else happen between two writes of a pass.
func (tr *transcript) interrupt(i int) {
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
		tr.note("Sandbox %s reports", s.Name)
		w.change(s.Name, []change{ready, notReady}[tr.rand.IntN(2)])
	}
}

// check is the law, at every moment.
func (tr *transcript) check() {
	tr.t.Helper()
	for _, problem := range tr.operators[0].broken() {
		tr.t.Error(problem)
	}
}

// finish lets the cluster come to rest: every claim has its Sandbox, and no member was lost on the way.
func (tr *transcript) finish() {
	tr.calm = true
	w := tr.operators[0]
	for i := range tr.operators {
		tr.restart(i)
	}
	w.settle()
	w.oneToOne()
	warm := 0
	for _, s := range w.sandboxes() {
		if _, ok := asMember(&s); ok {
			warm++
		}
	}
	for _, c := range w.claims() {
		if len(w.owned(string(c.UID))) != 1 {
			tr.t.Errorf("claim %s has no Sandbox: %q", c.Name, words(c.Status.Conditions))
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
				tr := newTranscript(t, seed, operators)
				for range 120 {
					tr.act()
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
