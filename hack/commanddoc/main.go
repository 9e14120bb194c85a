// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Command commanddoc writes the reference of the plugin's commands: one page for each command, and a list of all.
// It deletes the given directory first, so that a removed command leaves no page.
//
// It does not use github.com/spf13/cobra/doc, which has no list by group, names each page after the whole command path,
// does not wrap the flags, leaves the help topics without a page of their own, and brings a converter for man pages
// into the product's go.mod.
package main

import (
	"log"
	"os"
	"path/filepath"

	"github.com/agent-sandbox/kubectl-sandbox/plugin"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: commanddoc DIRECTORY")
	}
	if err := write(os.Args[1], pages(plugin.Reference())); err != nil {
		log.Fatal(err)
	}
}

// write replaces the directory by one that holds the pages.
func write(dir string, pages map[string]string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, text := range pages {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
