// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/test/docs"
	"github.com/agent-sandbox/kubectl-sandbox/test/e2e/harness"
)

// images replaces the images in the documents by images of the test cluster, which pulls none.
var images = strings.NewReplacer("python:3.13-slim", harness.ImagePython, "debian:12", harness.ImageShell,
	runtimeImage, harness.ImageRuntime)

// stepMark is the beginning of the line that the script prints before each step.
const stepMark = "@@ step"

// TestDocuments runs the commands in the documents, page by page; test/docs/README.md explains how pages are written.
func TestDocuments(t *testing.T) {
	t.Parallel()
	pages, err := docs.Pages("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		steps := page.Run()
		if len(steps) == 0 {
			continue
		}
		t.Run(strings.NewReplacer("/", " ", ".md", "").Replace(page.Path), func(t *testing.T) {
			t.Parallel()
			session := newSession(t)
			if slices.ContainsFunc(steps, func(s docs.Step) bool { return strings.Contains(s.Script, "go run ") }) {
				session.module()
			}
			session.follow(page.Path, steps)
		})
	}
}

// session runs a shell in its own namespace and directory.
type session struct {
	*harness.T

	dir, kubeconfig string
}

func newSession(t *testing.T) *session {
	t.Helper()
	s := &session{T: harness.New(t), dir: t.TempDir()}
	s.kubeconfig = filepath.Join(t.TempDir(), "kubeconfig")
	text, err := os.ReadFile(harness.RequireEnv("KUBECONFIG"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.kubeconfig, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if r := s.KubectlWithoutNamespace("config", "--kubeconfig", s.kubeconfig, "set-context", "--current", "--namespace",
		s.Namespace); r.Code != 0 {
		t.Fatalf("%v", r)
	}
	s.examples()
	t.Cleanup(func() {
		// The pages create these outside of their namespace.
		if r := s.KubectlWithoutNamespace("delete", "runtimeclass", "gvisor", "kata-qemu",
			"--ignore-not-found"); r.Code != 0 {
			t.Errorf("%v", r)
		}
	})
	return s
}

// examples copies the examples with the images of the test cluster.
func (s *session) examples() {
	s.Helper()
	from := os.DirFS("../../examples")
	err := fs.WalkDir(from, ".", func(name string, entry fs.DirEntry, err error) error {
		to := filepath.Join(s.dir, "examples", filepath.FromSlash(name))
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return os.MkdirAll(to, 0o755)
		}
		text, err := fs.ReadFile(from, name)
		if err != nil {
			return err
		}
		info, err := entry.Info() // scripts stay executable
		if err != nil {
			return err
		}
		return os.WriteFile(to, []byte(images.Replace(string(text))), info.Mode().Perm())
	})
	if err != nil {
		s.Fatal(err)
	}
}

// module makes the directory a Go module that gets this repository instead of a release.
func (s *session) module() {
	s.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		s.Fatal(err)
	}
	ours, err := os.ReadFile("../../go.mod")
	if err != nil {
		s.Fatal(err)
	}
	version := regexp.MustCompile(`(?m)^go .*$`).FindString(string(ours)) + "\n"
	for name, text := range map[string]string{
		"go.mod": "module example\n" + version, "go.work": version + "use (\n\t.\n\t" + root + "\n)\n",
	} {
		if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o644); err != nil {
			s.Fatal(err)
		}
	}
}

// goFlags are those with which run.sh compiles, so that packages are not compiled again.
const goFlags = "GOFLAGS=-race -trimpath -gcflags=all=-dwarf=false"

// follow runs the steps and compares what they print.
func (s *session) follow(page string, steps []docs.Step) {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Context(), 8*time.Minute)
	defer cancel()
	script := filepath.Join(s.TempDir(), "script")
	if err := os.WriteFile(script, []byte(images.Replace(docs.Script(steps, stepMark))), 0o644); err != nil {
		s.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	shell := exec.CommandContext(ctx, "bash", script)
	shell.Dir, shell.Stdout, shell.Stderr = s.dir, &stdout, &stderr
	shell.WaitDelay = 10 * time.Second // for background processes of the page
	shell.Env = append(os.Environ(), "KUBECONFIG="+s.kubeconfig, goFlags)
	err := shell.Run()
	printed := strings.Split(stdout.String(), "\n"+stepMark+" ")[1:]
	for i, text := range printed {
		_, got, _ := strings.Cut(text, "\n")
		step := steps[i]
		if err != nil && i == len(printed)-1 {
			s.Fatalf("%s:%d: %v\n%s\nit printed: %s\nstandard error of the page: %s", page, step.Line, err, step.Script, got,
				tail(stderr.String()))
		}
		if step.Prints != "" && lines(got) != lines(step.Prints) {
			s.Errorf("%s:%d: %s\nprinted:\n%s\nand not, as the page says:\n%s", page, step.Line, step.Script, got, step.Prints)
		}
	}
	if err != nil || len(printed) != len(steps) {
		s.Fatalf("%s: %v after %d of %d steps: %s", page, err, len(printed), len(steps), tail(stderr.String()))
	}
}

// lines trims the spaces around the lines of a text.
func lines(text string) string {
	var all []string
	for line := range strings.Lines(strings.TrimSpace(text)) {
		all = append(all, strings.TrimSpace(line))
	}
	return strings.Join(all, "\n")
}

// tail returns the last 4000 bytes of a text.
func tail(text string) string {
	const most = 4000
	if len(text) > most {
		return fmt.Sprintf("... %s", text[len(text)-most:])
	}
	return text
}
