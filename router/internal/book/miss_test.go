// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package book

import (
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"

	"github.com/agent-sandbox/kubectl-sandbox/router/internal/header"
)

func TestAMissIsThatOfOneNamespace(t *testing.T) {
	l := NewLookup(filled(t, served(with(t, world()...))), clocktesting.NewFakePassiveClock(time.Unix(0, 0)))
	for namespace, want := range map[string]bool{"default": true, "team-c": false, "team-b": true} {
		for range 2 {
			if _, ok, err := l.Find(t.Context(), header.Address{Namespace: namespace, Name: "box"}); ok != want || err != nil {
				t.Errorf("found in %s: %v, %v", namespace, ok, err)
			}
		}
	}
	if _, ok, err := l.Find(t.Context(), header.Address{Namespace: "default", Name: "box"}); !ok || err != nil {
		t.Errorf("after the miss elsewhere: %v, %v", ok, err)
	}
}
