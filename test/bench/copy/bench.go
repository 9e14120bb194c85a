// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// sandbox is the name of the sandbox in which the benchmark runs.
const sandbox = "bench-copy"

type bench struct {
	rounds, execs, mebibytes, files int
	image, namespace, only          string

	dir string
}

// run creates the sandbox, measures, and deletes the sandbox.
func (b *bench) run(ctx context.Context) (err error) {
	if b.dir, err = os.MkdirTemp(memoryDir(), "bench-copy-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.dir)) }()
	if err := b.createSandbox(ctx); err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, b.plugin(context.WithoutCancel(ctx), "delete", sandbox, "--yes", "--wait"))
	}()
	fmt.Println("| what | kubectl | kubectl sandbox | ratio |")
	fmt.Println("|---|---|---|---|")
	for _, part := range []struct {
		name    string
		measure func(context.Context) error
	}{{"exec", b.exec}, {"file", b.file}, {"files", b.tree}, {"sync", b.sync}, {"forward", b.forward}} {
		if b.only != "" && b.only != part.name {
			continue
		}
		if err := part.measure(ctx); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
	}
	return nil
}

// memoryDir returns a directory in memory if there is one, because a disk's speed with ten thousand files depends on
// its earlier load.
func memoryDir() string {
	const shared = "/dev/shm"
	if info, err := os.Stat(shared); err == nil && info.IsDir() {
		return shared
	}
	return ""
}

// manifest is a sandbox with a volume in memory, to which the benchmark copies.
const manifest = `
apiVersion: agents.x-k8s.io/v1beta1
kind: Sandbox
metadata: {name: %s}
spec:
  podTemplate:
    spec:
      terminationGracePeriodSeconds: 0
      containers:
      - name: main
        image: %q
        command: [sleep, infinity]
        volumeMounts: [{name: memory, mountPath: /memory}]
      volumes: [{name: memory, emptyDir: {medium: Memory}}]
`

// createSandbox creates the sandbox and waits until it is ready.
func (b *bench) createSandbox(ctx context.Context) error {
	file := filepath.Join(b.dir, "sandbox.yaml")
	if err := os.WriteFile(file, fmt.Appendf(nil, manifest, sandbox, b.image), 0o600); err != nil {
		return err
	}
	if err := b.kubectl(ctx, "apply", "-f", file); err != nil {
		return err
	}
	return b.plugin(ctx, "wait", sandbox, "--for", "ready")
}

func command(ctx context.Context, words ...string) error {
	c := exec.CommandContext(ctx, words[0], words[1:]...)
	out, err := c.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%v: %w: %s", words, err, out)
	}
	return nil
}

func (b *bench) plugin(ctx context.Context, words ...string) error {
	return command(ctx, append([]string{"kubectl-sandbox", "-n", b.namespace}, words...)...)
}

func (b *bench) kubectl(ctx context.Context, words ...string) error {
	return command(ctx, append([]string{"kubectl", "-n", b.namespace}, words...)...)
}

// execInside runs a script in the sandbox outside of the measurement.
func (b *bench) execInside(ctx context.Context, script string) error {
	return b.plugin(ctx, "exec", sandbox, "--", "sh", "-c", script)
}

// compare measures kubectl and the plugin in turn, so that changes of the machine's load affect both, and prints the
// medians: as durations if bytes is 0, otherwise as throughput.
func (b *bench) compare(
	ctx context.Context, what string, rounds int, bytes int64, before, theirs, ours func(context.Context) error,
) error {
	var times [2][]time.Duration
	var failures [2]int
	for range rounds {
		for i, do := range []func(context.Context) error{theirs, ours} {
			took, failed, err := measureWithRetries(ctx, before, do)
			failures[i] += failed
			if err != nil {
				return err
			}
			times[i] = append(times[i], took)
		}
	}
	if failures != [2]int{} {
		what += fmt.Sprintf(" (failed and tried again: kubectl %d, ours %d)", failures[0], failures[1])
	}
	their, our := median(times[0]), median(times[1])
	if bytes == 0 {
		fmt.Printf("| %s | %v | %v | %.2f of the time |\n", what, their.Round(time.Millisecond), our.Round(time.Millisecond),
			our.Seconds()/their.Seconds())
		return nil
	}
	fmt.Printf("| %s | %.0f MiB/s (%.1f s) | %.0f MiB/s (%.1f s) | %.2f times the rate |\n", what,
		rate(bytes, their), their.Seconds(), rate(bytes, our), our.Seconds(), their.Seconds()/our.Seconds())
	return nil
}

// measureWithRetries measures do. It retries a failure up to three times in all, because a connection may break.
func measureWithRetries(
	ctx context.Context, before, do func(context.Context) error,
) (took time.Duration, failures int, err error) {
	const tries = 3
	for failures = range tries {
		if before != nil {
			if err := before(ctx); err != nil {
				return 0, failures, err
			}
		}
		began := time.Now()
		if err = do(ctx); err == nil {
			return time.Since(began), failures, nil
		}
	}
	return 0, failures, err
}

