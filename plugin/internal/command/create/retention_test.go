// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package create

import (
	"strings"
	"testing"
)

func TestWhatGoesAtTheEndIsSaidAtTheBeginning(t *testing.T) {
	_, errOut, _, err := command(t, false, "dev", "--image", "img", "--memory", "1Gi", "--volume", "data=1Gi",
		"--ttl", "1h", "--shutdown-policy", "Delete")
	if err != nil || errOut != "At the end of its lifetime, the Sandbox is deleted, with volume data-dev (1Gi)\n" {
		t.Errorf("%v, %q", err, errOut)
	}
	_, errOut, _, err = command(t, false, "dev", "--template", "python", "--ttl", "1h")
	if err != nil || !strings.Contains(errOut, "the claim stays and its Sandbox is deleted; volumes are deleted too, "+
		"unless the template retains them") {
		t.Errorf("%v, %q", err, errOut)
	}
}
