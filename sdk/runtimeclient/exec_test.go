// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package runtimeclient_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
)

func lines(w http.ResponseWriter, all ...string) {
	for _, line := range all {
		_, _ = fmt.Fprintln(w, line)
		_ = http.NewResponseController(w).Flush()
	}
}

// health answers the question whether the runtime is there, and reports whether it was one.
func health(w http.ResponseWriter, r *http.Request) bool {
	if r.URL.Path != "/" {
		return false
	}
	_, _ = io.WriteString(w, `{"status":"ok"}`)
	return true
}

func TestHowACommandEnds(t *testing.T) {
	for name, test := range map[string]struct {
		answer func(w http.ResponseWriter, r *http.Request)
		out    string
		code   int  // of an ExitError
		lost   bool // a LostError
	}{
		"well": {out: "hello", answer: func(w http.ResponseWriter, _ *http.Request) {
			lines(w, `{"stream":"stdout","data":"aGVs"}`, `{"stream":"stdout","data":"bG8="}`, `{"exit_code":0}`)
		}},
		"with a code": {code: 7, answer: func(w http.ResponseWriter, _ *http.Request) { lines(w, `{"exit_code":7}`) }},
		"without a code": {lost: true, out: "hel", answer: func(w http.ResponseWriter, _ *http.Request) {
			lines(w, `{"stream":"stdout","data":"aGVs"}`)
		}},
		"cut off": {lost: true, out: "hel", answer: func(w http.ResponseWriter, _ *http.Request) {
			lines(w, `{"stream":"stdout","data":"aGVs"}`)
			cut(w)
		}},
		"cut off before the answer": {lost: true, answer: func(w http.ResponseWriter, _ *http.Request) { cut(w) }},
		"with nonsense":             {lost: true, answer: func(w http.ResponseWriter, _ *http.Request) { lines(w, `<html>`) }},
		"silent for long, and alive": {answer: func(w http.ResponseWriter, _ *http.Request) {
			lines(w)
			<-time.After(5 * silence)
			lines(w, `{"exit_code":0}`)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			var sent atomic.Int64
			c := client(t, func(w http.ResponseWriter, r *http.Request) {
				if health(w, r) {
					return
				}
				sent.Add(1)
				test.answer(w, r)
			})
			var out bytes.Buffer
			err := c.Exec(t.Context(), stream.Process{Command: []string{"x"}, Stdout: &out})
			ended, exited := errors.AsType[*stream.ExitError](err)
			_, lost := errors.AsType[*stream.LostError](err)
			if exited != (test.code != 0) || exited && ended.Code != test.code || lost != test.lost ||
				err != nil && !exited && !lost || out.String() != test.out || sent.Load() != 1 {
				t.Errorf("got %q, %v; it was sent %d times", out.String(), err, sent.Load())
			}
		})
	}
}

func TestASilentCommandWhoseRuntimeIsGoneIsLost(t *testing.T) {
	for name, answer := range map[string]func(w http.ResponseWriter, r *http.Request){
		"it does not answer":     func(_ http.ResponseWriter, r *http.Request) { hang(r) },
		"it cuts the connection": func(w http.ResponseWriter, _ *http.Request) { cut(w) },
		"there is no sandbox":    func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) },
	} {
		t.Run(name, func(t *testing.T) {
			c := client(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/" {
					answer(w, r)
					return
				}
				lines(w, `{"stream":"stdout","data":"aGVs"}`)
				hang(r)
			})
			err := c.Exec(t.Context(), stream.Process{Command: []string{"x"}})
			if _, lost := errors.AsType[*stream.LostError](err); !lost {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestARuntimeWithoutStreamsRunsCommandsToo(t *testing.T) {
	c := client(t, func(w http.ResponseWriter, r *http.Request) {
		var wanted struct{ Command string }
		switch {
		case health(w, r):
		case r.URL.Path != "/execute":
			http.NotFound(w, r)
		case json.NewDecoder(r.Body).Decode(&wanted) != nil || wanted.Command != "x 'y z'":
			http.Error(w, wanted.Command, http.StatusBadRequest)
		default:
			<-time.After(3 * silence)
			_, _ = io.WriteString(w, `{"stdout":"out","stderr":"err","exit_code":3}`)
		}
	})
	var out, errOut bytes.Buffer
	err := c.Exec(t.Context(), stream.Process{Command: []string{"x", "y z"}, Stdout: &out, Stderr: &errOut})
	ended, ok := errors.AsType[*stream.ExitError](err)
	if !ok || ended.Code != 3 || out.String() != "out" || errOut.String() != "err" {
		t.Errorf("got %q, %q, %v", out.String(), errOut.String(), err)
	}
	err = c.Exec(t.Context(), stream.Process{Command: []string{"x"}, Stdin: strings.NewReader("in")})
	if err == nil || !strings.Contains(err.Error(), "no standard input") {
		t.Errorf("got %v", err)
	}
}

func TestACommandThatWasNotSentIsNotLost(t *testing.T) {
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = listener.Close()
	err = clientOf(t, "http://"+listener.Addr().String()).Exec(t.Context(), stream.Process{Command: []string{"x"}})
	if _, lost := errors.AsType[*stream.LostError](err); lost || err == nil {
		t.Errorf("got %v", err)
	}
}

func TestInputThatNobodyReadsHoldsUpNothing(t *testing.T) {
	c := client(t, func(w http.ResponseWriter, r *http.Request) {
		if health(w, r) {
			return
		}
		_ = http.NewResponseController(w).EnableFullDuplex()
		w.Header().Set("Connection", "close")
		lines(w, `{"exit_code":0}`)
	})
	if err := c.Exec(t.Context(), stream.Process{Command: []string{"x"}, Stdin: neverEnding{}}); err != nil {
		t.Errorf("got %v", err)
	}
}

type neverEnding struct{}

// Read implements io.Reader.
func (neverEnding) Read(p []byte) (int, error) { clear(p); return len(p), nil }
