// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sync_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/cli-runtime/pkg/genericiooptions"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	synccommand "github.com/agent-sandbox/kubectl-sandbox/plugin/internal/command/sync"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory/fake"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakecluster"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakeserver"
)

// patience is how long tests wait for what happens at once on an idle machine.
const patience = 30 * time.Second

// world is a cluster with the running Sandbox "dev", whose programs run in a directory of this machine.
type world struct {
	factory     *fake.Factory
	server      *fakeserver.Server
	here, there string
	out, errOut buffer
}

// buffer is output that is read while it is written.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{here: t.TempDir(), there: t.TempDir(), server: fakeserver.New()}
	t.Cleanup(w.server.Close)
	w.server.Exec = fakeserver.Local(w.there, "sh", "tar")
	dev := builders.Sandbox("dev", builders.WithUID("1"))
	cluster := fakecluster.New(dev, builders.Pod(
		"dev", builders.OwnedBy(dev), builders.Ready(), builders.WithLabel(apis.LabelSandboxNameHash, naming.Hash("dev")),
	))
	w.factory = &fake.Factory{
		Config: w.server.Config(), SandboxesClient: cluster.Sandboxes, KubernetesClient: cluster.Kubernetes,
	}
	return w
}

// run runs the command.
func (w *world) run(ctx context.Context, args ...string) error {
	cmd := synccommand.NewCommand(w.factory, genericiooptions.IOStreams{
		In: strings.NewReader(""), Out: &w.out, ErrOut: &w.errOut,
	})
	cmd.SetArgs(args)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	return cmd.ExecuteContext(ctx)
}

func write(t *testing.T, content string, path ...string) {
	t.Helper()
	name := filepath.Join(path...)
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(content), 0o644)); err != nil {
		t.Fatal(err)
	}
}

