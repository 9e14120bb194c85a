// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build linux

package server

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"

	"github.com/agent-sandbox/kubectl-sandbox/runtime/process"
)

// stream runs a command, passes on its outputs as they come, and takes its standard input from the lines that follow
// the first one of the request.
func (s *server) stream(w http.ResponseWriter, r *http.Request, _ string) {
	control := http.NewResponseController(w)
	from := s.body(w, r)
	input := lines(from)
	wanted, err := first(input)
	if err != nil {
		fail(w, err)
		return
	}
	// Without this, net/http reads the whole request before it writes an answer.
	if err := control.EnableFullDuplex(); err != nil {
		fail(w, err)
		return
	}
	from.wait()
	if record, ok := w.(*recorder); ok {
		record.patient = true
	}
	ctx, stop := s.limited(r.Context(), wanted)
	defer stop(nil)
	w.Header().Set("Content-Type", "application/x-ndjson")
	w.Header().Set("Connection", "close") // the command may end before the request does
	w.WriteHeader(http.StatusOK)
	_ = control.Flush()

	stdin, feed := io.Pipe()
	var fed sync.WaitGroup
	fed.Go(func() { pump(input, feed, stop) })
	go s.watch(ctx, stop)
	out := &chunks{encoder: json.NewEncoder(w), control: control, stop: stop}
	code, reason := s.run(ctx, *wanted.Command, process.Command{
		Stdin: stdin, Stdout: out.to("stdout"), Stderr: out.to("stderr"),
	})
	_ = stdin.Close()
	if reason != "" {
		_ = out.send(Chunk{Stream: "stderr", Data: []byte(report(reason))})
	}
	_ = out.send(End{ExitCode: code})
	from.drain(&fed)
}

// first reads the line that says what to execute.
func first(input *bufio.Scanner) (Execution, error) {
	line, err := next(input)
	if errors.Is(err, io.EOF) {
		return Execution{}, fmt.Errorf("%w: it is empty", errMalformed)
	}
	if err != nil {
		return Execution{}, err
	}
	return parse(line)
}

// pump copies the lines of a request to the standard input of its command. A request that breaks off stops the command.
func pump(input *bufio.Scanner, stdin *io.PipeWriter, stop context.CancelCauseFunc) {
	defer func() { _ = stdin.Close() }()
	for {
		line, err := next(input)
		if errors.Is(err, io.EOF) {
			return
		}
		var one Input
		if err == nil {
			if err = json.Unmarshal(line, &one); err != nil || one.Data == nil {
				err = fmt.Errorf("%w: a line of input has no data", errMalformed)
			}
		}
		if err != nil {
			stop(err)
			return
		}
		if _, err := stdin.Write(one.Data); err != nil {
			return // the command has ended
		}
	}
}

// chunks writes the lines of an answer.
type chunks struct {
	mu      sync.Mutex
	encoder *json.Encoder
	control *http.ResponseController
	stop    context.CancelCauseFunc
}

func (c *chunks) to(stream string) io.Writer {
	return writer(func(data []byte) (int, error) {
		if err := c.send(Chunk{Stream: stream, Data: data}); err != nil {
			c.stop(fmt.Errorf("%w: %w", errClosed, err))
			return 0, err
		}
		return len(data), nil
	})
}

func (c *chunks) send(line any) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.encoder.Encode(line); err != nil {
		return err
	}
	return c.control.Flush()
}
