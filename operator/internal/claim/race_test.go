// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/test/simulation"
	"github.com/agent-sandbox/kubectl-sandbox/test/soak"
)

// Three claims race for two warm members, with two operators at once, as without leader election. A history is a list
// of moves. Each move is valid after any others, so that a failing history can be shrunk.

var (
	raceClaims    = [...]string{"c1", "c2", "c3"}
	raceSandboxes = [...]string{"p-1", "p-2", "c1", "c2", "c3"} // the members, and the Sandboxes of cold starts
)

type moveKind int

const (
	proceed        moveKind = iota // a worker continues to its next call of the API server, or starts a reconcile
	loseResponse                   // it continues; the answer to its write is lost
	failWrite                      // it continues; its write fails
	complete                       // it continues to the end of its reconcile
	kill                           // the operator is killed and restarted
	show                           // an operator's cache is updated with one object
	showAll                        // an operator's cache is updated with all objects
	sandboxReports                 // a Sandbox reports a status, so its version changes
)

// move is one event of a history.
type move struct {
	deed                   moveKind
	operator, worker, what int
}

func (m move) String() string {
	what := [...]string{
		"goes on", "goes on, the answer is lost", "goes on, refused", "completes its pass", "is killed", "is shown",
		"is shown all", "-",
	}
	return fmt.Sprintf("operator %d worker %d %s (%d)", m.operator, m.worker, what[m.deed], m.what)
}

func randomMoves(seed uint64, workers int) []move {
	random := rand.New(rand.NewPCG(seed, uint64(workers)))
	weights := [...]moveKind{
		proceed,
		proceed,
		proceed,
		proceed,
		proceed,
		proceed,
		proceed,
		proceed,
		proceed,
		proceed,
		loseResponse,
		failWrite,
		complete,
		complete,
		kill,
		show,
		show,
		show,
		showAll,
		sandboxReports,
	}
	moves := make([]move, 120)
	for i := range moves {
		moves[i] = move{
			weights[random.IntN(len(weights))], random.IntN(2), random.IntN(workers),
			random.IntN(len(raceClaims) * len(raceSandboxes)),
		}
	}
	return moves
}

// race plays moves.
type race struct {
	operators []*raceOperator
	log       []string
	problem   string // the first one
}

func newRace(t *testing.T, workers int) *race {
	r := &race{}
	for i := range 2 {
		o := &raceOperator{
			world: newWorld(
				t, newTemplate(), newPool("p"), newMember("p-1", newPool("p"), olderBy(1)), newMember("p-2", newPool("p")),
				newClaim("c1"), newClaim("c2"), newClaim("c3"),
			),
		}
		if i > 0 {
			o.store, o.createdCount, o.promises = r.operators[0].store, r.operators[0].createdCount, r.operators[0].promises
		}
		o.promises.severalOperators = true
		for range workers {
			o.workers = append(o.workers, &worker{})
		}
		o.restartUpToDate()
		r.operators = append(r.operators, o)
	}
	return r
}

func (r *race) logf(format string, args ...any) { r.log = append(r.log, fmt.Sprintf(format, args...)) }

func (r *race) fail(problems ...string) {
	if r.problem == "" && len(problems) > 0 {
		r.problem = problems[0]
		r.logf("BROKEN: %q", problems)
	}
}

func (r *race) play(m move) {
	o := r.operators[m.operator]
	switch m.deed {
	case proceed, loseResponse, failWrite:
		r.step(m)
	case complete:
		for range 40 {
			if !r.step(m) {
				return
			}
		}
		r.fail("a pass does not end")
	case kill:
		r.logf("operator %d is killed", m.operator)
		o.restartUpToDate()
	case show:
		o.updateCache(m.what)
	case showAll:
		o.updateWholeCache()
	case sandboxReports:
		if name := raceSandboxes[m.what%len(raceSandboxes)]; len(r.ownersOf(name)) > 0 {
			r.logf("Sandbox %s reports", name)
			o.updateSandbox(name, []sandboxOption{ready, notReady}[m.what%2])
		}
	}
}

// ownersOf returns the owners of the Sandbox of the name, or nothing if there is none.
func (r *race) ownersOf(name string) (owners []string) {
	for _, s := range r.operators[0].sandboxes() {
		if s.Name == name {
			owners = append(owners, ownerNames(&s))
		}
	}
	return owners
}

