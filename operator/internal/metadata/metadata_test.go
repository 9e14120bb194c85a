// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package metadata

import (
	"maps"
	"strings"
	"testing"
)

func TestApplyRemovesOnlyWhatItSetBefore(t *testing.T) {
	labels, annotations := map[string]string{"foreign": "1"}, map[string]string(nil)
	tracker := Tracker{
		Annotations: &annotations, Record: "record", Fallback: map[string]string{"b": "fallback"},
		Protected: func(key string) bool { return strings.HasPrefix(key, "protected") },
	}
	tracker.Apply(&labels, map[string]string{"a": "1", "b": "1", "c": "1"})
	if annotations["record"] != "a,b,c" {
		t.Errorf("record %q", annotations["record"])
	}
	annotations["record"] += ",protected"
	labels["protected"] = "1"
	tracker.Apply(&labels, map[string]string{"c": "2"})
	if want := map[string]string{"foreign": "1", "b": "fallback", "c": "2", "protected": "1"}; !maps.Equal(labels, want) {
		t.Errorf("labels %v, want %v", labels, want)
	}
	tracker.Apply(&labels, nil)
	if _, recorded := annotations["record"]; recorded || labels["c"] != "" {
		t.Errorf("nothing is wanted: labels %v, annotations %v", labels, annotations)
	}
}

func TestMergeChangesNeitherMap(t *testing.T) {
	base, overrides := map[string]string{"a": "1", "b": "1"}, map[string]string{"b": "2"}
	if got := Merge(base, overrides); got["a"] != "1" || got["b"] != "2" || base["b"] != "1" {
		t.Errorf("merged %v, base %v", got, base)
	}
	if got := Merge(nil, overrides); got["b"] != "2" {
		t.Errorf("merged %v", got)
	}
}
