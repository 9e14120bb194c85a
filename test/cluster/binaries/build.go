// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package binaries builds every program of a Kubernetes cluster from Go modules, once for each version.
//
// Invariants: a file under its final name is complete; the package writes only to the cache directory and to Go's own
// module and build caches.
package binaries

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/test/cluster/filelock"
)

// Builder builds programs into a cache directory and reports its progress.
type Builder struct {
	cache    string
	progress io.Writer
}

// NewBuilder returns a builder that keeps programs below cache and writes a line to progress for every long step.
func NewBuilder(cache string, progress io.Writer) *Builder {
	return &Builder{cache: cache, progress: progress}
}

// Dir returns the directory of the programs.
func (b *Builder) Dir() string { return filepath.Join(b.cache, "bin", key()) }

// Missing returns the names of the programs in the set that are not built yet.
func (b *Builder) Missing(set Set) []string { return names(b.missing(set)) }

func names(list []binary) []string {
	all := make([]string, 0, len(list))
	for _, one := range list {
		all = append(all, one.name)
	}
	return all
}

// Build builds the missing programs of the set and returns their directory, which can be used as KUBEBUILDER_ASSETS.
// A file lock serializes concurrent runs.
func (b *Builder) Build(ctx context.Context, set Set) (string, error) {
	if len(b.missing(set)) == 0 {
		return b.Dir(), nil
	}
	release, err := filelock.Lock(filepath.Join(b.cache, "locks", "build"), func() {
		b.logf("waiting for another build to end")
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
	done := 0
	for _, batch := range batches(todo) {
		what := fmt.Sprintf("%s (%d to %d of %d programs)", strings.Join(names(batch), ", "), done+1, done+len(batch),
			len(todo))
		if err := b.withProgress(what, start, func() error { return b.buildBatch(ctx, module, batch) }); err != nil {
			return "", fmt.Errorf("build %s: %w", strings.Join(names(batch), ", "), err)
		}
		done += len(batch)
	}
	b.logf("built %d programs in %s", len(todo), time.Since(start).Round(time.Second))
	return b.Dir(), nil
}

// progressInterval is how often a long step reports that it still runs.
const progressInterval = 30 * time.Second

// withProgress reports the step at once, and then periodically until do returns.
func (b *Builder) withProgress(what string, start time.Time, do func() error) error {
	tick := time.NewTicker(progressInterval)
	defer tick.Stop()
	ended := make(chan error, 1)
	go func() { ended <- do() }()
	for {
		b.logf("building %s, %s elapsed", what, time.Since(start).Round(time.Second))
		select {
		case err := <-ended:
			return err
		case <-tick.C:
		}
	}
}

func (b *Builder) logf(format string, args ...any) {
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

// writeKubernetesModule writes the pinned module to a directory in which go build can run.
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

// batches groups programs that one go command can build. The command compiles shared packages once, and links one
// program while it compiles the next. Programs whose file is not named after their package are built alone.
func batches(list []binary) [][]binary {
	var all [][]binary
	for _, one := range list {
		last := len(all) - 1
		if last >= 0 && sameBatch(all[last][0], one) {
			all[last] = append(all[last], one)
			continue
		}
		all = append(all, []binary{one})
	}
	return all
}

func sameBatch(a, b binary) bool {
	return a.version == b.version && a.ldflags == b.ldflags && a.tags == b.tags && a.cgo == b.cgo &&
		path.Base(a.pkg) == a.name && path.Base(b.pkg) == b.name
}

// buildBatch builds into a temporary directory beside the final one and then renames the files, so that a failed build
// leaves no incomplete file.
func (b *Builder) buildBatch(ctx context.Context, module string, batch []binary) error {
	temp, err := os.MkdirTemp(filepath.Dir(b.Dir()), ".build-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(temp) }()
	log, err := os.Create(filepath.Join(b.cache, "logs", "build-"+batch[0].name+".log"))
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	cmd := command(ctx, batch, temp)
	cmd.Dir, cmd.Stdout, cmd.Stderr = module, log, log
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%w\n%s(full log: %s)", err, tail(log.Name(), 4096), log.Name())
	}
	for _, one := range batch {
		if err := os.Rename(filepath.Join(temp, one.name), filepath.Join(b.Dir(), one.name)); err != nil {
			return err
		}
	}
	return nil
}

// command returns a go build in the pinned module, or a go install of a version, that writes the programs to temp.
func command(ctx context.Context, batch []binary, temp string) *exec.Cmd {
	first := batch[0]
	// Do not generate debug information: the linker drops it, and generating it takes a quarter of the time.
	args := []string{"install", "-trimpath", "-gcflags=all=-dwarf=false", "-ldflags", first.ldflags}
	suffix := "@" + first.version
	if first.version == "" {
		args[0], suffix = "build", ""
		out := temp + string(filepath.Separator)
		if len(batch) == 1 {
			out += first.name
		}
		args = append(args, "-o", out)
	}
	if first.tags != "" {
		args = append(args, "-tags", first.tags)
	}
	for _, one := range batch {
		args = append(args, one.pkg+suffix)
	}
	cgo := "0"
	if first.cgo {
		cgo = "1"
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED="+cgo, "GOGC=400", "GOBIN="+temp, "GOWORK=off", "GOOS=", "GOARCH=")
	return cmd
}

// tail returns the last bytes of a file, for an error message.
func tail(file string, most int) string {
	data, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	return string(data[max(0, len(data)-most):])
}
