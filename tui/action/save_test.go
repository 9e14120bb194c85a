// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package action

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestALogIsSavedToANewFile(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	r := newRig(t, true, nil) // it changes nothing in the cluster
	got := r.Dispatch(t.Context(), Request{Verb: Save, Argument: " ~/dev.log ", Lines: []string{"one", "two"}})
	file := filepath.Join(home, "dev.log")
	if got.Err != nil || got.Message != "2 lines saved to "+file {
		t.Fatalf("%q, %v", got.Message, got.Err)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "one\ntwo\n" {
		t.Errorf("%q, %v", text, err)
	}
	for argument, want := range map[string]string{
		file: "exists: give another name", " ": "no file given", filepath.Join(home, "none", "x"): "none",
	} {
		got := r.Dispatch(t.Context(), Request{Verb: Save, Argument: argument, Lines: []string{"three"}})
		if got.Err == nil || !strings.Contains(got.Err.Error(), want) {
			t.Errorf("%q: %v", argument, got.Err)
		}
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "one\ntwo\n" {
		t.Errorf("a file was overwritten: %q, %v", text, err)
	}
}
