// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Command testcount adds up JUnit reports and prints one line, "N passed, N failed". It fails if a test failed or was
// skipped, and if a report has no test.
package main

import (
	"fmt"
	"os"
)

func main() {
	total, err := countAll(os.Args[1:])
	for _, name := range total.skipped {
		fmt.Fprintln(os.Stderr, "skipped:", name)
	}
	for _, name := range total.failed {
		fmt.Fprintln(os.Stderr, "failed:", name)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "testcount:", err)
	}
	fmt.Printf("%d passed, %d failed\n", total.passed, len(total.failed))
	if err != nil || len(total.failed)+len(total.skipped) > 0 {
		os.Exit(1)
	}
}
