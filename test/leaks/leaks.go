// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package leaks finds goroutines that outlive a test.
package leaks

import (
	"runtime"
	"strings"
	"testing"
	"time"
)

// Goroutines may take as many looks to end after the test, with a pause between them. Looks are counted, and not time,
// because a busy machine may stop a test for longer than any timeout.
const (
	looks = 2000
	pause = 10 * time.Millisecond
)

// Check fails the test if goroutines that it started are in the code of a directory of this repository, such as sdk,
// when it and its cleanup have ended. It must be called first. Tests that run at the same time would be found, too.
func Check(t *testing.T, of string) {
	t.Helper()
	before := goroutines(of)
	t.Cleanup(func() {
		var left []string
		for range looks {
			left = left[:0]
			for id, stack := range goroutines(of) {
				if _, known := before[id]; !known {
					left = append(left, stack)
				}
			}
			if len(left) == 0 {
				return
			}
			<-time.After(pause)
		}
		t.Errorf("%d goroutines are left:\n\n%s", len(left), strings.Join(left, "\n\n"))
	})
}

// goroutines returns the stacks of goroutines in a package's code, by what identifies them.
func goroutines(of string) map[string]string {
	text := make([]byte, 1<<20)
	for {
		n := runtime.Stack(text, true)
		if n < len(text) {
			text = text[:n]
			break
		}
		text = make([]byte, 2*len(text))
	}
	found := map[string]string{}
	// The first stack is the caller's.
	for i, stack := range strings.Split(string(text), "\n\n") {
		id, _, _ := strings.Cut(stack, " [")
		if i > 0 && in(stack, of) && !strings.Contains(stack, "testing.tRunner") {
			found[id] = stack
		}
	}
	return found
}

// in reports whether a stack has a function of the directory that is not that of a test.
func in(stack, of string) bool {
	for line := range strings.Lines(stack) {
		_, function, ok := strings.Cut(line, "github.com/agent-sandbox/kubectl-sandbox/"+of)
		if ok && strings.IndexAny(function, "./") == 0 && !strings.Contains(line, "_test.") {
			return true
		}
	}
	return false
}
