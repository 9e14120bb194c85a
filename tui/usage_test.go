// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tui

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"k8s.io/apimachinery/pkg/types"

	"github.com/agent-sandbox/kubectl-sandbox/tui/store"
)

// withUsage returns the demo where metrics are served and nothing waits for anything.
func withUsage() *store.Snapshot {
	s := demo()
	s.Claims = s.Claims[:7]
	s.Usage = map[types.NamespacedName]store.Usage{}
	for i, r := range slices.Concat(s.Claims[1:], s.Members["python-warm"]) {
		s.Usage[types.NamespacedName{Namespace: r.Namespace, Name: r.Sandbox}] = store.Usage{
			MilliCPU: int64(i*i*i*7 + 3), Memory: int64(i*i*37+12) << 20,
		}
	}
	return s
}

func TestCPUAndMemoryAreShownWhereMetricsAreServed(t *testing.T) {
	w := newWorld(t.Context(), 120, 40)
	w.Update(snapshotMsg{withUsage()})
	frame := ansi.Strip(strings.Join(w.frame(), "\n"))
	for _, part := range []string{"  CPU  MEMORY", "   3m    12Mi", "  10m    49Mi", "    -       -"} {
		if !strings.Contains(frame, part) {
			t.Errorf("%q is missing in\n%s", part, frame)
		}
	}
	typed(t, w, "j enter")
	if frame := ansi.Strip(strings.Join(w.frame(), "\n")); !strings.Contains(frame, "CPU  MEMORY") {
		t.Errorf("the members have no columns of usage:\n%s", frame)
	}
	w.Update(snapshotMsg{demo()})
	typed(t, w, "esc")
	if frame := ansi.Strip(strings.Join(w.frame(), "\n")); strings.Contains(frame, "CPU") {
		t.Errorf("without metrics there is a column:\n%s", frame)
	}
}

func TestUsageIsShort(t *testing.T) {
	for milli, want := range map[int64]string{0: "0m", 999: "999m", 1500: "1.5", 64_000: "64.0", 128_000: "128"} {
		if got := cpu(milli); got != want {
			t.Errorf("%d: %s, want %s", milli, got, want)
		}
	}
	for bytes, want := range map[int64]string{0: "0Mi", 34<<20 + 1: "34Mi", 1023 << 20: "1023Mi", 3 << 29: "1.5Gi",
		512 << 30: "512Gi"} {
		if got := memory(bytes); got != want {
			t.Errorf("%d: %s, want %s", bytes, got, want)
		}
	}
}
