// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package runtimeclient

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"

	"github.com/kballard/go-shellquote"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/internal/liveness"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
)

const (
	// maxLine is the longest line of an answer with streams.
	maxLine = 4 << 20
	// inputSize is how much input is sent in one line.
	inputSize = 32 << 10
)

// Exec runs a command. Its errors are those of stream.Network.Exec, a *StatusError, or that of the transport if the
// command was not sent. The command may run for as long as the context permits; when it is silent, the runtime is asked
// whether it is there.
func (c *Client) Exec(ctx context.Context, process stream.Process) error {
	if process.TTY {
		return errors.New("a runtime gives commands no terminal")
	}
	var pulse liveness.Pulse
	attended, stop := pulse.Attend(ctx, c.config.Clock, c.config.Silence, c.checkAlive)
	defer stop()
	var sent atomic.Bool
	traced := httptrace.WithClientTrace(attended, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { sent.Store(true) },
	})
	err := c.stream(traced, &pulse, process)
	if known, ok := errors.AsType[*StatusError](err); ok && lacksStreams(known) {
		err = c.execute(traced, process)
	}
	if err != nil {
		err = c.config.Explain(attended, err)
	}
	var known *StatusError
	var ended *stream.ExitError
	var output *outputError
	switch {
	case err == nil, errors.As(err, &ended), errors.As(err, &output), errors.As(err, &known):
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	case attended.Err() != nil:
		return context.Cause(attended)
	case !sent.Load(), errors.Is(err, ErrTooLarge):
		return err
	}
	return &stream.LostError{Cause: err}
}

// checkAlive returns an error if the runtime is not there.
func (c *Client) checkAlive(ctx context.Context) error {
	var refused *StatusError
	err := c.Health(ctx)
	for tries := 1; err != nil && tries < healthChecks && ctx.Err() == nil && !errors.As(err, &refused); tries++ {
		err = c.Health(ctx)
	}
	if err != nil {
		return &stream.LostError{Cause: fmt.Errorf("the command is silent, and its sandbox does not answer: %w", err)}
	}
	return nil
}

// healthChecks is how often a runtime is asked whether it is there.
const healthChecks = 3

// outputError is the error of a writer of the caller.
type outputError struct{ cause error }

// Error implements error.
func (e *outputError) Error() string { return "write the output: " + e.cause.Error() }

// Unwrap returns the cause.
func (e *outputError) Unwrap() error { return e.cause }

// lacksStreams reports whether the answer is that of a runtime that knows only the shared contract.
func lacksStreams(answer *StatusError) bool {
	return answer.StatusCode == http.StatusNotFound || answer.StatusCode == http.StatusMethodNotAllowed
}

// execution is the request to run a command. The contract wants one string, which the runtime splits as a shell does.
func execution(process stream.Process) ([]byte, error) {
	return json.Marshal(map[string]string{"command": shellquote.Join(process.Command...)})
}

// stream runs a command whose outputs come as it writes them.
func (c *Client) stream(ctx context.Context, pulse *liveness.Pulse, process stream.Process) error {
	first, err := execution(process)
	if err != nil {
		return err
	}
	var body io.Reader = bytes.NewReader(first)
	if process.Stdin != nil {
		lines, feed := io.Pipe()
		defer lines.Close()
		go pump(feed, append(first, '\n'), process.Stdin)
		body = lines
	}
	response, err := c.send(ctx, http.MethodPost, "/execute/stream", body,
		http.Header{"Content-Type": {"application/x-ndjson"}})
	if err != nil {
		return err
	}
	defer drain(response)
	scanner := bufio.NewScanner(pulse.Reader(response.Body))
	scanner.Buffer(nil, maxLine)
	for scanner.Scan() {
		code, err := pass(scanner.Bytes(), process)
		switch {
		case err != nil:
			return err
		case code == nil:
		case *code != 0:
			return &stream.ExitError{Code: *code}
		default:
			return nil
		}
	}
	if err := scanner.Err(); err != nil {
		return fmt.Errorf("read the output: %w", err)
	}
	return fmt.Errorf("read the output: %w", io.ErrUnexpectedEOF)
}

// pass writes the output in a line to where it belongs. The last line has an exit code instead.
func pass(text []byte, process stream.Process) (code *int, err error) {
	var line struct {
		Stream   string `json:"stream"`
		Data     []byte `json:"data"`
		ExitCode *int   `json:"exit_code"`
	}
	if err := json.Unmarshal(text, &line); err != nil {
		return nil, fmt.Errorf("read the output: %w", err)
	}
	out := process.Stdout
	if line.Stream == "stderr" {
		out = process.Stderr
	}
	if out != nil && len(line.Data) > 0 {
		if _, err := out.Write(line.Data); err != nil {
			return nil, &outputError{err}
		}
	}
	return line.ExitCode, nil
}

// pump sends the first line and then the input. It ends when the other end of the pipe is closed, or with the input.
func pump(feed *io.PipeWriter, first []byte, input io.Reader) {
	_, err := feed.Write(first)
	encoder, buffer := json.NewEncoder(feed), make([]byte, inputSize)
	for err == nil {
		var n int
		n, err = input.Read(buffer)
		if n > 0 {
			if failed := encoder.Encode(map[string][]byte{"data": buffer[:n]}); failed != nil {
				return // the command has ended
			}
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	_ = feed.CloseWithError(err) // it never fails
}

// execute runs a command of a runtime that answers when the command has ended.
func (c *Client) execute(ctx context.Context, process stream.Process) error {
	if process.Stdin != nil {
		return errors.New("this runtime gives commands no standard input")
	}
	body, err := execution(process)
	if err != nil {
		return err
	}
	response, err := c.send(c.config.Patient(ctx), http.MethodPost, "/execute", bytes.NewReader(body),
		http.Header{"Content-Type": {"application/json"}})
	if err != nil {
		return err
	}
	defer drain(response)
	var outcome struct {
		Stdout   string `json:"stdout"`
		Stderr   string `json:"stderr"`
		ExitCode int    `json:"exit_code"`
	}
	if err := decode(response.Body, 2*c.config.MaxOutput+maxJSON, &outcome); err != nil {
		return err
	}
	for _, said := range []struct {
		to   io.Writer
		text string
	}{{process.Stdout, outcome.Stdout}, {process.Stderr, outcome.Stderr}} {
		if said.to == nil {
			continue
		}
		if _, err := io.WriteString(said.to, said.text); err != nil {
			return &outputError{err}
		}
	}
	if outcome.ExitCode != 0 {
		return &stream.ExitError{Code: outcome.ExitCode}
	}
	return nil
}
