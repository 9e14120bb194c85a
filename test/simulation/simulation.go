// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package simulation holds what the reconcilers' tests share: the simulated death of an operator at one of its writes,
// and the wait until reconciling changes nothing any more.
package simulation

import (
	"errors"
	"testing"
)

// ErrKilled is the value of the panic that simulates the death of an operator.
var ErrKilled = errors.New("killed")

// Interceptor decides about a write of a reconciler: do carries it out on the API server. The result is the server's
// answer.
type Interceptor = func(write string, do func() error) error

// KillAt returns an interceptor that panics with ErrKilled at the n-th write: after the API server has carried it out,
// or before.
func KillAt(n int, after bool) Interceptor {
	writes := 0
	return func(_ string, do func() error) error {
		if writes++; writes < n {
			return do()
		}
		if after {
			_ = do()
		}
		panic(ErrKilled)
	}
}

// CutOff returns an interceptor for a reconciler that writes from several goroutines, which a panic would not reach:
// from the n-th write on it carries nothing out and answers ErrKilled. after carries the n-th write out. died reports
// whether it came to that. The caller serializes the writes.
func CutOff(n int, after bool) (intercept Interceptor, died func() bool) {
	writes := 0
	intercept = func(_ string, do func() error) error {
		if writes++; writes < n {
			return do()
		}
		if after && writes == n {
			_ = do()
		}
		return ErrKilled
	}
	return intercept, func() bool { return writes >= n }
}

// Killed runs a reconcile and reports whether an interceptor killed it. Other panics pass through.
func Killed(reconcile func()) (killed bool) {
	defer func() {
		if p := recover(); p != nil {
			if err, ok := p.(error); !ok || !errors.Is(err, ErrKilled) {
				panic(p)
			}
			killed = true
		}
	}()
	reconcile()
	return false
}

// Settle calls reconcile until it writes nothing and reports that nothing is pending. It fails the test after limit
// calls.
func Settle(t testing.TB, limit int, writes *[]string, reconcile func() (pending bool)) {
	t.Helper()
	for range limit {
		before := len(*writes)
		if pending := reconcile(); !pending && len(*writes) == before {
			return
		}
	}
	t.Fatalf("it still writes after %d rounds: %v", limit, *writes)
}
