// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package binaries builds every program of a Kubernetes cluster from Go modules, once for each version.
//
// Invariants: a file under its final name is complete; nothing outside the cache directory is written, other than
// Go's own module and build caches.
package binaries

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/test/cluster/filelock"
)

// Builder builds into a cache directory and tells of its progress.
type Builder struct {
	cache    string
	progress io.Writer
}

// NewBuilder returns a builder that keeps what it builds below cache and writes a line to progress for every step that takes long.
func NewBuilder(cache string, progress io.Writer) *Builder {
	return &Builder{cache: cache, progress: progress}
}

// Dir is the directory that Build fills.
func (b *Builder) Dir() string { return filepath.Join(b.cache, "bin", key()) }

// Missing lists the names in the set that are not built yet.
func (b *Builder) Missing(set Set) []string {
	var names []string
	for _, one := range b.missing(set) {
		names = append(names, one.name)
	}
	return names
}

// Build builds what is missing and returns the directory of the programs. With the set Integration the
// directory serves as KUBEBUILDER_ASSETS. Two runs at once wait for each other.
func (b *Builder) Build(ctx context.Context, set Set) (string, error) {
	if len(b.missing(set)) == 0 {
		return b.Dir(), nil
	}
	release, err := filelock.Lock(filepath.Join(b.cache, "locks", "build"), func() {
		b.say("waiting for another build to end")
	})
	if err != nil {
		return "", err
	}
	defer release()
	module, err := b.writeKubernetesModule()
	if err != nil {
		return "", fmt.Errorf("write the Kubernetes module: %w", err)
	}
	start := time.Now()
	todo := b.missing(set)
	for i, one := range todo {
		b.say("building %s (%d of %d, %s elapsed)", one.name, i+1, len(todo), time.Since(start).Round(time.Second))
		if err := b.buildOne(ctx, module, one); err != nil {
			return "", fmt.Errorf("build %s: %w", one.name, err)
		}
	}
	b.say("built %d programs in %s", len(todo), time.Since(start).Round(time.Second))
	return b.Dir(), nil
}

func (b *Builder) say(format string, args ...any) {
	_, _ = fmt.Fprintf(b.progress, format+"\n", args...)
}

func (b *Builder) missing(set Set) []binary {
	var list []binary
	for _, one := range all() {
		if one.set > set {
			continue
		}
		if _, err := os.Stat(filepath.Join(b.Dir(), one.name)); err != nil {
			list = append(list, one)
		}
	}
	return list
}

// writeKubernetesModule lays the pinned module out as a directory that go build can work in.
func (b *Builder) writeKubernetesModule() (string, error) {
	dir := filepath.Join(b.cache, "src", key())
	return dir, errors.Join(
		os.MkdirAll(dir, 0o755),
		os.MkdirAll(b.Dir(), 0o755),
		os.MkdirAll(filepath.Join(b.cache, "logs"), 0o755),
		os.WriteFile(filepath.Join(dir, "go.mod"), kubernetesMod, 0o644),
		os.WriteFile(filepath.Join(dir, "go.sum"), kubernetesSum, 0o644),
	)
}

// buildOne builds into a directory of its own beside the final place and renames, so that a broken build leaves no file that looks whole.
func (b *Builder) buildOne(ctx context.Context, module string, one binary) error {
	temp, err := os.MkdirTemp(filepath.Dir(b.Dir()), ".build-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(temp) }()
	log, err := os.Create(filepath.Join(b.cache, "logs", "build-"+one.name+".log"))
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	cmd := command(ctx, one, temp)
	cmd.Dir, cmd.Stdout, cmd.Stderr = module, log, log
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%w\n%s(all of it in %s)", err, tail(log.Name(), 4096), log.Name())
	}
	built := filepath.Join(temp, one.name)
	return os.Rename(built, filepath.Join(b.Dir(), one.name))
}

// command is go build inside the pinned module, or go install of a version into temp.
func command(ctx context.Context, one binary, temp string) *exec.Cmd {
	args := []string{"-trimpath", "-ldflags", one.ldflags}
	if one.tags != "" {
		args = append(args, "-tags", one.tags)
	}
	if one.version == "" {
		args = append(append([]string{"build"}, args...), "-o", filepath.Join(temp, one.name), one.pkg)
	} else {
		args = append(append([]string{"install"}, args...), one.pkg+"@"+one.version)
	}
	cgo := "0"
	if one.cgo {
		cgo = "1"
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED="+cgo, "GOBIN="+temp, "GOWORK=off", "GOOS=", "GOARCH=")
	return cmd
}

// tail returns the last bytes of a file, for an error message.
func tail(path string, most int) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(data[max(0, len(data)-most):])
}
