// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Command licences writes the page with the licences of the modules that the programs contain. It fails for a licence
// that is not on its list.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/agent-sandbox/kubectl-sandbox/tools/modules"
)

func main() {
	root := flag.String("root", "..", "The repository.")
	out := flag.String("out", "../docs/reference/licences.md", "The page to write.")
	flag.Parse()
	if err := run(*root, *out); err != nil {
		fmt.Fprintln(os.Stderr, "licences:", err)
		os.Exit(1)
	}
}

func run(root, out string) error {
	programs := []string{"./cmd/agent-sandbox-controller", "./cmd/sandbox-router", "./cmd/sandbox-runtime"}
	found, err := contents(root, programs, []string{"./cmd/kubectl-sandbox"})
	if err != nil {
		return err
	}
	page, err := write(found, modules.Module.Licences)
	if err != nil {
		return err
	}
	return os.WriteFile(out, page, 0o644)
}
