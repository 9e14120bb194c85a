// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package metadata sets labels and annotations that several writers share. The operator changes only the keys that it
// set, and leaves the keys of other writers as they are.
package metadata

import (
	"maps"
	"slices"
	"strings"
)

// Set sets one key, and makes the map if it is nil.
func Set(keys *map[string]string, key, value string) {
	if *keys == nil {
		*keys = map[string]string{}
	}
	(*keys)[key] = value
}

// Merge returns a copy of base with the keys of overrides set.
func Merge(base, overrides map[string]string) map[string]string {
	merged := maps.Clone(base)
	for key, value := range overrides {
		Set(&merged, key, value)
	}
	return merged
}

// Tracker sets keys and remembers which ones, so that it can remove those that are no longer wanted. The names of the
// keys are recorded, separated by commas, in an annotation of the object.
type Tracker struct {
	Annotations *map[string]string    // of the object, which hold the record
	Record      string                // the annotation
	Protected   func(key string) bool // keys that are never removed, even if somebody adds them to the record
	Fallback    map[string]string     // values that keys get instead of being removed
}

// Apply sets the wanted keys in live, and removes or resets those that an earlier call set and that are no longer
// wanted.
func (t Tracker) Apply(live *map[string]string, wanted map[string]string) {
	for key := range strings.SplitSeq((*t.Annotations)[t.Record], ",") {
		if _, ok := wanted[key]; ok || key == "" || t.Protected(key) {
			continue
		}
		if value, ok := t.Fallback[key]; ok {
			Set(live, key, value)
		} else {
			delete(*live, key)
		}
	}
	for key, value := range wanted {
		Set(live, key, value)
	}
	if len(wanted) > 0 {
		Set(t.Annotations, t.Record, strings.Join(slices.Sorted(maps.Keys(wanted)), ","))
	} else {
		delete(*t.Annotations, t.Record)
	}
}
