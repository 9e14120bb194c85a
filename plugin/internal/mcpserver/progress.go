// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"context"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
)

const (
	// progressInterval is how often progress is sent at most.
	progressInterval = 200 * time.Millisecond
	// maxProgress is how much of the output one notification has: the end.
	maxProgress = 4 << 10
)

// progress sends what a call has printed so far to a client that asked for it. It never delays the call.
type progress struct {
	send func(message string, bytes int64)

	mu      sync.Mutex
	pending []byte
	bytes   int64

	over chan struct{} // closed by finish
	done chan struct{} // closed when everything was sent
}

// progress returns the progress of the call. The caller must finish it.
func (r *request) progress() *progress {
	p := &progress{over: make(chan struct{}), done: make(chan struct{})}
	token := r.call.Params.GetProgressToken()
	if token == nil {
		close(p.done)
		return p
	}
	p.send = func(message string, bytes int64) {
		// best effort: the result does not depend on it
		_ = r.call.Session.NotifyProgress(context.WithoutCancel(r.server.live), &mcp.ProgressNotificationParams{
			ProgressToken: token, Message: message, Progress: float64(bytes),
		})
	}
	ticker := r.server.factory.Clock().NewTicker(progressInterval)
	go func() {
		defer close(p.done)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C():
				p.flush()
			case <-p.over:
				p.flush()
				return
			}
		}
	}()
	return p
}

// add adds output, of which the end is sent.
func (p *progress) add(text []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bytes += int64(len(text))
	if p.send == nil {
		return
	}
	p.pending = append(p.pending, text...)
	if over := len(p.pending) - maxProgress; over > 0 {
		p.pending = p.pending[over:]
	}
}

// flush sends what is pending, up to the last whole character.
func (p *progress) flush() {
	p.mu.Lock()
	whole := len(p.pending) - len(unfinished(p.pending))
	message, bytes := string(p.pending[:whole]), p.bytes
	p.pending = append([]byte(nil), p.pending[whole:]...)
	p.mu.Unlock()
	if message != "" {
		p.send(printable.Text(message), bytes)
	}
}

// finish sends the rest. It may be called more than once.
func (p *progress) finish() {
	p.mu.Lock()
	select {
	case <-p.over:
	default:
		close(p.over)
	}
	p.mu.Unlock()
	<-p.done
}

// unfinished returns the beginning of a character at the end of a text; it is empty if there is none.
func unfinished(text []byte) []byte {
	for back := 1; back < utf8.UTFMax && back <= len(text); back++ {
		at := len(text) - back
		if utf8.RuneStart(text[at]) {
			if !utf8.FullRune(text[at:]) {
				return text[at:]
			}
			return nil
		}
	}
	return nil
}
