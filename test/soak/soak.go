// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package soak tells tests of random histories how long to go on, a few rounds in every run and many in `make soak`, and makes
// a history that fails shorter.
package soak

import (
	"os"
	"slices"
	"strconv"
	"testing"
)

// Rounds is how many random histories to try: usual; long, if SOAK_ROUNDS says "long"; or the number that it says.
func Rounds(t testing.TB, usual, long uint64) uint64 {
	t.Helper()
	switch asked := os.Getenv("SOAK_ROUNDS"); asked {
	case "":
		return usual
	case "long":
		return long
	default:
		n, err := strconv.ParseUint(asked, 10, 32)
		if err != nil {
			t.Fatalf("SOAK_ROUNDS: %v", err)
		}
		return n
	}
}

// Shrink drops steps of a history as long as it fails without them, and returns what is left: a history that fails and of which
// no single step can be dropped. fails must answer the same for the same steps, and is true for those given.
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