// step lets a worker continue to its next call, and reports whether its reconcile continues after that.
func (r *race) step(m move) bool {
	o := r.operators[m.operator]
	w := o.workers[m.worker]
	if w.next == nil {
		name := raceClaims[m.what%len(raceClaims)]
		for _, other := range o.workers {
			if other.claim == name {
				return false // a work queue gives a claim to one worker at a time
			}
		}
		r.begin(m.operator, w, name)
	}
	w.answer = m.deed
	o.beforeRead = w.pauseBefore
	o.onWrite = func(write string, do func() error) error { return r.write(m.operator, w, write, do) }
	_, more := w.next()
	if !more {
		*w = worker{}
	}
	return more
}

// write pauses the reconcile before a write, and answers it as the move that continues it requires.
func (r *race) write(operator int, w *worker, what string, do func() error) (err error) {
	w.pauseBefore(what)
	switch w.answer {
	case failWrite:
		err = apierrors.NewInternalError(errors.New("ill"))
	case loseResponse:
		r.logf("  operator %d, %s: %s: %v, and the answer is lost", operator, w.claim, what, do())
		err = context.DeadlineExceeded
	default:
		err = do()
	}
	r.logf("  operator %d, %s: %s: %v", operator, w.claim, what, err)
	r.fail(r.operators[0].violations()...)
	return err
}

// begin lets a worker reconcile the cached version of a claim. The reconcile pauses before each call.
func (r *race) begin(operator int, w *worker, name string) {
	o := r.operators[operator]
	claim, reconciler := o.cachedClaims[name].DeepCopy(), o.reconciler
	w.claim = name
	w.next, w.stop = iter.Pull(func(yield func(string) bool) {
		w.yield = yield
		simulation.Killed(func() {
			_, err := reconciler.Reconcile(context.Background(), claim)
			r.logf("operator %d reconciled %s: %v", operator, name, err)
		})
	})
}

// finish settles the cluster and checks the result. With one worker, no operator holds a lease that it releases, so
// only claims that no member is left for start cold. A member that both operators adopted for one claim is a duplicate.
func (r *race) finish(workers int) {
	for _, o := range r.operators {
		o.restartUpToDate()
	}
	for _, o := range r.operators {
		r.fail(o.settleAll()...)
	}
	warm, cold, duplicates := 0, 0, 2
	o := r.operators[0]
	for _, s := range o.sandboxes() {
		switch s.Labels[apis.LabelLaunchType] {
		case apis.LaunchTypeWarm:
			warm++
		case apis.LaunchTypeCold:
			cold++
		}
		if s.Name == "p-1" || s.Name == "p-2" {
			duplicates--
		}
	}
	for _, c := range o.claims() {
		if owned := o.ownedBy(string(c.UID)); len(owned) != 1 || c.Status.SandboxStatus.Name != owned[0] ||
			c.AssignedSandbox() != owned[0] {
			r.fail(
				fmt.Sprintf(
					"claim %s owns %v, its status says %q and its record %q", c.Name, owned, c.Status.SandboxStatus.Name,
					c.AssignedSandbox(),
				),
			)
		}
	}
	if warm+cold != 3 || warm > 2 || (workers == 1 && warm+duplicates != 2) {
		r.fail(fmt.Sprintf("%d claims started warm and %d cold, %d members were duplicates", warm, cold, duplicates))
	}
}

// playRace plays a history to its end or to its first problem.
func playRace(t *testing.T, workers int, moves []move) *race {
	t.Helper()
	r := newRace(t, workers)
	for _, m := range moves {
		if r.play(m); r.problem != "" {
			break
		}
	}
	if r.problem == "" {
		r.finish(workers)
	}
	for _, o := range r.operators {
		for _, w := range o.workers {
			if w.stop != nil {
				w.stop()
			}
		}
	}
	return r
}

func TestThreeClaimsOnTwoWarmMembers(t *testing.T) {
	for workers := 1; workers <= 2; workers++ {
		for seed := range soak.Rounds(t, 50, 1000) {
			moves := randomMoves(seed, workers)
			if playRace(t, workers, moves).problem == "" {
				continue
			}
			moves = soak.Shrink(moves, func(moves []move) bool { return playRace(t, workers, moves).problem != "" })
			r := playRace(t, workers, moves)
			t.Errorf("seed %d with %d workers: %s\nafter the moves %v", seed, workers, r.problem, moves)
			for _, line := range r.log {
				t.Log(line)
			}
			return
		}
	}
}
