// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// The command generate writes, from the embedded manifests, the static ones in operator/deploy and what the Helm chart shares
// with them. It runs at the root of the repository.
package main

import (
	"fmt"
	"os"
)

func main() {
	if err := generate("."); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}
