// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tui

import (
	"bufio"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
	"github.com/agent-sandbox/kubectl-sandbox/tui/action"
)

const (
	// maxLogLines is the number of log lines that are kept.
	maxLogLines = 5000
	// logBatchInterval is the minimum time between two batches of lines.
	logBatchInterval = 100 * time.Millisecond
	// maxLineLength is the length in bytes after which a line is cut; no terminal shows longer ones.
	maxLineLength = 4096
)

// logMsg has the lines that arrived since the previous message.
type logMsg struct {
	from  *logReader
	lines []logLine
	err   error
}

// logTimeFormat is the format of the timestamps that are shown.
const logTimeFormat = "2006-01-02T15:04:05.000Z"

// logLine is a line of a log and its timestamp, which is empty for a remark about the log.
type logLine struct{ at, text string }

// parseLogLine separates the timestamp from the line.
func parseLogLine(line string) logLine {
	var parsed logLine
	line = strings.TrimRight(line, "\r\n")
	if word, rest, found := strings.Cut(line, " "); found {
		if at, err := time.Parse(time.RFC3339Nano, word); err == nil {
			parsed.at, line = at.UTC().Format(logTimeFormat), rest
		}
	}
	parsed.text = printable.Line(ansi.Strip(strings.ReplaceAll(line, "\t", "    ")))
	return parsed
}

// logReader reads a log in the background.
type logReader struct {
	from io.ReadCloser
	more chan struct{}

	mu    sync.Mutex
	lines []logLine
	err   error
}

// openLog shows a log. The reader and its goroutine end when the log ends or is closed.
func (m *Model) openLog(r action.Result) tea.Cmd {
	m.closeLog()
	m.log, m.logErr, m.logFollow = &logReader{from: r.Log, more: make(chan struct{}, 1)}, nil, true
	m.logLines, m.logText, m.logContainer, m.logPrevious = nil, nil, r.Container, r.Previous
	m.search = search{}
	if m.current().screen != screenLogs {
		// there is one log at a time
		m.stack = slices.DeleteFunc(slices.Clone(m.stack), func(at location) bool { return at.screen == screenLogs })
		m.push(location{screenLogs, r.Target})
	}
	log := m.log
	m.startGoroutine(log.read)
	return m.nextLines(log)
}

// readLine reads to the end of a line and keeps its first maxLineLength bytes, because a line may be endless.
func readLine(from *bufio.Reader) (string, error) {
	var line []byte
	for {
		part, err := from.ReadSlice('\n')
		line = append(line, part[:min(len(part), maxLineLength-len(line))]...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return string(line), err
		}
	}
}

func (l *logReader) read() {
	reader := bufio.NewReaderSize(l.from, 64<<10)
	for {
		line, err := readLine(reader)
		l.mu.Lock()
		if line != "" {
			l.lines = append(l.lines, parseLogLine(line))
			l.lines = l.lines[max(0, len(l.lines)-maxLogLines):]
		}
		l.err = err
		l.mu.Unlock()
		select {
		case l.more <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// nextLines returns a command that waits for lines and then for logBatchInterval, so that a busy log does not cause a
// frame for each line.
func (m *Model) nextLines(l *logReader) tea.Cmd {
	ctx, sleep := m.ctx, m.sleep
	return func() tea.Msg {
		select {
		case <-l.more:
		case <-ctx.Done():
			return nil
		}
		sleep(logBatchInterval)
		l.mu.Lock()
		defer l.mu.Unlock()
		lines := l.lines
		l.lines = nil
		return logMsg{from: l, lines: lines, err: l.err}
	}
}

// readLog shows the lines that arrived.
func (m *Model) readLog(msg logMsg) tea.Cmd {
	if msg.from != m.log {
		return nil // the log was closed meanwhile
	}
	dropped := max(0, len(m.logLines)+len(msg.lines)-maxLogLines)
	m.logLines = append(m.logLines[min(dropped, len(m.logLines)):len(m.logLines):len(m.logLines)], msg.lines...)
	m.keepPlace(dropped)
	m.renderLog()
	if msg.err != nil {
		m.logErr = msg.err
		if errors.Is(msg.err, io.EOF) {
			m.logErr = errors.New("the log has ended")
		}
		return nil
	}
	return m.nextLines(msg.from)
}

// keepPlace moves with the lines of the log after the first ones were dropped.
func (m *Model) keepPlace(dropped int) {
	if m.current().screen != screenLogs {
		return
	}
	m.search.at = max(-1, m.search.at-dropped)
	if !m.logFollow {
		m.scroll = max(0, m.scroll-dropped)
	}
}

func (m *Model) closeLog() {
	if m.log != nil {
		_ = m.log.from.Close() // it was only read
		m.log = nil
	}
}
