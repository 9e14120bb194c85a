// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build linux

package program

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/runtime/server"
)

// role makes this test's binary the program: "server" as an ordinary process, "first" as process 1.
const role = "RUNTIME_PROGRAM"

func TestMain(m *testing.M) {
	pid := os.Getpid()
	switch os.Getenv(role) {
	case "":
		os.Exit(m.Run())
	case "first":
		pid = 1
		// The program that process 1 starts is an ordinary one.
		if err := errors.Join(os.Setenv(role, "server"), unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)); err != nil {
			panic(err)
		}
	case "small": // no file can have more than 1,000 bytes
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 1000, Max: 1000}); err != nil {
			panic(err)
		}
	}
	os.Exit(Run(pid, os.Args, os.Stdout, os.Stderr, clock.RealClock{}))
}

// started is a program that serves.
type started struct {
	*exec.Cmd

	url string
	log *bufio.Scanner
}

func start(t *testing.T, as string, arguments ...string) *started {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &started{Cmd: exec.Command(self, append([]string{"--listen", "127.0.0.1:0"}, arguments...)...)}
	p.Dir = t.TempDir()
	p.Env = append(os.Environ(), role+"="+as)
	log, err := p.StderrPipe()
	if err := errors.Join(err, p.Start()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Process.Kill() })
	p.log = bufio.NewScanner(log)
	for p.log.Scan() {
		var line struct{ Msg, Address string }
		if json.Unmarshal(p.log.Bytes(), &line) == nil && line.Msg == "serving" {
			p.url = "http://" + line.Address
			return p
		}
	}
	t.Fatalf("it does not serve: %v", p.Wait())
	return nil
}

func (p *started) post(t *testing.T, path, kind, body string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", kind)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

func (p *started) execute(t *testing.T, command string) server.Outcome {
	t.Helper()
	body, err := json.Marshal(server.Execution{Command: &command})
	if err != nil {
		t.Fatal(err)
	}
	_, text := p.post(t, "/execute", "application/json", string(body))
	var outcome server.Outcome
	if err := json.Unmarshal([]byte(text), &outcome); err != nil {
		t.Fatal(err)
	}
	return outcome
}

// end sends a signal and returns the exit code.
func (p *started) end(t *testing.T, signal os.Signal) int {
	t.Helper()
	if err := p.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	for p.log.Scan() {
	}
	var exit *exec.ExitError
	if err := p.Wait(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return p.ProcessState.ExitCode()
}

func TestItServesAndEndsOnSIGTERM(t *testing.T) {
	t.Parallel()
	for _, as := range []string{"server", "first"} {
		for _, signal := range []os.Signal{unix.SIGTERM, unix.SIGINT} {
			p := start(t, as)
			if got := p.execute(t, "pwd"); strings.TrimSpace(got.Stdout) != p.Dir {
				t.Errorf("%+v, want %s", got, p.Dir)
			}
			if code := p.end(t, signal); code != 0 {
				t.Errorf("%s, %v: exit code %d", as, signal, code)
			}
		}
	}
}

func TestAsProcess1ItReapsWhatCommandsLeaveBehind(t *testing.T) {
	t.Parallel()
	p := start(t, "first")
	got := p.execute(t, "sh -c 'for i in 1 2 3 4 5 6 7 8 9; do (sleep 0.2 >/dev/null 2>&1 & echo $!); done'")
	pids := strings.Fields(got.Stdout)
	if len(pids) != 9 {
		t.Fatalf("%+v", got)
	}
	deadline := time.After(30 * time.Second)
	for _, pid := range pids {
		for {
			if _, err := os.Stat("/proc/" + pid); err != nil { // a zombie still has this directory
				break
			}
			select {
			case <-deadline:
				t.Fatalf("process %s is not reaped", pid)
			case <-time.After(5 * time.Millisecond):
			}
		}
	}
	// exit codes are those of the commands, not lost to the reaper
	for range 50 {
		if got := p.execute(t, "sh -c '(exit 3 &); exit 7'"); got.ExitCode != 7 {
			t.Fatalf("%+v", got)
		}
	}
}

func TestAFullDiskLeavesNothingOfAnUpload(t *testing.T) {
	t.Parallel()
	p := start(t, "small")
	body := "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"large\"\r\n\r\n" +
		strings.Repeat("x", 5000) + "\r\n--b--\r\n"
	status, text := p.post(t, "/upload", "multipart/form-data; boundary=b", body)
	entries, err := os.ReadDir(p.Dir)
	if status != http.StatusInsufficientStorage || err != nil || len(entries) != 0 {
		t.Errorf("%d %s, %v, %v", status, text, entries, err)
	}
}

func TestItCopiesItself(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	directory := t.TempDir()
	for target, at := range map[string]string{
		directory: filepath.Base(self), filepath.Join(directory, "file"): "file",
	} {
		var stderr bytes.Buffer
		if code := Run(1, []string{"x", "--copy-to", target}, nil, &stderr, clock.RealClock{}); code != 0 {
			t.Fatalf("%d, %s", code, stderr.String())
		}
		got, err := os.ReadFile(filepath.Join(directory, at))
		info, wrong := os.Stat(filepath.Join(directory, at))
		if err := errors.Join(err, wrong); err != nil || !bytes.Equal(got, want) || info.Mode() != 0o755 {
			t.Errorf("%s: %v, %v, %d bytes of %d", at, err, info.Mode(), len(got), len(want))
		}
	}
	var stderr bytes.Buffer
	if code := Run(1, []string{"x", "--copy-to", filepath.Join(directory, "no", "such")}, nil, &stderr, nil); code != 1 ||
		!strings.Contains(stderr.String(), "no such file") {
		t.Errorf("%d, %s", code, stderr.String())
	}
	if entries, err := os.ReadDir(directory); err != nil || len(entries) != 2 {
		t.Errorf("%v, %v", entries, err)
	}
}

func TestWhatIsNoCommandLineIsRefused(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]struct {
		code int
		says string
	}{
		"--help": {0, "-listen"}, "--version": {0, "v0.0.0-dev"}, "--no-such-flag": {2, "not defined"}, "serve": {2, `"serve"`},
		"--max-output=0": {1, "--max-output is 0"}, "--max-output=x": {2, "invalid value"},
		"--root=/no/such/directory": {1, "no such file"},
	} {
		var out bytes.Buffer
		if code := Run(7, []string{"x", line}, &out, &out, clock.RealClock{}); code != want.code ||
			!strings.Contains(out.String(), want.says) {
			t.Errorf("%s: %d, %s", line, code, out.String())
		}
	}
}

func TestTheGuideHasAllFlagsWithTheirDefaults(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../docs/guides/runtime.md")
	if err != nil {
		t.Fatal(err)
	}
	line := server.CommandLine{Config: server.Defaults()}
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	line.AddFlags(flags)
	flags.VisitAll(func(f *flag.Flag) {
		value := f.DefValue
		if value == "" {
			value = `""`
		}
		if row := "| `--" + f.Name + "` | `" + value + "` | " + f.Usage + " |\n"; !strings.Contains(string(guide), row) {
			t.Errorf("the guide lacks the row %s", row)
		}
	})
}
