// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/test/e2e/harness"
)

// checksumScript prints the checksums of the name and the content of each file below a directory of the sandbox.
const checksumScript = `cd "$1" && find . -type f -exec sh -c 'for f; do printf "%s " "$f" | sha256sum; sha256sum ` +
	`<"$f"; done' sh {} + | sort`

func TestACopyOfOddNamesThatIsCutAndGoneOnWithIsWhole(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.Must("create", "dev", "--image", harness.ImageShell, "--wait", "--", "sleep", "3600")
	source := filepath.Join(t.TempDir(), "src")
	for i := range 60 {
		for _, name := range []string{"plain %d", "back\\slash%d", "line\nbreak %d", "non\xffutf %d"} {
			path := filepath.Join(source, fmt.Sprintf("d%d\\\n", i%7), fmt.Sprintf(name, i))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, randomBytes(100_000+i), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	stage := func(where string) string {
		return strings.TrimSpace(h.Must("exec", "dev", "--", "sh", "-c",
			"du -sk "+where+"/.kubectl-sandbox-* 2>/dev/null | cut -f1"))
	}
	upload, _ := startPlugin(h, "cp", source, "dev:/tmp/there")
	h.Eventually("a part has arrived", func() error {
		if n := stage("/tmp"); len(n) < 4 {
			return fmt.Errorf("%s KiB", n)
		}
		return nil
	})
	if err := upload.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = upload.Wait() // it was killed
	h.Must("cp", source, "dev:/tmp/there", "--resume")
	if n := stage("/tmp"); n != "" {
		t.Errorf("left behind: %s", n)
	}
	back := filepath.Join(t.TempDir(), "back")
	download, _ := startPlugin(h, "cp", "dev:/tmp/there", back)
	h.Eventually("a part has come back", func() error {
		found, _ := filepath.Glob(filepath.Join(filepath.Dir(back), ".kubectl-sandbox-*", "*", "*"))
		if _, err := os.Stat(back); err != nil && len(found) < 20 {
			return fmt.Errorf("%d files", len(found))
		}
		return nil
	})
	_ = download.Process.Kill() // it may have ended
	_ = download.Wait()         // it was killed or has ended
	h.Must("cp", "dev:/tmp/there", back, "--resume")
	h.Must("cp", back, "dev:/tmp/again")
	one := h.Must("exec", "dev", "--", "sh", "-c", checksumScript, "sh", "/tmp/there")
	other := h.Must("exec", "dev", "--", "sh", "-c", checksumScript, "sh", "/tmp/again")
	if one != other || strings.Count(one, "\n") != 480 {
		t.Errorf("%d lines and %d, want 480 that are the same", strings.Count(one, "\n"), strings.Count(other, "\n"))
	}
	for i := range 60 {
		name := filepath.Join(fmt.Sprintf("d%d\\\n", i%7), fmt.Sprintf("line\nbreak %d", i))
		if got, err := os.ReadFile(filepath.Join(back, name)); err != nil || !bytes.Equal(got, randomBytes(100_000+i)) {
			t.Fatalf("%q: %d bytes, %v", name, len(got), err)
		}
	}
}

func TestEqualCopiesAtOnceAreAllRight(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.Must("create", "dev", "--image", harness.ImageShell, "--wait", "--", "sleep", "3600")
	source, data := filepath.Join(t.TempDir(), "src"), randomBytes(8<<20)
	if err := os.WriteFile(source, data, 0o644); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			if r := h.Plugin("cp", source, "dev:/tmp/file"); r.Code != 0 {
				t.Error(r)
			}
		})
	}
	all.Wait()
	back := filepath.Join(t.TempDir(), "back")
	for range 3 {
		all.Go(func() {
			if r := h.Plugin("cp", "dev:/tmp/file", back); r.Code != 0 {
				t.Error(r)
			}
		})
	}
	all.Wait()
	if got, err := os.ReadFile(back); err != nil || !bytes.Equal(got, data) {
		t.Errorf("%d bytes came back (%v)", len(got), err)
	}
	if out := h.Must("exec", "dev", "--", "sh", "-c", "ls -A /tmp"); strings.Contains(out, ".kubectl-sandbox-") {
		t.Errorf("left behind: %s", out)
	}
}

func TestAShellThatPrintsWithoutEndTakesNoMemoryOfTheClient(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.Must("create", "dev", "--image", harness.ImageShell, "--wait", "--", "sleep", "3600")
	h.Must("exec", "dev", "--", "sh", "-c",
		`mkdir -p /opt/real && cp /bin/sh /opt/real/sh && printf '#!/opt/real/sh\nwhile :; do echo `+
			`xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done\n' >/bin/false-sh && chmod 755 /bin/false-sh `+
			`&& mv /bin/false-sh /bin/sh`)
	source := filepath.Join(t.TempDir(), "src")
	if err := os.WriteFile(source, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"cp", "dev:/etc", t.TempDir() + "/d"}, {"cp", source, "dev:/tmp/x"}, {"cp", "dev:/etc/*", t.TempDir()},
	} {
		begun := time.Now()
		command, _ := startPlugin(h, args...)
		used := peakMemory(command.Process.Pid)
		err := command.Wait()
		if most := used(); err == nil || most == 0 || most > 700 || time.Since(begun) > time.Minute {
			t.Errorf("%q: %v, %d MiB, %v", args, err, most, time.Since(begun))
		}
	}
}

// peakMemory polls the peak memory of a process, in MiB, until the function that it returns is called. It polls because
// the kernel's value for a process that has ended includes the memory of this test when it started the process.
func peakMemory(pid int) (most func() int) {
	over, said := make(chan struct{}), make(chan int)
	go func() {
		highest := 0
		for {
			text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)) // it may have ended
			if _, after, found := strings.Cut(string(text), "VmHWM:"); found {
				var now int
				if _, err := fmt.Sscan(after, &now); err == nil {
					highest = max(highest, now>>10)
				}
			}
			select {
			case <-over:
				said <- highest
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	return func() int { close(over); return <-said }
}

func TestWhatACopyRunsInTheSandboxEndsWithIt(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.Must("create", "dev", "--image", harness.ImageShell, "--wait", "--", "sleep", "3600")
	// Ignore zombies: the container's main process does not wait for processes that have ended.
	running := func() string {
		return h.Must("exec", "dev", "--", "sh", "-c",
			`for p in /proc/[0-9]*; do read -r _ name state _ <$p/stat; [ "$state" = Z ] || echo "$name"; done 2>/dev/null | `+
				`grep -E 'sha256sum|tar|tee|head' || :`)
	}
	if r := h.Plugin("cp", "dev:/proc/1", filepath.Join(t.TempDir(), "d")); strings.Contains(r.Stderr, "interrupted") {
		t.Error(r)
	}
	h.Must("exec", "dev", "--", "sh", "-c",
		"mkdir /tmp/d && dd if=/dev/zero of=/tmp/d/big bs=1 count=1 seek=1000000000000 2>/dev/null")
	download, _ := startPlugin(h, "cp", "dev:/tmp/d", filepath.Join(t.TempDir(), "d"))
	h.Eventually("the download runs in the sandbox", func() error {
		if running() == "" {
			return fmt.Errorf("nothing runs")
		}
		return nil
	})
	if err := download.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = download.Wait() // it was interrupted
	h.Eventually("the download's processes have ended", func() error {
		if left := running(); left != "" {
			return fmt.Errorf("still there: %s", left)
		}
		return nil
	})
}
