// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Command flagdoc writes the reference of the operator's flags to a file.
package main

import (
	"log"
	"os"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: flagdoc FILE")
	}
	if err := os.WriteFile(os.Args[1], reference(), 0o644); err != nil {
		log.Fatal(err)
	}
}
