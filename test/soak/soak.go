// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package soak tells tests of random histories how long to go on: a few rounds in every run, many in `make soak`.
package soak

import (
	"os"
	"strconv"
	"testing"
)

// Rounds is how many random histories to try: usual, or the number in SOAK_ROUNDS.
func Rounds(t testing.TB, usual uint64) uint64 {
	t.Helper()
	asked := os.Getenv("SOAK_ROUNDS")
	if asked == "" {
		return usual
	}
	n, err := strconv.ParseUint(asked, 10, 32)
	if err != nil {
		t.Fatalf("SOAK_ROUNDS: %v", err)
	}
	return n
}
