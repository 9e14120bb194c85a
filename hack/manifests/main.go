// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Command manifests renders the embedded manifests into the static ones of operator/deploy, and the annotations of the
// operator's Pods into the Helm chart. It runs at the root of the repository.
package main

import (
	"fmt"
	"os"
)

func main() {
	if err := generate("."); err != nil {
		fmt.Fprintln(os.Stderr, "manifests:", err)
		os.Exit(1)
	}
}
