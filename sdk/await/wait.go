// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package await

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/apis/client/clientset/versioned"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/diagnose"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/observe"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// pollInterval is how often the objects are read without an event: for users who may not watch, and for changes that no
// watch reports (the operator's health, the passing of time).
const pollInterval = 3 * time.Second

// progressDelay is how long nothing is reported: most waits are over by then.
const progressDelay = 2 * time.Second

// Request describes what to wait for.
type Request struct {
	Namespace string
	Ref       resolve.Ref
	Goal      Goal
	// UID is the object to wait for; empty means the first one found.
	UID types.UID
	// Timeout limits the waiting: zero means one look, a negative value no limit.
	Timeout time.Duration
	// GiveUp ends waiting for readiness if the obstacle stays until somebody changes something: an image that does not
	// exist, a full quota, a missing template.
	GiveUp bool
	// Progress, if set, receives the obstacle whenever it changes.
	Progress func(obstacle string)
}

// Waiter waits for goals.
type Waiter struct {
	sandboxes  versioned.Interface
	kubernetes kubernetes.Interface
	resolver   *resolve.Resolver
	observer   *observe.Observer
	clock      clock.WithTicker
}

// New returns a Waiter. All arguments are required.
func New(sandboxes versioned.Interface, kubernetes kubernetes.Interface, clock clock.WithTicker) *Waiter {
	return &Waiter{
		sandboxes: sandboxes, kubernetes: kubernetes, clock: clock,
		resolver: resolve.New(sandboxes, kubernetes, clock), observer: observe.New(sandboxes, kubernetes, clock),
	}
}

// For waits until the goal is reached and returns the objects as they were then; for Deleted it returns nil. Its errors
// are *UnreachableError, *TimeoutError, the context's error, or those of reads.
func (w *Waiter) For(ctx context.Context, r Request) (*resolve.Target, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	watches := newWatches(ctx, w)
	tick := w.clock.NewTicker(pollInterval)
	defer tick.Stop()
	reads, late := w.withTimeout(ctx, r.Timeout)
	var hoping giveUpTimer
	progress := progressReporter{report: r.Progress, start: w.clock.Now().Add(progressDelay)}
	for first := true; ; first = false {
		target, err := w.read(reads, &r, first)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil && reads.Err() != nil:
			return nil, &TimeoutError{Name: r.Ref.String(), Goal: r.Goal, After: r.Timeout, Obstacle: progress.last}
		case err == nil:
			if done, err := decide(r.Goal, r.Ref.String(), r.UID, target, w.clock.Now()); done || err != nil {
				return target, err
			}
			obstacle, lasting := w.obstacle(reads, r.Goal, target)
			if r.GiveUp && hoping.expired(obstacle, lasting, w.clock.Now()) {
				return target, &UnreachableError{
					Name: r.Ref.String(), Goal: r.Goal, Why: obstacle, next: "status " + r.Ref.String(),
				}
			}
			progress.update(obstacle, w.clock.Now())
			watches.follow(target)
		case first || !transient(err):
			return nil, err
		default:
			progress.update(fmt.Sprintf("the API server does not answer, trying again: %v", err), w.clock.Now())
		}
		if r.Timeout == 0 {
			return nil, &TimeoutError{Name: r.Ref.String(), Goal: r.Goal, Obstacle: progress.last}
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-late:
			return nil, &TimeoutError{Name: r.Ref.String(), Goal: r.Goal, After: r.Timeout, Obstacle: progress.last}
		case <-watches.changed:
		case <-tick.C():
		}
	}
}

// withTimeout returns a context for reads that ends when the time is over, and a channel that is closed then. So an API
// server that does not answer cannot extend the waiting.
func (w *Waiter) withTimeout(ctx context.Context, timeout time.Duration) (context.Context, <-chan struct{}) {
	if timeout <= 0 {
		return ctx, nil
	}
	reads, stop := context.WithCancel(ctx)
	timer, late := w.clock.NewTimer(timeout), make(chan struct{})
	go func() {
		defer stop()
		defer timer.Stop()
		select {
		case <-timer.C():
			close(late)
		case <-ctx.Done():
		}
	}()
	return reads, late
}

// read returns the objects, or nil if the object is gone. The first read pins the object: once a claim is gone, a
// Sandbox of the same name must not be taken for it.
func (w *Waiter) read(ctx context.Context, r *Request, first bool) (*resolve.Target, error) {
	target, err := w.resolver.ReadableObjects(ctx, r.Namespace, r.Ref)
	if resolve.Is(err, resolve.NotFound) && (!first || r.UID != "" || r.Goal == Deleted) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if r.UID == "" {
		r.UID = target.UID()
	}
	return target, nil
}

// obstacle returns what keeps the goal from being reached, and whether it stays until somebody changes something.
func (w *Waiter) obstacle(ctx context.Context, goal Goal, t *resolve.Target) (text string, lasting bool) {
	switch goal {
	case Ready:
		d := diagnose.Of(w.observer.Snapshot(ctx, t))
		return d.Obstacle, d.Lasting
	case Suspended:
		if problem := w.operatorProblem(ctx, t); problem != "" {
			return problem, false
		}
		if t.Sandbox != nil {
			if asked, _ := t.Sandbox.Spec.SuspensionRequested(); !asked {
				return "nobody has asked for its suspension", false
			}
		}
		if t.Pod != nil {
			return "its Pod has not ended yet", false
		}
		return "the operator has not confirmed it yet", false
	case Deleted:
		if t.Pod != nil {
			return "its Pod still exists", false
		}
		return "it still exists", false
	default:
		return "it has not ended yet", false
	}
}

// operatorProblem returns why no operator will answer to the latest change of the target; empty if it has answered, or
// if no problem is known.
func (w *Waiter) operatorProblem(ctx context.Context, t *resolve.Target) string {
	if !observe.OperatorSilent(t) {
		return ""
	}
	_, problem := w.observer.Operator(ctx, t.Namespace)
	return problem.Message
}

// giveUpDelay is how long a lasting obstacle must persist before the waiting ends: the operator may not have seen a new
// object yet, and the kubelet tries more than once.
const giveUpDelay = 3 * time.Second

// giveUpTimer expires when a lasting obstacle has persisted for giveUpDelay.
type giveUpTimer struct {
	running bool
	since   time.Time
}

func (h *giveUpTimer) expired(obstacle string, lasting bool, now time.Time) bool {
	if obstacle == "" || !lasting {
		h.running = false
		return false
	}
	if !h.running {
		h.running, h.since = true, now
	}
	return now.Sub(h.since) >= giveUpDelay
}

// transient reports whether the same read may succeed later: the API server is absent or overloaded, and has not
// refused it.
func transient(err error) bool {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		var own *resolve.Error
		return !errors.As(err, &own)
	}
	return apierrors.IsServerTimeout(err) || apierrors.IsTimeout(err) || apierrors.IsTooManyRequests(err) ||
		apierrors.IsServiceUnavailable(err) || apierrors.IsInternalError(err)
}

// progressReporter reports each obstacle once, because the kubelet alternates between two reasons for the same failure.
type progressReporter struct {
	report   func(string)
	start    time.Time
	last     string
	reported map[string]bool
}

func (t *progressReporter) update(obstacle string, now time.Time) {
	t.last = obstacle
	if obstacle == "" || t.report == nil || t.reported[obstacle] || now.Before(t.start) {
		return
	}
	if t.reported == nil {
		t.reported = map[string]bool{}
	}
	t.reported[obstacle] = true
	t.report(obstacle)
}
