// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"os"
	"os/exec"
	"testing"
)

// TestKrewInstallsAReleaseUnderBothNames checks this machine's platform; `make krew-verify` checks all platforms.
func TestKrewInstallsAReleaseUnderBothNames(t *testing.T) {
	t.Parallel()
	command := exec.CommandContext(t.Context(), "../../krew/verify.sh")
	command.Env = append(os.Environ(), "PLATFORMS=host")
	output, err := command.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, output)
	}
}
