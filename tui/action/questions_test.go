// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package action

import (
	"testing"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/volume"
)

func TestQuestions(t *testing.T) {
	many := make([]Target, 8)
	for i := range many {
		many[i] = target("claim", string(rune('a'+i)))
	}
	tests := map[string]struct {
		ask  Request
		want string
	}{
		"resume harms nothing":    {Request{Verb: Resume, Targets: many}, ""},
		"delete names it":         {Request{Verb: Delete, Targets: many[:1]}, "Delete claim/a?"},
		"delete counts and names": {Request{Verb: Delete, Targets: many[:2]}, "Delete 2 objects: claim/a, claim/b?"},
		"not all of very many": {Request{Verb: Delete, Targets: many},
			"Delete 8 objects: claim/a, claim/b, claim/c, claim/d, claim/e, claim/f and 2 more?"},
		"delete names the volumes": {
			Request{Verb: Delete, Targets: many[:1], Volumes: []volume.Outcome{{Name: "data-a", Size: "1Gi"}, {Name: "work-a",
				Stays: true}}},
			"Delete claim/a? Volumes that are deleted with their data: data-a (1Gi). Volumes that are kept: work-a.",
		},
		"a pool takes the volumes of its members": {
			Request{Verb: Delete, Targets: []Target{target("pool", "fast")}, Volumes: []volume.Outcome{{Name: "data-fast-1"}}},
			"Delete pool/fast and its unclaimed sandboxes? Volumes that are deleted with their data: data-fast-1.",
		},
		"a pool takes its members": {Request{Verb: Delete, Targets: []Target{target("pool", "fast")}},
			"Delete pool/fast and its unclaimed sandboxes?"},
		"scaling up a little harms nothing": {Request{Verb: Scale, Targets: []Target{target("pool", "fast")},
			Argument: "8", Sizes: []int{3}}, ""},
		"scaling up by more than a few is asked": {Request{Verb: Scale, Targets: []Target{target("pool", "fast")},
			Argument: "32", Sizes: []int{3}}, "Scale pool/fast from 3 to 32? That starts 29 sandboxes."},
		"scaling down does": {Request{Verb: Scale, Targets: []Target{target("pool", "fast")}, Argument: "0",
			Sizes: []int{1}}, "Scale pool/fast from 1 to 0? That deletes 1 sandbox that no claim has taken."},
		"several pools count together": {Request{Verb: Scale, Targets: []Target{target("pool", "fast"),
			target("pool", "slow")}, Argument: "5", Sizes: []int{2, 9}},
			"Scale 2 objects: pool/fast, pool/slow to 5? That deletes 4 sandboxes that no claim has taken. " +
				"That starts 3 sandboxes."},
		"a size that is none is an error later": {Request{Verb: Scale, Targets: []Target{target("pool", "fast")},
			Argument: "many", Sizes: []int{1}}, ""},
		"suspending loses something": {Request{Verb: Suspend, Targets: many[:1]},
			"Suspend claim/a? Data that is not on a volume is lost."},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := tt.ask.Question(); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
