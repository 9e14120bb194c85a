// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package transfer

import (
	"fmt"
	"io"
	"sync"
	"time"

	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/cli-runtime/pkg/printers"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/files"
)

// refreshInterval is how often the progress is redrawn.
const refreshInterval = 200 * time.Millisecond

// Bar shows the progress of a copy on a terminal. A nil Bar shows nothing.
type Bar struct {
	out     io.Writer
	stop    chan struct{}
	stopped sync.WaitGroup
}

// NewProgress returns the progress that a bar shows, if standard error is a terminal and the copy does not go to
// standard output on a terminal. Otherwise it returns nil, because finding the total size takes a walk through the
// source.
func NewProgress(streams genericiooptions.IOStreams, busy bool) *files.Progress {
	if !printers.IsTerminal(streams.ErrOut) || busy && printers.IsTerminal(streams.Out) {
		return nil
	}
	return &files.Progress{}
}

// StartBar starts a bar that shows the progress. It returns nil if progress is nil.
func StartBar(streams genericiooptions.IOStreams, progress *files.Progress, clock clock.WithTicker) *Bar {
	if progress == nil {
		return nil
	}
	b := &Bar{out: streams.ErrOut, stop: make(chan struct{})}
	ticker, begun := clock.NewTicker(refreshInterval), clock.Now()
	b.stopped.Go(func() {
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C():
				text := progressLine(progress.Done(), progress.Total(), clock.Since(begun))
				_, _ = fmt.Fprintf(b.out, "\r%s\x1b[K", text) // best effort
			case <-b.stop:
				return
			}
		}
	})
	return b
}

// End removes the bar from the terminal.
func (b *Bar) End() {
	if b == nil {
		return
	}
	close(b.stop)
	b.stopped.Wait()
	_, _ = fmt.Fprint(b.out, "\r\x1b[K") // best effort
}

const barWidth = 20

// progressLine formats the progress in at most 79 columns: a bar, the copied and the total size, the rate and the
// remaining time. If the total is not known, or too low, it leaves out the bar and the time.
func progressLine(done, total int64, after time.Duration) string {
	rate := float64(done) / max(after.Seconds(), 0.001)
	if total <= 0 || done > total {
		return fmt.Sprintf("%s  %s/s", FormatSize(float64(done)), FormatSize(rate))
	}
	full := int(barWidth * done / total)
	text := fmt.Sprintf("[%-*s] %3d%%  %s of %s  %s/s", barWidth, marks(full), 100*done/total,
		FormatSize(float64(done)), FormatSize(float64(total)), FormatSize(rate))
	if rate > 0 && done > 0 {
		left := time.Duration(float64(total-done) / rate * float64(time.Second)).Round(time.Second)
		text += fmt.Sprintf("  ETA %d:%02d", int(left.Minutes()), int(left.Seconds())%60)
	}
	return text
}

func marks(n int) string {
	const all = "===================="
	return all[:n]
}

// FormatSize formats a number of bytes for people.
func FormatSize(n float64) string {
	const step = 1024
	for _, unit := range []string{"B", "KiB", "MiB", "GiB"} {
		if n < step {
			if unit == "B" {
				return fmt.Sprintf("%.0f B", n)
			}
			return fmt.Sprintf("%.1f %s", n, unit)
		}
		n /= step
	}
	return fmt.Sprintf("%.1f TiB", n)
}
