// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build linux

package server

import (
	"bufio"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"
)

// slowClient is a connection whose client sends its body in pieces, each after a pause.
type slowClient struct {
	*httptest.ResponseRecorder

	clock    *clocktesting.FakeClock
	pause    time.Duration
	body     string
	deadline time.Time
}

// piece is how many bytes come at once.
const piece = 10

// SetReadDeadline is what http.ResponseController calls.
func (c *slowClient) SetReadDeadline(at time.Time) error {
	c.deadline = at
	return nil
}

// SetWriteDeadline is what http.ResponseController calls.
func (c *slowClient) SetWriteDeadline(time.Time) error { return nil }

// Read is the next piece of the body, unless the deadline is over before it comes.
func (c *slowClient) Read(into []byte) (int, error) {
	c.clock.Step(c.pause)
	switch {
	case !c.deadline.IsZero() && c.clock.Now().After(c.deadline):
		return 0, os.ErrDeadlineExceeded
	case c.body == "":
		return 0, io.EOF
	}
	count := copy(into, c.body[:min(len(c.body), piece)])
	c.body = c.body[count:]
	return count, nil
}

func TestABodyMayTakeAsLongAsItMoves(t *testing.T) {
	t.Parallel()
	s := newDefaultServer(t)
	header, upload := form("file", "some text that is long enough for its pieces")
	for path, row := range map[string]struct {
		body   string
		status int // when the body has arrived
	}{
		"/upload":         {upload, http.StatusOK},
		"/execute":        {`{"command": 3}`, http.StatusBadRequest},
		"/execute/stream": {`{"command": 3}`, http.StatusBadRequest},
	} {
		for pause, want := range map[time.Duration]int{
			s.stall - time.Second: row.status, s.stall + time.Second: http.StatusRequestTimeout,
		} {
			now := clocktesting.NewFakeClock(time.Now())
			s.clock = now
			client := &slowClient{ResponseRecorder: httptest.NewRecorder(), clock: now, pause: pause, body: row.body}
			request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, client)
			request.Header = header
			s.ServeHTTP(client, request)
			if client.Code != want {
				t.Errorf("%s with pauses of %v: %d %s", path, pause, client.Code, client.Body)
			}
		}
	}
}

func TestAStreamIsTheLastAnswerOfItsConnection(t *testing.T) {
	t.Parallel()
	r := start(t)
	for name, request := range map[string]string{
		"a request that has ended": post("/execute/stream", `{"command":"true"}`),
		"a request that goes on": "POST /execute/stream HTTP/1.1\r\nHost: x\r\nContent-Length: 9999\r\n\r\n" +
			`{"command":"true"}` + "\n",
	} {
		connection := r.raw(request)
		if err := connection.SetReadDeadline(time.Now().Add(30 * time.Second)); err != nil {
			t.Fatal(err)
		}
		reader := bufio.NewReader(connection)
		response, err := http.ReadResponse(reader, nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		text, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err != nil || string(text) != "{\"exit_code\":0}\n" || !response.Close {
			t.Errorf("%s: %q, %v, header %v", name, text, err, response.Header)
			continue // it would wait for the next request
		}
		if rest, err := io.ReadAll(reader); err != nil || len(rest) > 0 {
			t.Errorf("%s: the connection goes on with %q, %v", name, rest, err)
		}
	}
}
