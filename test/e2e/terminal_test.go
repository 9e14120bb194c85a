// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/e2e/harness"
)

func TestWhatATenantWritesCannotSteerTheTerminal(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	const title = `\033]0;owned\007\302\2332J`
	h.Create(h.NewSandbox("box", func(s *agentsv1beta1.Sandbox) {
		s.Annotations = map[string]string{"example.com/note": "a\u009b2J\u202eb\x1b[2J"}
		s.Spec.PodTemplate.Spec.Containers[0].Command = []string{
			"sh", "-c", `mkdir /tmp/d && mkfifo "/tmp/d/$(printf 'x` + title + `')" && sleep 3600`,
		}
	}))
	h.Create(h.NewSandbox("crashing", func(s *agentsv1beta1.Sandbox) {
		s.Spec.PodTemplate.Spec.Containers[0].Command = []string{
			"sh", "-c", "printf '" + title + "' >/dev/termination-log; exit 3",
		}
	}))
	h.Ready("box")
	for _, command := range [][]string{
		{"list", "-o", "wide"}, {"describe", "box"}, {"describe", "crashing"}, {"status", "crashing"}, {"tree", "crashing"},
		{"list", "box", "-o", "yaml"},
		{"cp", "box:/tmp/d", filepath.Join(t.TempDir(), "d")},
	} {
		r := h.Plugin(command...)
		out := r.Stdout + r.Stderr
		if strings.ContainsAny(out, "\x1b\x07\u009b") ||
			(strings.Contains(out, "\u202e") && command[len(command)-1] != "yaml") || strings.TrimSpace(out) == "" {
			t.Errorf("%v printed %q", command, out)
		}
	}
	if out := h.Must("list", "box", "-o", "yaml"); !strings.Contains(out, `a\x9B2J`) &&
		!strings.Contains(out, `a\u009b2J`) {
		t.Errorf("the annotation is not exact: %s", out)
	}
}