func TestWrongUsage(t *testing.T) {
	tests := map[string]struct {
		args []string
		want string
	}{
		"two sandboxes":           {[]string{"a:/x", "b:/y"}, "use 'cp' between sandboxes"},
		"no sandbox":              {[]string{"a", "b"}, "one of SRC and DST must be in a sandbox"},
		"a stream":                {[]string{"-", "b:/y"}, "use 'cp' for standard input"},
		"watching a dry run":      {[]string{"a", "b:/y", "--watch", "--dry-run"}, "nothing to --watch"},
		"a pattern without end":   {[]string{"a", "b:/y", "--exclude", "[x"}, `the pattern "[x"`},
		"the home of somebody":    {[]string{"a", "b:~bin/y"}, "DST"},
		"a missing destination":   {[]string{"a"}, "DST is missing"},
		"more than two arguments": {[]string{"a", "b:/c", "d"}, "unexpected argument"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := &world{factory: &fake.Factory{}} // it contacts no cluster
			if err := w.run(t.Context(), tt.args...); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestWhatIsSaidOfASynchronization(t *testing.T) {
	w := newWorld(t)
	for i := range 12 {
		write(t, "12345", w.here, "src", fmt.Sprintf("f%02d", i))
	}
	write(t, "x", w.there, "dst", "old\x1b[2J")
	write(t, "x", w.there, "dst", "cache", "y")
	src, back := filepath.Join(w.here, "src"), filepath.Join(w.here, "back")
	for _, tt := range []struct {
		args         []string
		lines        int
		before, last string
	}{
		{
			[]string{src, "dev:dst", "--exclude", "y", "--delete", "--dry-run"}, 15, "would delete old^[[2J",
			"dev:dst: 12 copied (60 B), 2 deleted, 0 unchanged (dry run)",
		},
		{
			[]string{src, "dev:dst", "--exclude", "y", "--delete"}, 14, "deleted old^[[2J",
			"dev:dst: 12 copied (60 B), 1 deleted, 0 unchanged; 1 of the directories stay, because they are not empty",
		},
		{[]string{src, "sandbox/dev:dst"}, 1, "", "sandbox/dev:dst: 0 copied (0 B), 12 unchanged"},
		{[]string{"dev:dst", back, "--exclude", "f*"}, 3, "copied cache/y", back + ": 2 copied (1 B), 0 unchanged"},
	} {
		w.out = buffer{}
		if err := w.run(t.Context(), tt.args...); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split("\n"+strings.TrimSpace(w.out.String()), "\n")
		last := len(lines) - 1
		if last != tt.lines || lines[last-1] != tt.before || lines[last] != tt.last {
			t.Errorf("%q: %s", tt.args, w.out.String())
		}
	}
}

func TestAnEmptySourceNeedsYes(t *testing.T) {
	w := newWorld(t)
	if err := os.Mkdir(filepath.Join(w.here, "src"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, "x", w.there, "dst", "a")
	err := w.run(t.Context(), filepath.Join(w.here, "src"), "dev:dst", "--delete")
	if cli.ExitCode(err) != cli.ExitFailed || !strings.Contains(err.Error(), "give --yes if you mean it") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(filepath.Join(w.there, "dst", "a")); err != nil {
		t.Error(err)
	}
	if err := w.run(t.Context(), filepath.Join(w.here, "src"), "dev:dst", "--delete", "--yes"); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(w.there, "dst", "a")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestWatchCopiesEachChange(t *testing.T) {
	for _, way := range []string{"up", "down"} {
		t.Run(way, func(t *testing.T) {
			w := newWorld(t)
			clock := clocktesting.NewFakeClock(time.Now())
			w.factory.Time = clock
			source, target := filepath.Join(w.here, "src"), filepath.Join(w.there, "dst")
			args := []string{source, "dev:dst", "--watch", "--delete"}
			if way == "down" {
				source, target = filepath.Join(w.there, "src"), filepath.Join(w.here, "dst")
				args[0], args[1] = "dev:src", target
			}
			write(t, "1", source, "a")
			write(t, "1", source, "gone")
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() { ended <- w.run(ctx, args...) }()
			until(t, clock, "the first copy", func() bool { return content(target, "a")+content(target, "gone") == "11" })

			write(t, "2!", source, "a")
			until(t, clock, "an edit", func() bool { return content(target, "a") == "2!" })
			if err := os.Remove(filepath.Join(source, "gone")); err != nil {
				t.Fatal(err)
			}
			until(t, clock, "a deletion", func() bool { return content(target, "gone") == "" })

			if err := os.Rename(source, source+" away"); err != nil {
				t.Fatal(err)
			}
			until(t, clock, "a failure", func() bool { return strings.Contains(w.errOut.String(), "no such directory") })
			if err := os.Rename(source+" away", source); err != nil {
				t.Fatal(err)
			}
			write(t, "after a failure", source, "a")
			until(t, clock, "an edit after a failure", func() bool { return content(target, "a") == "after a failure" })
			if n := strings.Count(w.errOut.String(), "trying again"); n != 1 {
				t.Errorf("the failure was reported %d times: %s", n, w.errOut.String())
			}
			until(t, clock, "the report of each copy", func() bool { // an edit may be seen before it is complete
				return strings.Count(w.out.String(), "copied a\n") >= 3
			})
			cancel()
			if err := <-ended; cli.ExitCode(err) != cli.ExitInterrupted {
				t.Errorf("ended with %v", err)
			}
		})
	}
}

func TestAnEditWithinTheSameSecondIsNoticedByWatch(t *testing.T) {
	w := newWorld(t)
	clock := clocktesting.NewFakeClock(time.Now())
	w.factory.Time = clock
	source, at := filepath.Join(w.here, "src"), time.Unix(1_700_000_000, 0)
	edit := func(content string, nanos int64) {
		write(t, content, w.here, "new")
		if err := errors.Join(
			os.Chtimes(filepath.Join(w.here, "new"), at, at.Add(time.Duration(nanos))),
			os.Rename(filepath.Join(w.here, "new"), filepath.Join(source, "a")),
		); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(source, 0o755); err != nil {
		t.Fatal(err)
	}
	edit("1", 1)
	ended := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { ended <- w.run(ctx, source, "dev:dst", "-w") }()
	until(t, clock, "the first copy", func() bool { return content(w.there, "dst/a") == "1" })
	edit("2", 2)
	until(t, clock, "the edit", func() bool { return content(w.there, "dst/a") == "2" })
	cancel()
	<-ended
}

// until steps the clock, not much faster than time passes for connections, until the condition holds.
func until(t *testing.T, clock *clocktesting.FakeClock, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !holds(); {
		if time.Now().After(end) {
			t.Fatalf("%s has not happened", what)
		}
		clock.Step(time.Second)
		<-time.After(200 * time.Millisecond)
	}
}

// content returns the content of a file; empty if there is none.
func content(path ...string) string {
	text, _ := os.ReadFile(filepath.Join(path...)) // it may not be there yet
	return string(text)
}

func TestAWatchThatHasNothingToDoEndsWithoutAMessage(t *testing.T) {
	w := newWorld(t)
	source := filepath.Join(w.here, "src")
	write(t, "1", source, "a")
	ctx, cancel := context.WithCancel(t.Context())
	w.factory.Time = clocktesting.NewFakeClock(time.Now()) // it does not look again
	ended := make(chan error, 1)
	go func() { ended <- w.run(ctx, source, "dev:dst", "--watch") }()
	for !strings.Contains(w.out.String(), "copied a\n") {
		<-time.After(10 * time.Millisecond)
	}
	cancel()
	if err := <-ended; cli.ExitCode(err) != cli.ExitInterrupted || err.Error() != "" {
		t.Errorf("ended with %v", err)
	}
}
