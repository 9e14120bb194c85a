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

// refresh is how often the progress is shown anew.
const refresh = 200 * time.Millisecond

// bar shows the progress of a copy on a terminal. A nil bar shows nothing.
type bar struct {
	out     io.Writer
	stop    chan struct{}
	stopped sync.WaitGroup
}

// watched is what a bar needs if standard error is a terminal, and standard output is not busy on it. Else it is nil:
// to know how much there is to copy costs a walk through it.
func watched(streams genericiooptions.IOStreams, busy bool) *files.Progress {
	if !printers.IsTerminal(streams.ErrOut) || busy && printers.IsTerminal(streams.Out) {
		return nil
	}
	return &files.Progress{}
}

// show starts a bar, if there is a progress to show.
func show(streams genericiooptions.IOStreams, progress *files.Progress, clock clock.WithTicker) *bar {
	if progress == nil {
		return nil
	}
	b := &bar{out: streams.ErrOut, stop: make(chan struct{})}
	ticker, begun := clock.NewTicker(refresh), clock.Now()
	b.stopped.Go(func() {
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C():
				_, _ = fmt.Fprintf(
					b.out, "\r%s\x1b[K", line(progress.Done(), progress.Total(), clock.Since(begun)),
				) // only a remark
			case <-b.stop:
				return
			}
		}
	})
	return b
}

// end takes the bar off the terminal.
func (b *bar) end() {
	if b == nil {
		return
	}
	close(b.stop)
	b.stopped.Wait()
	_, _ = fmt.Fprint(b.out, "\r\x1b[K") // only a remark
}

const barWidth = 20

// line is the progress in at most 79 columns: a bar, how much of what, the rate and the time that is left. Without a
// total that is known, there is no bar and no time.
func line(done, total int64, after time.Duration) string {
	rate := float64(done) / max(after.Seconds(), 0.001)
	if total <= 0 || done > total {
		return fmt.Sprintf("%s  %s/s", size(float64(done)), size(rate))
	}
	full := int(barWidth * done / total)
	text := fmt.Sprintf(
		"[%-*s] %3d%%  %s of %s  %s/s", barWidth, marks(full), 100*done/total, size(float64(done)), size(float64(total)),
		size(rate),
	)
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

// size is a number of bytes for people.
func size(n float64) string {
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
