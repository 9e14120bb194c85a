// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package router

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// processVariable makes the test binary another program, for measurements of a process of its own.
const processVariable = "ROUTER_TEST_PROCESS"

// The programs. Each prints its URL, and ends at the end of its standard input.
const (
	programRouter = "router"
	programBare   = "bare" // a reverse proxy of the standard library without anything, to the URL in its argument
)

func TestMain(m *testing.M) {
	program := os.Getenv(processVariable)
	if program == "" {
		os.Exit(m.Run())
	}
	testing.Benchmark(func(b *testing.B) { // for a world that logs as the program does
		if program == programBare {
			fmt.Println(bareProxy(b, os.Getenv(targetVariable)))
		} else {
			fmt.Println(newWorld(b, nil).url)
		}
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	})
}

// targetVariable is where a bare proxy sends all requests.
const targetVariable = "ROUTER_TEST_TARGET"

func bareProxy(b *testing.B, to string) string {
	b.Helper()
	target, err := url.Parse(to)
	if err != nil {
		b.Fatal(err)
	}
	return httptest.NewServer(&httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport: &http.Transport{MaxIdleConnsPerHost: 256},
	}).URL
}

// process is a program that runs.
type process struct {
	url string
	pid int
}

// start starts a program, which ends with the benchmark.
func start(b *testing.B, program, target string) process {
	b.Helper()
	// It ends with its standard input: the context of the benchmark ends before that.
	command := exec.CommandContext(context.WithoutCancel(b.Context()), os.Args[0]) //nolint:gosec // this program
	command.Env = append(os.Environ(), processVariable+"="+program, targetVariable+"="+target)
	command.Stderr = os.Stderr
	in, inErr := command.StdinPipe()
	out, outErr := command.StdoutPipe()
	if inErr != nil || outErr != nil {
		b.Fatal(inErr, outErr)
	}
	if err := command.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _, _ = in.Close(), command.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatalf("%s does not start: %v", program, err)
	}
	return process{strings.TrimSpace(line), command.Process.Pid}
}

// peak returns the most memory that the process has had at once (RSS), in MiB.
func (p process) peak(b *testing.B) float64 {
	b.Helper()
	status, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(p.pid), "status"))
	if err != nil {
		b.Fatal(err)
	}
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	text, _, _ := strings.Cut(strings.TrimSpace(after), " ")
	kilobytes, err := strconv.Atoi(text)
	if err != nil {
		b.Fatal(err)
	}
	return float64(kilobytes) / 1024
}
