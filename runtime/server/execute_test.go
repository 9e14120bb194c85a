// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build linux

package server

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestWhatACommandAnswers(t *testing.T) {
	t.Parallel()
	r := start(t)
	for command, want := range map[string]Outcome{
		`echo hello`:                             {"hello\n", "", 0},
		`sh -c 'echo out; echo err >&2; exit 3'`: {"out\n", "err\n", 3},
		`echo $HOME | cat`:                       {"$HOME | cat\n", "", 0},
		`printf '\377a\0'`:                       {"\ufffda\x00", "", 0},
		`printf '<&>'`:                           {"<&>", "", 0},
		`sh -c 'kill -9 $$'`:                     {"", "", 137},
		`printf ä`:                               {"ä", "", 0},
	} {
		if got := r.execute(command); got != want {
			t.Errorf("%s: %+v, want %+v", command, got, want)
		}
	}
}

func TestACommandThatDoesNotStartSaysWhy(t *testing.T) {
	t.Parallel()
	r := start(t)
	r.file("data", "")
	for command, reason := range map[string]string{
		"no-such-program x": "not found", "./data": "permission denied", "": "the command is empty",
		"  ":      "the command is empty",
		"echo 'a": "a single quote in the command is not closed", "echo a\x00b": "invalid argument",
		"echo " + strings.Repeat("x", 3<<20): "argument list too long",
	} {
		got := r.execute(command)
		if got.ExitCode != 1 || got.Stdout != "" || !strings.HasPrefix(got.Stderr, "sandbox-runtime: ") ||
			!strings.Contains(got.Stderr, reason) || !strings.HasSuffix(got.Stderr, "\n") {
			t.Errorf("%.40q: %+v", command, got)
		}
	}
}

