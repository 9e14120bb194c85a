// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Command finish turns controller-gen's CRD files into ours: descriptions of embedded core types go (kubectl explain
// shows ours, and the files stay small enough for client-side apply), and v1beta1's schema is served as v1alpha1 too.
package main

import (
	"fmt"
	"os"
)

func main() {
	for _, file := range os.Args[1:] {
		if err := finish(file); err != nil {
			fmt.Fprintln(os.Stderr, "finish:", err)
			os.Exit(1)
		}
	}
}
