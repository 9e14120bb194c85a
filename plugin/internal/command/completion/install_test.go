// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package completion_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/command/completion"
)

func streamsTo(out, errOut io.Writer) genericiooptions.IOStreams {
	return genericiooptions.IOStreams{Out: out, ErrOut: errOut}
}

func TestInstallLinksTheCompleterToThePlugin(t *testing.T) {
	for program, file := range map[string]string{
		"kubectl sandbox":       "kubectl_complete-sandbox",
		"kubectl agent-sandbox": "kubectl_complete-agent_sandbox",
	} {
		dir := t.TempDir()
		plugin := filepath.Join(dir, "plugin")
		for range 2 { // the second run replaces the link
			var out, errOut bytes.Buffer
			err := completion.Install(plugin, dir, program, "/usr/bin:"+dir, streamsTo(&out, &errOut))
			if err != nil {
				t.Fatal(err)
			}
			if errOut.Len() > 0 || !strings.Contains(out.String(), file) {
				t.Errorf("%s: printed %q, warned %q", program, out.String(), errOut.String())
			}
		}
		if to, err := os.Readlink(filepath.Join(dir, file)); err != nil || to != plugin {
			t.Errorf("%s: links to %q (%v)", program, to, err)
		}
	}
}

func TestInstallWarnsOfADirectoryOffThePath(t *testing.T) {
	var out, errOut bytes.Buffer
	dir := t.TempDir()
	if err := completion.Install("/p", dir, "kubectl sandbox", "/usr/bin", streamsTo(&out, &errOut)); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(errOut.String(), "not on the PATH") {
		t.Errorf("warned %q", errOut.String())
	}
}

func TestInstallLeavesForeignFilesAlone(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "kubectl_complete-sandbox")
	if err := os.WriteFile(file, []byte("mine"), 0o700); err != nil {
		t.Fatal(err)
	}
	err := completion.Install("/p", dir, "kubectl sandbox", dir, streamsTo(io.Discard, io.Discard))
	if err == nil || !strings.Contains(err.Error(), "not a link that this command created") {
		t.Errorf("got %v", err)
	}
	if content, _ := os.ReadFile(file); string(content) != "mine" {
		t.Errorf("the file now has %q", content)
	}
	if err := completion.Install("/p", dir, "sbx", dir, streamsTo(io.Discard, io.Discard)); err == nil {
		t.Error("a program that is not a plugin was accepted")
	}
}
