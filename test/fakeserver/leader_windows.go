// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package fake

import "os/exec"

// lead does nothing: there are no process groups.
func lead(*exec.Cmd) {}