func rate(bytes int64, in time.Duration) float64 { return float64(bytes) / (1 << 20) / in.Seconds() }

func median(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/2]
}

func (b *bench) exec(ctx context.Context) error {
	return b.compare(ctx, "exec -- true", b.execs, 0, nil,
		func(ctx context.Context) error { return b.kubectl(ctx, "exec", sandbox, "--", "true") },
		func(ctx context.Context) error { return b.plugin(ctx, "exec", sandbox, "--", "true") })
}

// writeRandom writes a file of random bytes, which do not compress.
func writeRandom(path string, size int) error {
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	source, block := rand.NewChaCha8([32]byte{1}), make([]byte, 1<<20)
	for ; size > 0 && err == nil; size -= len(block) {
		_, _ = source.Read(block) // it never fails
		_, err = out.Write(block[:min(len(block), size)])
	}
	return errors.Join(err, out.Close())
}

// file measures copies of one large file in both directions.
func (b *bench) file(ctx context.Context) error {
	local := filepath.Join(b.dir, "large")
	if err := writeRandom(local, b.mebibytes<<20); err != nil {
		return err
	}
	return b.bothWays(ctx, fmt.Sprintf("cp of a file of %d MiB", b.mebibytes), local, int64(b.mebibytes)<<20)
}

// fileSize is the size of a small file in bytes.
const fileSize = 1024

// writeTree writes the small files, a hundred in each directory, and returns their root.
func (b *bench) writeTree() (string, error) {
	const inOne = 100
	root := filepath.Join(b.dir, "tree")
	for i := range b.files {
		dir := filepath.Join(root, strconv.Itoa(i/inOne))
		if i%inOne == 0 {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return "", err
			}
		}
		if err := writeRandom(filepath.Join(dir, strconv.Itoa(i)), fileSize); err != nil {
			return "", err
		}
	}
	return root, nil
}

// tree measures copies of many small files in both directions.
func (b *bench) tree(ctx context.Context) error {
	local, err := b.writeTree()
	if err != nil {
		return err
	}
	return b.bothWays(ctx, fmt.Sprintf("cp of %d files of 1 KiB", b.files), local, int64(b.files)*fileSize)
}

// sync measures what it costs to find out that many small files have not changed, in both directions. kubectl copies
// them again.
func (b *bench) sync(ctx context.Context) error {
	local, err := b.writeTree()
	if err != nil {
		return err
	}
	there, theirs := sandbox+":/memory/synced", sandbox+":/memory/copied"
	if err := b.plugin(ctx, "sync", local, there); err != nil {
		return err
	}
	for _, flag := range []string{"", "--checksum"} {
		for _, way := range [][]string{{local, there}, {there, local}} {
			what := fmt.Sprintf("sync of %d files that have not changed, %s %s", b.files,
				map[bool]string{true: "into the sandbox", false: "out of it"}[way[0] == local], flag)
			back := filepath.Join(b.dir, "back")
			clean := func(ctx context.Context) error {
				return errors.Join(os.RemoveAll(back), b.execInside(ctx, "rm -rf /memory/copied"))
			}
			copied := []string{"cp", local, theirs}
			if way[0] == there {
				copied = []string{"cp", there, back}
			}
			words := append([]string{"sync"}, way...)
			if flag != "" {
				words = append(words, flag)
			}
			if err := b.compare(ctx, strings.TrimSpace(what), b.rounds, 0, clean,
				func(ctx context.Context) error { return b.kubectl(ctx, copied...) },
				func(ctx context.Context) error { return b.plugin(ctx, words...) }); err != nil {
				return err
			}
		}
	}
	return b.execInside(ctx, "rm -rf /memory/synced /memory/copied")
}

func (b *bench) bothWays(ctx context.Context, what, local string, bytes int64) error {
	back := filepath.Join(b.dir, "back")
	clean := func(ctx context.Context) error {
		return errors.Join(os.RemoveAll(back), b.execInside(ctx, "rm -rf /memory/copy"))
	}
	into, from := sandbox+":/memory/copy", sandbox+":/memory/source"
	err := b.compare(ctx, what+", into the sandbox", b.rounds, bytes, clean,
		func(ctx context.Context) error { return b.kubectl(ctx, "cp", local, into) },
		func(ctx context.Context) error { return b.plugin(ctx, "cp", local, into) })
	if err == nil {
		err = b.execInside(ctx, "rm -rf /memory/source && mv /memory/copy /memory/source")
	}
	if err == nil {
		err = b.compare(ctx, what+", out of it", b.rounds, bytes, clean,
			func(ctx context.Context) error { return b.kubectl(ctx, "cp", from, back) },
			func(ctx context.Context) error { return b.plugin(ctx, "cp", from, back) })
	}
	return errors.Join(err, clean(ctx), b.execInside(ctx, "rm -rf /memory/source"))
}
