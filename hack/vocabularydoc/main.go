// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Command vocabularydoc writes the reference of conditions, reasons, labels and annotations to a file.
package main

import (
	"log"
	"os"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: vocabularydoc FILE")
	}
	page, err := reference(os.DirFS("apis"))
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(os.Args[1], page, 0o644); err != nil {
		log.Fatal(err)
	}
}
