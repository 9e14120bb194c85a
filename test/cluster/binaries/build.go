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
	"path"
	"path/filepath"
	"strings"
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
func (b *Builder) Missing(set Set) []string { return names(b.missing(set)) }

func names(list []binary) []string {
	all := make([]string, 0, len(list))
	for _, one := range list {
		all = append(all, one.name)
	}
	return all
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
	done := 0
	for _, lot := range lots(todo) {
		what := fmt.Sprintf("%s (%d to %d of %d programs)", strings.Join(names(lot), ", "), done+1, done+len(lot), len(todo))
		if err := b.whileSaying(what, start, func() error { return b.buildLot(ctx, module, lot) }); err != nil {
			return "", fmt.Errorf("build %s: %w", strings.Join(names(lot), ", "), err)
		}
		done += len(lot)
	}
	b.say("built %d programs in %s", len(todo), time.Since(start).Round(time.Second))
	return b.Dir(), nil
}

// sign is how often a long step says that it goes on.
const sign = 30 * time.Second

// whileSaying says what is being done, at once and then now and again until do returns.
func (b *Builder) whileSaying(what string, start time.Time, do func() error) error {
	tick := time.NewTicker(sign)
	defer tick.Stop()
	ended := make(chan error, 1)
	go func() { ended <- do() }()
	for {
		b.say("building %s, %s elapsed", what, time.Since(start).Round(time.Second))
		select {
		case err := <-ended:
			return err
		case <-tick.C:
		}
	}
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

// lots groups programs that one go command can build: it compiles what they share once, and links one while it compiles for
// the next. Programs whose file is not named after their package are built alone.
func lots(list []binary) [][]binary {
	var all [][]binary
	for _, one := range list {
		last := len(all) - 1
		if last >= 0 && together(all[last][0], one) {
			all[last] = append(all[last], one)
			continue
		}
		all = append(all, []binary{one})
	}
	return all
}

func together(a, b binary) bool {
	return a.version == b.version && a.ldflags == b.ldflags && a.tags == b.tags && a.cgo == b.cgo &&
		path.Base(a.pkg) == a.name && path.Base(b.pkg) == b.name
}

// buildLot builds into a directory of its own beside the final place and renames, so that a broken build leaves no file that looks whole.
func (b *Builder) buildLot(ctx context.Context, module string, lot []binary) error {
	temp, err := os.MkdirTemp(filepath.Dir(b.Dir()), ".build-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(temp) }()
	log, err := os.Create(filepath.Join(b.cache, "logs", "build-"+lot[0].name+".log"))
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	cmd := command(ctx, lot, temp)
	cmd.Dir, cmd.Stdout, cmd.Stderr = module, log, log
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%w\n%s(all of it in %s)", err, tail(log.Name(), 4096), log.Name())
	}
	for _, one := range lot {
		if err := os.Rename(filepath.Join(temp, one.name), filepath.Join(b.Dir(), one.name)); err != nil {
			return err
		}
	}
	return nil
}

// command is go build inside the pinned module, or go install of a version into temp, of programs that go together.
func command(ctx context.Context, lot []binary, temp string) *exec.Cmd {
	first := lot[0]
	// No tables for debuggers: the link drops them, and to make them costs a quarter of the time.
	args := []string{"install", "-trimpath", "-gcflags=all=-dwarf=false", "-ldflags", first.ldflags}
	suffix := "@" + first.version
	if first.version == "" {
		args[0], suffix = "build", ""
		out := temp + string(filepath.Separator)
		if len(lot) == 1 {
			out += first.name
		}
		args = append(args, "-o", out)
	}
	if first.tags != "" {
		args = append(args, "-tags", first.tags)
	}
	for _, one := range lot {
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
