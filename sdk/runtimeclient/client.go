// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package runtimeclient runs commands and moves files in a sandbox over HTTP. It speaks the contract of sandbox-runtime
// (docs/reference/runtime.openapi.yaml), and also works with runtimes that lack its additions.
//
// Invariants:
//   - a command is sent once;
//   - what reads or replaces files is repeated while connections break or the sandbox is not there yet;
//   - no answer is kept in memory beyond a limit;
//   - what is silent is asked for: a command ends with an error when its runtime is gone, and not because it is slow.
package runtimeclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/internal/liveness"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/internal/retry"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
)

const (
	// maxJSON is how much of an answer about files is read.
	maxJSON = 8 << 20
	// maxDetail is how much of an answer that refuses a request is read, and maxShown how much of it an error shows.
	maxDetail = 4 << 10
	maxShown  = 256
	// maxDrain is how much of an answer that is not needed is read, so that its connection can be used again.
	maxDrain = 4 << 10
)

// ErrTooLarge is in the chain of the error for an answer that exceeds a limit.
var ErrTooLarge = errors.New("too large")

// Config says how a Client works. All fields are required.
type Config struct {
	// Transport leads to the runtime: scheme and host of its requests do not matter.
	Transport http.RoundTripper
	Clock     clock.WithTicker
	// Silence is how long a command may be silent before the runtime is asked whether it is there, and how long the next
	// bytes of a file may take.
	Silence time.Duration
	// Transient reports whether a request may be repeated that got no answer, or one that is Temporary.
	Transient func(error) bool
	// Explain may add to the error of an attempt why it failed.
	Explain func(ctx context.Context, err error) error
	// Patient marks the context of a request whose answer may begin late, because it is that of a command.
	Patient func(context.Context) context.Context
	// MaxOutput is how many bytes of each output Run keeps, for runtimes without streams.
	MaxOutput int64
}

// Client is a client of one runtime. Its methods may be called concurrently.
type Client struct {
	config Config
	http   *http.Client
}

// New returns a Client.
func New(config Config) *Client {
	return &Client{config: config, http: &http.Client{
		Transport:     config.Transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// StatusError is an answer that refuses a request. It comes from the runtime or the router.
type StatusError struct {
	StatusCode int
	// Detail says why; it is foreign text.
	Detail string
	// RetryAfter is when another attempt may help; 0 if the answer does not say.
	RetryAfter time.Duration
}

// Error implements error.
func (e *StatusError) Error() string {
	text := fmt.Sprintf("the sandbox answered %d %s", e.StatusCode, http.StatusText(e.StatusCode))
	if e.Detail == "" {
		return text
	}
	detail := e.Detail
	if len(detail) > maxShown {
		detail = strings.ToValidUTF8(detail[:maxShown], "") + "..."
	}
	return text + ": " + printable.Line(detail)
}

// Temporary reports whether the same request may succeed later.
func (e *StatusError) Temporary() bool {
	switch e.StatusCode {
	case http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// Health asks whether the runtime is there. It is not repeated.
func (c *Client) Health(ctx context.Context) error {
	response, err := c.send(ctx, http.MethodGet, "/", nil, nil)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if _, err := io.CopyN(io.Discard, response.Body, maxDrain); !errors.Is(err, io.EOF) && err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	return nil
}

// send sends a request, and returns an answer that does not refuse it. The path is escaped.
func (c *Client) send(
	ctx context.Context, method, path string, body io.Reader, headers http.Header,
) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, "http://sandbox"+path, body)
	if err != nil {
		return nil, err
	}
	maps.Copy(request.Header, headers)
	if sized, ok := body.(*sizedBody); ok {
		request.ContentLength = sized.size
	}
	response, err := c.http.Do(request)
	if err != nil {
		if wrapped, ok := errors.AsType[*url.Error](err); ok {
			err = wrapped.Err // the URL is none that the caller knows
		}
		return nil, err
	}
	if response.StatusCode >= 200 && response.StatusCode < 300 {
		return response, nil
	}
	return nil, refusal(response)
}

// refusal reads the error in an answer.
func refusal(response *http.Response) error {
	defer response.Body.Close()
	e := &StatusError{StatusCode: response.StatusCode}
	text, _ := io.ReadAll(io.LimitReader(response.Body, maxDetail)) // the status says enough
	var said struct {
		Detail string `json:"detail"`
	}
	if json.Unmarshal(text, &said) == nil {
		e.Detail = strings.TrimSpace(said.Detail)
	}
	if wait, err := time.ParseDuration(response.Header.Get("Retry-After") + "s"); err == nil {
		e.RetryAfter = max(wait, 0)
	}
	return e
}

// drain reads the little that is left of an answer, and closes it.
func drain(response *http.Response) {
	_, _ = io.CopyN(io.Discard, response.Body, maxDrain)
	_ = response.Body.Close()
}

// get repeats a GET until it is answered, and decodes the answer.
func (c *Client) get(ctx context.Context, path string, into any) error {
	return c.repeat(ctx, func(ctx context.Context, pulse *liveness.Pulse) error {
		response, err := c.send(ctx, http.MethodGet, path, nil, nil)
		if err != nil {
			return err
		}
		defer drain(response)
		return decode(pulse.Reader(response.Body), maxJSON, into)
	})
}

// decode reads an answer in JSON.
func decode(body io.Reader, most int64, into any) error {
	text, err := io.ReadAll(io.LimitReader(body, most+1))
	if err == nil && int64(len(text)) > most {
		return fmt.Errorf("%w: the answer has more than %d bytes", ErrTooLarge, most)
	}
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	return nil
}

// errSilent is the error of an attempt in which nothing moves any more.
var errSilent = fmt.Errorf("the sandbox went silent: %w", os.ErrDeadlineExceeded)

// repeat repeats what is the same to do twice.
func (c *Client) repeat(ctx context.Context, attempt func(context.Context, *liveness.Pulse) error) error {
	return retry.Do(ctx, c.config.Clock, func() error { return c.once(ctx, attempt) }, c.judge)
}

// once makes an attempt, and ends it when nothing moves any more.
func (c *Client) once(ctx context.Context, attempt func(context.Context, *liveness.Pulse) error) error {
	var pulse liveness.Pulse
	ctx, stop := pulse.Attend(ctx, c.config.Clock, c.config.Silence, func(context.Context) error { return errSilent })
	defer stop()
	err := attempt(ctx, &pulse)
	switch {
	case err == nil:
		return nil
	case errors.Is(context.Cause(ctx), errSilent):
		return errSilent
	}
	return c.config.Explain(ctx, err)
}

// judge says whether an attempt that failed with err may be repeated, if it is the same to do it twice.
func (c *Client) judge(err error) retry.Verdict {
	if answer, ok := errors.AsType[*StatusError](err); ok {
		return retry.Verdict{Again: answer.Temporary() && c.config.Transient(err), After: answer.RetryAfter}
	}
	return retry.Verdict{Again: errors.Is(err, errSilent) || c.config.Transient(err)}
}

// escape makes a path one segment of a URL, whatever is in it. Nothing between can take it for several.
func escape(path string) string {
	escaped := url.PathEscape(path)
	return strings.NewReplacer("/", "%2F", ":", "%3A").Replace(escaped)
}
