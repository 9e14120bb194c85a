// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package cp

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

// bar shows the progress of a copy on a terminal. A nil bar shows nothing.
type bar struct {
	out     io.Writer
	stop    chan struct{}
	stopped sync.WaitGroup
}

// newProgress returns the progress that a bar shows, if standard error is a terminal and the copy does not go to
// standard output on a terminal. Otherwise it returns nil, because finding the total size takes a walk through the
// source.
func newProgress(streams genericiooptions.IOStreams, busy bool) *files.Progress {
	if !printers.IsTerminal(streams.ErrOut) || busy && printers.IsTerminal(streams.Out) {
		return nil
	}
	return &files.Progress{}
}

// startBar starts a bar that shows the progress. It returns nil if progress is nil.
func startBar(streams genericiooptions.IOStreams, progress *files.Progress, clock clock.WithTicker) *bar {
	if progress == nil {
		return nil
	}
	b := &bar{out: streams.ErrOut, stop: make(chan struct{})}
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

// end removes the bar from the terminal.
func (b *bar) end() {
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
		return fmt.Sprintf("%s  %s/s", formatSize(float64(done)), formatSize(rate))
	}
	full := int(barWidth * done / total)
	text := fmt.Sprintf("[%-*s] %3d%%  %s of %s  %s/s", barWidth, marks(full), 100*done/total,
		formatSize(float64(done)), formatSize(float64(total)), formatSize(rate))
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

// formatSize formats a number of bytes for people.
func formatSize(n float64) string {
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
