// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package terminal

import (
	"errors"
	"io"
)

// ErrDetached reports that the user left the session with Enter ~ . while the command may still be running.
var ErrDetached = errors.New(
	"left with Enter ~ . before the remote end reported a status: the command may still be running",
)

// escape passes input on and detects Enter ~ . as ssh does: a tilde counts only at the beginning of a line, and two of
// them mean one. All other bytes, including Ctrl-P, pass at once.
type escape struct {
	in    io.Reader
	leave func()

	state   escapeState
	pending []byte
	err     error
}

type escapeState int

const (
	lineBegins escapeState = iota
	withinLine
	tilde // typed at the beginning of a line, not passed on yet
	left
)

// Read implements io.Reader.
func (e *escape) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for len(e.pending) == 0 {
		if e.err != nil {
			return 0, e.err
		}
		n, err := e.in.Read(p)
		e.pending, e.err = e.filter(e.pending[:0], p[:n]), err
		if err != nil && e.state == tilde {
			e.pending = append(e.pending, '~') // nothing follows it
		}
		if e.err == nil && e.state == left {
			e.err = io.EOF
		}
	}
	n := copy(p, e.pending)
	e.pending = e.pending[n:]
	return n, nil
}

func (e *escape) filter(out, in []byte) []byte {
	for _, b := range in {
		switch {
		case e.state == tilde && b == '.':
			e.state = left
			e.leave()
			return out
		case e.state == tilde && b == '~':
			out = append(out, '~')
			e.state = withinLine
			continue
		case e.state == tilde:
			out = append(out, '~')
		case e.state == lineBegins && b == '~':
			e.state = tilde
			continue
		}
		out = append(out, b)
		e.state = withinLine
		if b == '\r' || b == '\n' {
			e.state = lineBegins
		}
	}
	return out
}
