// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Command commanddoc writes the reference of the plugin's commands to the directory it is given: a page a command, and one
// that lists them.
package main

import (
	"io"
	"log"
	"os"
	"path/filepath"

	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/factory"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/root"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: commanddoc DIRECTORY")
	}
	program := root.NewCommand(factory.New("kubectl sandbox", clock.RealClock{}, io.Discard), genericiooptions.NewTestIOStreamsDiscard())
	if err := write(os.Args[1], pages(program)); err != nil {
		log.Fatal(err)
	}
}

// write makes the directory anew: a command that is gone leaves no page.
func write(dir string, pages map[string]string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // documents that everybody may read
		return err
	}
	for name, text := range pages {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil { //nolint:gosec // the same
			return err
		}
	}
	return nil
}
