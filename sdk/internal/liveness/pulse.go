// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package liveness

import (
	"context"
	"io"
	"sync/atomic"
	"time"

	"k8s.io/utils/clock"
)

// Pulse notes the signs of life of something that may be silent for as long as it likes.
type Pulse struct{ beats atomic.Int64 }

// Beat notes a sign of life.
func (p *Pulse) Beat() { p.beats.Add(1) }

// Writer returns a writer for which each write is a sign of life. A writer that is nil stays nil.
func (p *Pulse) Writer(w io.Writer) io.Writer {
	if w == nil {
		return nil
	}
	return beatingWriter{w, p}
}

// Reader returns a reader for which everything that is read is a sign of life.
func (p *Pulse) Reader(r io.Reader) io.Reader { return beatingReader{r, p} }

type beatingReader struct {
	io.Reader
	pulse *Pulse
}

// Read implements io.Reader.
func (r beatingReader) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	if n > 0 {
		r.pulse.Beat()
	}
	return n, err
}

type beatingWriter struct {
	io.Writer
	pulse *Pulse
}

// Write implements io.Writer.
func (w beatingWriter) Write(b []byte) (int, error) {
	w.pulse.Beat()
	return w.Writer.Write(b)
}

// Attend calls check after every period without a sign of life, and ends the context that it returns with the error of
// check. A check may take as long as a period. The caller calls stop at the end.
func (p *Pulse) Attend(
	ctx context.Context, c clock.WithTicker, period time.Duration, check func(context.Context) error,
) (attended context.Context, stop func()) {
	attended, end := context.WithCancelCause(ctx)
	ticker, ended := c.NewTicker(period), make(chan struct{})
	go func() {
		defer close(ended)
		defer ticker.Stop()
		for last := p.beats.Load(); ; last = p.beats.Load() {
			select {
			case <-attended.Done():
				return
			case <-ticker.C():
			}
			if p.beats.Load() != last {
				continue
			}
			limited, cancel := context.WithTimeout(attended, period)
			err := check(limited)
			cancel()
			if err != nil {
				end(err)
			}
		}
	}()
	return attended, func() {
		end(context.Canceled)
		<-ended
	}
}
