// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package soak_test

import (
	"slices"
	"testing"

	"github.com/agent-sandbox/kubectl-sandbox/test/soak"
)

func TestRounds(t *testing.T) {
	for asked, want := range map[string]uint64{"": 5, "long": 500, "7": 7} {
		t.Setenv("SOAK_ROUNDS", asked)
		if got := soak.Rounds(t, 5, 500); got != want {
			t.Errorf("SOAK_ROUNDS=%q: %d rounds, want %d", asked, got, want)
		}
	}
}

func TestWhatIsLeftOfAHistoryIsWhatItTakesToFail(t *testing.T) {
	history := make([]int, 100)
	for i := range history {
		history[i] = i
	}
	for name, tt := range map[string]struct {
		fails func([]int) bool
		want  []int
	}{
		"one step": {func(s []int) bool { return slices.Contains(s, 42) }, []int{42}},
		"two that lie far apart": {func(s []int) bool {
			return slices.Contains(s, 3) && slices.Contains(s, 97)
		}, []int{3, 97}},
		"any three":                     {func(s []int) bool { return len(s) >= 3 }, []int{96, 97, 98}},
		"all":                           {func(s []int) bool { return len(s) == 100 }, history},
		"none: it fails from the start": {func([]int) bool { return true }, nil},
	} {
		if got := soak.Shrink(history, tt.fails); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v is left, want %v", name, got, tt.want)
		}
	}
	if len(history) != 100 || history[42] != 42 {
		t.Error("the history itself changed")
	}
}
