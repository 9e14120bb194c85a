// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Command crds rewrites the CRD files of controller-gen. It removes the descriptions of embedded core types, so that
// the files stay small enough for client-side apply, and serves the schema of v1beta1 as v1alpha1 too.
package main

import (
	"fmt"
	"os"
)

func main() {
	for _, file := range os.Args[1:] {
		if err := finish(file); err != nil {
			fmt.Fprintln(os.Stderr, "crds:", err)
			os.Exit(1)
		}
	}
}
