// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"os/exec"
	"testing"

	"github.com/agent-sandbox/kubectl-sandbox/test/e2e/harness"
	"github.com/agent-sandbox/kubectl-sandbox/test/screen"
)

func TestTheDashboardScalesAPoolMakesAClaimAndEntersIt(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.Must("template", "create", "shell", "--image", harness.ImageShell, "--", "sh", "-c", "echo started; sleep 3600")
	h.Must("pool", "create", "warm", "--template", "shell", "--replicas", "1")
	s := screen.Start(t, 120, 30,
		exec.CommandContext(t.Context(), harness.RequireEnv("E2E_PLUGIN"), "-n", h.Namespace, "ui"))
	s.Until("POOLS 1", "1/1", "warm")

	s.Type("S2\r")
	s.Until("pool/warm scaled to 2") // the message disappears before a slow pool is full
	s.Until("2/2")
	s.Type("awarm-dev\r")
	s.Until("claim/warm-dev created")
	s.Until("CLAIMS 1", "Ready", "100%")
	s.Type("\t\r")
	s.Until("claim/warm-dev", "DependenciesReady", "running for")
	s.Type("l")
	s.Until("warm-dev logs", "started")
	s.Type("\x1b")
	s.Until("Conditions of claim", "claim/warm-dev")
	s.Type("s") // a shell in it
	s.Until("The dashboard returns when it ends")
	s.Type("echo here-$((40+2))\r")
	s.Until("here-42")
	s.Type("exit\r")
	s.Until("Conditions of claim", "claim/warm-dev")
	s.Type("xecho out-$((1+1))\r")
	s.Until("out-2", "Exit code 0")
	s.Type("\r")
	s.Until("Conditions of claim", "claim/warm-dev")
	s.Type("dy")
	s.Until("claim/warm-dev deleted")
	s.Type("\x1b")
	s.Until("CLAIMS 0")
	s.Type("q")
	if err := s.Left(); err != nil {
		t.Error(err)
	}
}
