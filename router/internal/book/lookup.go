// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package book

import (
	"context"
	"fmt"
	"strings"
	"time"

	"golang.org/x/sync/singleflight"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/cache"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/router/internal/header"
	"github.com/agent-sandbox/kubectl-sandbox/router/internal/question"
)

const (
	// missedFor is how long the API server is not asked again for what it does not have.
	missedFor = time.Second
	// maxMissed is the number of addresses that are remembered for missedFor.
	maxMissed = 1024
)

// Lookup reads from the API server what the book does not have yet. It is safe for concurrent use.
type Lookup struct {
	book    *Book
	missed  *cache.LRUExpireCache
	flights singleflight.Group
}

// NewLookup returns a Lookup for what the book serves.
func NewLookup(book *Book, clk clock.PassiveClock) *Lookup {
	return &Lookup{book: book, missed: cache.NewLRUExpireCacheWithClock(maxMissed, clk)}
}

// Find asks the API server for an address, once for all that ask at the same time. The target is false if there is
// none.
func (l *Lookup) Find(ctx context.Context, a header.Address) (Target, bool, error) {
	if !l.book.Serves(a.Namespace) {
		return Target{}, false, nil
	}
	key := strings.Join([]string{a.Namespace, a.Name, string(a.UID)}, "/")
	if _, missed := l.missed.Get(key); missed {
		return Target{}, false, nil
	}
	ask := func(ctx context.Context) (Target, error) { return l.ask(ctx, a) }
	is, err := question.Share(ctx, &l.flights, key, ask)
	if err != nil {
		return Target{}, false, err
	}
	if !is.answersTo(a) {
		l.missed.Add(key, nil, missedFor)
		return Target{}, false, nil
	}
	return is, true, nil
}

// ask reads the claim of that name and its Sandbox, or the Sandbox of that name and its claim.
func (l *Lookup) ask(ctx context.Context, a header.Address) (Target, error) {
	var t Target
	var err error
	name, claims := a.Name, l.book.claims.now.Load()
	if claims {
		if t.Claim, err = l.claim(ctx, a.Namespace, a.Name); err != nil {
			return t, err
		}
	}
	if t.Claim != nil {
		name = t.Claim.Sandbox
	}
	if name == "" {
		return t, nil
	}
	sandbox, err := l.book.sandboxes.AgentsV1beta1().Sandboxes(a.Namespace).Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return t, nil
	}
	if err != nil {
		return t, fmt.Errorf("read the Sandbox: %w", err)
	}
	found := newSandbox(sandbox)
	if t.Claim != nil {
		if belong(t.Claim, found) {
			t.Sandbox = found
		}
		return t, nil
	}
	t.Sandbox = found
	if owner := metav1.GetControllerOfNoCopy(sandbox); claims && found.Claim != "" {
		if t.Claim, err = l.claim(ctx, a.Namespace, owner.Name); err != nil {
			return t, err
		}
		if t.Claim != nil && !belong(t.Claim, found) {
			t.Claim = nil
		}
	}
	return t, nil
}

// claim returns the claim, or nil if there is none.
func (l *Lookup) claim(ctx context.Context, namespace, name string) (*Claim, error) {
	claim, err := l.book.sandboxes.ExtensionsV1beta1().SandboxClaims(namespace).Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the claim: %w", err)
	}
	return newClaim(claim), nil
}
