// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package soak sets the number of rounds for tests of random histories, which is small by default and large in
// `make soak`, and shortens histories that fail.
package soak

import (
	"os"
	"slices"
	"strconv"
	"testing"
)

// Rounds returns the number of random histories to try: usual if SOAK_ROUNDS is not set, long if it is "long", and
// otherwise its number.
func Rounds(t testing.TB, usual, long uint64) uint64 {
	t.Helper()
	switch rounds := os.Getenv("SOAK_ROUNDS"); rounds {
	case "":
		return usual
	case "long":
		return long
	default:
		n, err := strconv.ParseUint(rounds, 10, 32)
		if err != nil {
			t.Fatalf("SOAK_ROUNDS: %v", err)
		}
		return n
	}
}

// Shrink removes steps from a history as long as it still fails, and returns a failing history of which no single step
// can be removed. fails must be deterministic, and must be true for the given steps.
func Shrink[T any](steps []T, fails func([]T) bool) []T {
	steps = slices.Clone(steps)
	for size := len(steps); size > 0; {
		shorter := false
		for from := 0; from < len(steps); {
			rest := slices.Concat(steps[:from], steps[min(from+size, len(steps)):])
			if fails(rest) {
				steps, shorter = rest, true
			} else {
				from += size
			}
		}
		if size > 1 {
			size /= 2
		} else if !shorter {
			return steps
		}
	}
	return steps
}