func TestWhatIsNoExecutionIsRefused(t *testing.T) {
	t.Parallel()
	r := start(t)
	for _, path := range []string{"/execute", "/execute/stream"} {
		for _, body := range []string{
			"", "x", "{}", "[]", "null", `"echo"`, `{"command":5}`, `{"command":null}`, `{"command":"echo"} x`, `{"command":"a`,
			"{\"command\":\"\xff\"}", `{"command":"echo","timeout_seconds":0}`, `{"command":"echo","timeout_seconds":-1}`,
			`{"command":"echo","timeout_seconds":1e300}`, `{"command":"echo","timeout_seconds":"1"}`,
		} {
			if got := r.must(http.MethodPost, path, nil, strings.NewReader(body)); got.status != http.StatusBadRequest {
				t.Errorf("%s %q: %v", path, body, got)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"command":"echo a"}`, `{"command":"","timeout_seconds":0.5}`, "{}", "null", `{"command":"\ud800"}`, "{\"command\":\"\xff\"}",
		`{"command":"a","command":"b"}`, `{"COMMAND":"a"}`, strings.Repeat("[", 20000),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		got, err := parse(body)
		if err != nil {
			return
		}
		if got.Command == nil || got.TimeoutSeconds != nil &&
			(!(*got.TimeoutSeconds > 0) || time.Duration(*got.TimeoutSeconds*float64(time.Second)) < 0) {
			t.Errorf("%q: %+v", body, got)
		}
	})
}

func TestACommandThatRunsForTooLongIsStopped(t *testing.T) {
	t.Parallel()
	short, command := 1.0, "sh -c 'echo $$; printf partial >&2; exec sleep 1000'"
	for name, row := range map[string]struct {
		own   *float64
		limit time.Duration
		says  string
	}{
		"by its own limit":                 {&short, 0, "1s"},
		"by the runtime's limit":           {nil, 1500 * time.Millisecond, "1.5s"},
		"by the shorter of both":           {&short, time.Hour, "1s"},
		"by the shorter of both, reversed": {new(3600.0), 1500 * time.Millisecond, "1.5s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t, func(s *server) { s.config.CommandTimeout = row.limit })
			got := r.executeWith(Execution{Command: &command, TimeoutSeconds: row.own})
			want := "partial\nsandbox-runtime: the command was stopped: it ran for longer than it may: " + row.says + "\n"
			if got.ExitCode != 124 || got.Stderr != want || !gone(strings.TrimSpace(got.Stdout)) {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestTheOutputOfAnAnswerIsLimited(t *testing.T) {
	t.Parallel()
	r := start(t, func(s *server) { s.config.MaxOutput = 1000 })
	got := r.execute("sh -c 'echo $$; yes'")
	pid, _, _ := strings.Cut(got.Stdout, "\n")
	if len(got.Stdout) != 1000 || got.ExitCode != 137 || !strings.Contains(got.Stderr, "1000 bytes") || !gone(pid) {
		t.Errorf("%d bytes, exit code %d, %q", len(got.Stdout), got.ExitCode, got.Stderr)
	}
	if got := r.execute("sh -c 'head -c 600 /dev/zero; head -c 600 /dev/zero >&2'"); got.ExitCode != 137 ||
		len(got.Stdout)+strings.Count(got.Stderr, "\x00") != 1000 {
		t.Errorf("both together: %d bytes, exit code %d", len(got.Stdout)+strings.Count(got.Stderr, "\x00"), got.ExitCode)
	}
	if got := r.execute("head -c 1000 /dev/zero"); got.ExitCode != 0 || len(got.Stdout) != 1000 {
		t.Errorf("just as much as fits: %d bytes, exit code %d", len(got.Stdout), got.ExitCode)
	}
}

func TestCommandsRunAtTheSameTimeAndTheRestAnswersMeanwhile(t *testing.T) {
	t.Parallel()
	r := start(t)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			script := fmt.Sprintf("sh -c 'touch started%d; while "+alive+" && ! [ -e go ]; do sleep 0.01; done; echo %d'", i, i)
			if got := r.execute(script); got != (Outcome{Stdout: fmt.Sprintln(i)}) {
				t.Errorf("%+v", got)
			}
		})
	}
	for i := range 8 {
		r.started(fmt.Sprint("started", i))
	}
	if got := r.get("/"); got.status != http.StatusOK || got.body != "{\"status\":\"ok\"}\n" {
		t.Errorf("%v", got)
	}
	r.upload("go", "")
	all.Wait()
}

// raw sends bytes over a connection of its own.
func (r *running) raw(text string) net.Conn {
	r.Helper()
	connection, err := (&net.Dialer{}).DialContext(r.Context(), "tcp", r.address)
	if err == nil {
		_, err = io.WriteString(connection, text)
	}
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() { _ = connection.Close() })
	return connection
}

func post(path, body string) string {
	return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", path, len(body), body)
}

func TestAClosedConnectionStopsItsCommand(t *testing.T) {
	t.Parallel()
	r := start(t)
	script := `"sh -c 'sleep 1000 & echo $! $$ >pids.new; mv pids.new pids; wait'"`
	for _, path := range []string{"/execute", "/execute/stream"} {
		connection := r.raw(post(path, `{"command":`+script+`}`))
		r.started("pids")
		pids := strings.Fields(r.content("pids"))
		_ = connection.Close()
		for _, pid := range pids {
			r.eventually("the end of "+pid, func() bool { return gone(pid) })
		}
		r.execute("rm pids")
	}
}

func TestTheServerStopsItsCommandsAndAnswersBeforeItEnds(t *testing.T) {
	t.Parallel()
	r := start(t)
	var got Outcome
	var all sync.WaitGroup
	all.Go(func() {
		got = r.execute("sh -c 'trap : TERM; echo out; touch started; while " + alive + "; do sleep 0.01; done'")
	})
	r.started("started")
	r.shutdown()
	all.Wait()
	if got.ExitCode != 143 || got.Stdout != "out\n" || !strings.Contains(got.Stderr, "the runtime stops") {
		t.Errorf("%+v", got)
	}
	r.eventually("the end of the listener", func() bool {
		_, err := r.send(http.MethodGet, "/", nil, nil)
		return err != nil
	})
}

func TestAForeignWebPageRunsNothing(t *testing.T) {
	t.Parallel()
	r := start(t)
	for name, header := range map[string]http.Header{
		"that the browser declares": {"Sec-Fetch-Site": {"cross-site"}}, "by its origin": {"Origin": {"https://example.com"}},
	} {
		got := r.must(http.MethodPost, "/execute", header, strings.NewReader(`{"command":"touch ran"}`))
		if got.status != http.StatusForbidden || strings.Contains(r.get("/exists/ran").body, "true") {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestAFileOfASandboxIsNoWebPage(t *testing.T) {
	t.Parallel()
	r := start(t)
	r.file("page", "<script>alert(1)</script>")
	got := r.get("/download/page")
	if got.header.Get("X-Content-Type-Options") != "nosniff" ||
		got.header.Get("Content-Type") != "application/octet-stream" {
		t.Errorf("%v", got.header)
	}
}

func TestTheLogHasNoSecrets(t *testing.T) {
	t.Parallel()
	r := start(t)
	r.upload("hunter2", "hunter2")
	r.execute("echo hunter2")
	r.get("/download/hunter2?token=hunter2")
	r.get("/exists/hunter2")
	header := http.Header{"Authorization": {"Bearer hunter2"}, "X-Request-Id": {"id-1" + strings.Repeat("x", 1000)}}
	r.must(http.MethodGet, "/hunter2", header, nil)
	r.must("HUNTER2", "/", header, nil)
	r.get("/")
	r.eventually("the lines", func() bool { return strings.Count(r.log.String(), `"msg":"request"`) == 6 })
	log := r.log.String()
	if strings.Contains(strings.ToLower(log), "hunter2") {
		t.Error(log)
	}
	for _, want := range []string{
		`"method":"POST","endpoint":"/execute","status":200`, `"endpoint":"/download/","status":200,"bytes":7`,
		`"endpoint":"","status":404`, `"request_id":"id-1xxx`, `"method":"other"`,
	} {
		if !strings.Contains(log, want) {
			t.Errorf("no line has %s:\n%s", want, log)
		}
	}
	for line := range strings.Lines(log) {
		if len(line) > 500 {
			t.Errorf("a line of %d bytes", len(line))
		}
	}
}

func TestConnectionsAreUsedAgain(t *testing.T) {
	t.Parallel()
	r := start(t)
	connection := r.raw("")
	reader := bufio.NewReader(connection)
	for _, request := range []string{
		post("/execute", `{"command":"echo a"}`), post("/execute/stream", "bad"), post("/execute", "bad"),
		"GET / HTTP/1.1\r\nHost: x\r\n\r\n", post("/nothing", "body"), post("/execute", `{"command":"echo a"}`),
	} {
		if _, err := io.WriteString(connection, request); err != nil {
			t.Fatal(err)
		}
		response, err := http.ReadResponse(bufio.NewReader(reader), nil)
		if err != nil {
			t.Fatalf("%q: %v", request, err)
		}
		if _, err := io.Copy(io.Discard, response.Body); err != nil || response.Close {
			t.Errorf("%q: %v, close %v", request, err, response.Close)
		}
		_ = response.Body.Close()
	}
}

func TestTimeoutsOfAYearFitADuration(t *testing.T) {
	t.Parallel()
	most := float64(math.MaxInt64 / int64(time.Second))
	if time.Duration(most*float64(time.Second)) < 0 {
		t.Error(most)
	}
}
