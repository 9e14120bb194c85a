// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTheCommittedReferenceIsWhatTheFlagsSay(t *testing.T) {
	is, err := os.ReadFile("../../docs/reference/operator-flags.md")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(is), string(reference())); diff != "" {
		t.Errorf("run make generate (-committed +wanted):\n%s", diff)
	}
}
