// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build linux

package server

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// line is any line of a stream's answer.
type line struct {
	Stream   string
	Data     []byte
	ExitCode *int `json:"exit_code"`
}

// session is a stream whose request is still being written.
type session struct {
	r      *running
	input  *io.PipeWriter
	output *json.Decoder
	body   io.ReadCloser
}

// open starts a stream. The caller closes its input.
func (r *running) open(command string) *session {
	r.Helper()
	read, write := io.Pipe()
	request, err := http.NewRequestWithContext(r.Context(), http.MethodPost, "http://"+r.address+"/execute/stream", read)
	if err != nil {
		r.Fatal(err)
	}
	s := &session{r: r, input: write}
	go func() { s.send(Execution{Command: &command}) }()
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() { _ = response.Body.Close() })
	s.body, s.output = response.Body, json.NewDecoder(response.Body)
	return s
}

func (s *session) send(message any) {
	text, err := json.Marshal(message)
	if err == nil {
		_, err = s.input.Write(append(text, '\n'))
	}
	if err != nil {
		s.r.Error(err)
	}
}

// next returns the next line.
func (s *session) next() line {
	s.r.Helper()
	var one line
	if err := s.output.Decode(&one); err != nil {
		s.r.Fatal(err)
	}
	return one
}

// rest reads to the end, and returns both outputs and the exit code.
func (s *session) rest() (stdout, stderr string, code int) {
	s.r.Helper()
	var out, err strings.Builder
	for {
		one := s.next()
		if one.ExitCode != nil {
			if s.output.More() {
				s.r.Error("there is more after the exit code")
			}
			return out.String(), err.String(), *one.ExitCode
		}
		map[string]*strings.Builder{"stdout": &out, "stderr": &err}[one.Stream].Write(one.Data)
	}
}

func TestAStreamIsADialogue(t *testing.T) {
	t.Parallel()
	s := start(t).open("cat")
	for _, text := range []string{"one\n", "\xff\x00", strings.Repeat("long", 10_000)} {
		s.send(Input{Data: []byte(text)})
		got := ""
		for len(got) < len(text) {
			got += string(s.next().Data)
		}
		if got != text {
			t.Errorf("%q", got)
		}
	}
	_ = s.input.Close()
	if stdout, stderr, code := s.rest(); stdout+stderr != "" || code != 0 {
		t.Errorf("%q, %q, %d", stdout, stderr, code)
	}
}

func TestOutputComesWhileACommandRuns(t *testing.T) {
	t.Parallel()
	r := start(t)
	s := r.open("sh -c 'echo first; while " + alive + " && ! [ -e go ]; do sleep 0.01; done; echo last >&2; exit 5'")
	if got := s.next(); got.Stream != "stdout" || string(got.Data) != "first\n" {
		t.Errorf("%+v", got)
	}
	r.upload("go", "")
	if stdout, stderr, code := s.rest(); stdout != "" || stderr != "last\n" || code != 5 {
		t.Errorf("%q, %q, %d", stdout, stderr, code)
	}
	_ = s.input.Close()
}

func TestAStreamWithoutInputEnds(t *testing.T) {
	t.Parallel()
	r := start(t)
	got := r.must(http.MethodPost, "/execute/stream", nil, strings.NewReader(`{"command":"cat"}`))
	if got.status != http.StatusOK || got.body != "{\"exit_code\":0}\n" {
		t.Errorf("%v", got)
	}
	got = r.must(http.MethodPost, "/execute/stream", nil, strings.NewReader(`{"command":"no-such-program"}`))
	if lines := strings.Split(got.body, "\n"); len(lines) != 3 || lines[1] != `{"exit_code":1}` {
		t.Errorf("%v", got)
	}
}

func TestThousandsOfSmallOutputsArriveInOrder(t *testing.T) {
	t.Parallel()
	s := start(t).open("sh -c 'i=0; while [ $i -lt 5000 ]; do echo $i; echo $i >&2; i=$((i+1)); done'")
	_ = s.input.Close()
	stdout, stderr, code := s.rest()
	var want bytes.Buffer
	for i := range 5000 {
		fmt.Fprintln(&want, i)
	}
	if stdout != want.String() || stderr != want.String() || code != 0 {
		t.Errorf("%d and %d bytes of %d, exit code %d", len(stdout), len(stderr), want.Len(), code)
	}
}

func TestALargeOutputHasNoLimitInAStream(t *testing.T) {
	t.Parallel()
	s := start(t, func(s *server) { s.config.MaxOutput = 10 }).open("head -c 20000000 /dev/zero")
	_ = s.input.Close()
	if stdout, _, code := s.rest(); len(stdout) != 20_000_000 || code != 0 {
		t.Errorf("%d bytes, exit code %d", len(stdout), code)
	}
}

func TestBadInputStopsTheCommandOfAStream(t *testing.T) {
	t.Parallel()
	r := start(t)
	for _, bad := range []string{"x\n", "{}\n", `{"data":5}` + "\n", `{"data":"%"}` + "\n", strings.Repeat("x", maxRequest+1)} {
		s := r.open("sleep 1000")
		go func() { _, _ = io.WriteString(s.input, bad) }()
		if _, stderr, code := s.rest(); code != 137 || !strings.Contains(stderr, "the request") {
			t.Errorf("%.20q: %q, %d", bad, stderr, code)
		}
		_ = s.input.Close()
	}
}

func TestACommandThatEndsLeavesTheRestOfItsInput(t *testing.T) {
	t.Parallel()
	r := start(t)
	s := r.open("head -c 3")
	go func() {
		for i := 0; ; i++ {
			if _, err := fmt.Fprintf(s.input, "{\"data\":\"%s\"}\n", strings.Repeat("YWJj", 10_000)); err != nil {
				return
			}
		}
	}()
	if stdout, _, code := s.rest(); stdout != "abc" || code != 0 {
		t.Errorf("%q, %d", stdout, code)
	}
	_ = s.body.Close()
	r.eventually("the line in the log", func() bool { return strings.Contains(r.log.String(), "/execute/stream") })
}

func TestAClientThatIsGoneIsNoticedBehindInputThatNobodyReads(t *testing.T) {
	t.Parallel()
	r := start(t)
	connection := r.raw("POST /execute/stream HTTP/1.1\r\nHost: x\r\nContent-Length: 100000000\r\n\r\n" +
		`{"command":"sh -c 'echo $$; exec sleep 1000'"}` + "\n")
	reader := bufio.NewReader(connection)
	pid := ""
	for pid == "" {
		text, err := reader.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		var one line
		if json.Unmarshal([]byte(text), &one) == nil {
			pid = strings.TrimSpace(string(one.Data))
		}
	}
	chunk := `{"data":"` + strings.Repeat("YWJj", 50_000) + `"}` + "\n"
	if _, err := io.WriteString(connection, chunk+"more"); err != nil { // a pipe holds less
		t.Fatal(err)
	}
	_ = connection.Close()
	r.eventually("the end of the command", func() bool { return gone(pid) })
}

func TestAStreamWaitsForASlowReader(t *testing.T) {
	t.Parallel()
	r := start(t, func(s *server) { s.stall = 500 * time.Millisecond })
	s := r.open("head -c 20000000 /dev/zero")
	r.execute("sleep 1.5") // nobody reads the stream for longer than a download may wait
	_ = s.input.Close()
	if stdout, _, code := s.rest(); len(stdout) != 20_000_000 || code != 0 {
		t.Errorf("%d bytes, exit code %d", len(stdout), code)
	}
}
