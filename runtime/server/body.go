// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build linux

package server

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"sync"
	"time"
	"unicode/utf8"
)

// maxRequest is the length of a command with its quoting, and of a line of a stream, in bytes. The arguments of a
// program have two MiB at most.
const maxRequest = 4 << 20

var (
	errTooLarge  = fmt.Errorf("the request has more than %d bytes", maxRequest)
	errMalformed = errors.New("the request is malformed")
)

// body is the body of a request. A client that sends nothing for too long gets an error.
type body struct {
	server  *server
	source  io.Reader
	control *http.ResponseController
	patient bool // the client may send nothing for as long as it likes
}

func (s *server) body(w http.ResponseWriter, r *http.Request) *body {
	return &body{server: s, source: r.Body, control: http.NewResponseController(w)}
}

// Read implements io.Reader.
func (b *body) Read(into []byte) (int, error) {
	if !b.patient {
		_ = b.control.SetReadDeadline(b.server.clock.Now().Add(b.server.stall))
	}
	return b.source.Read(into)
}

// wait ends the deadline, which would otherwise end the request while its command runs.
func (b *body) wait() {
	b.patient = true
	_ = b.control.SetReadDeadline(time.Time{})
}

// drain reads for a while what a client still sends after the answer. A connection that is closed before its bytes are
// read is reset, and the answer may be lost. First it waits for the goroutine that reads the body until then.
func (b *body) drain(reader *sync.WaitGroup) {
	end := b.server.clock.Now().Add(lingerTimeout)
	_ = b.control.SetReadDeadline(b.server.clock.Now().Add(quietTimeout))
	reader.Wait()
	buffer := make([]byte, 32<<10)
	for b.server.clock.Now().Before(end) {
		_ = b.control.SetReadDeadline(b.server.clock.Now().Add(quietTimeout))
		if _, err := b.source.Read(buffer); err != nil {
			return
		}
	}
}

// execution reads the body of POST /execute to its end. Only then does the server notice a client that goes away.
func (s *server) execution(w http.ResponseWriter, r *http.Request) (Execution, error) {
	from := s.body(w, r)
	text, err := io.ReadAll(http.MaxBytesReader(w, io.NopCloser(from), maxRequest))
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return Execution{}, errTooLarge
	}
	if err != nil {
		return Execution{}, received(err)
	}
	from.wait()
	return parse(text)
}

// received says that the body of a request did not arrive.
func received(err error) error {
	return fmt.Errorf("%w: read the body: %w", errMalformed, err)
}

// parse checks what to execute. It refuses bytes that are not UTF-8, which package json would replace.
func parse(text []byte) (Execution, error) {
	var wanted Execution
	if !utf8.Valid(text) {
		return wanted, fmt.Errorf("%w: it is not UTF-8", errMalformed)
	}
	if err := json.Unmarshal(text, &wanted); err != nil {
		return wanted, fmt.Errorf("%w: %w", errMalformed, err)
	}
	if wanted.Command == nil {
		return wanted, fmt.Errorf("%w: it has no command", errMalformed)
	}
	if limit := wanted.TimeoutSeconds; limit != nil && (*limit <= 0 || *limit > float64(math.MaxInt64/time.Second)) {
		return wanted, fmt.Errorf("%w: timeout_seconds is %v", errMalformed, *limit)
	}
	return wanted, nil
}

// lines reads a stream of JSON, one value in a line.
func lines(from io.Reader) *bufio.Scanner {
	scanner := bufio.NewScanner(from)
	scanner.Buffer(nil, maxRequest)
	return scanner
}

// next returns the next line that is not empty, or io.EOF.
func next(scanner *bufio.Scanner) ([]byte, error) {
	for scanner.Scan() && scanner.Err() == nil { // before an error there is a last line, which is not whole
		if len(scanner.Bytes()) > 0 {
			return scanner.Bytes(), nil
		}
	}
	err := scanner.Err()
	switch {
	case err == nil:
		return nil, io.EOF
	case errors.Is(err, bufio.ErrTooLong):
		return nil, errTooLarge
	}
	return nil, received(err)
}
