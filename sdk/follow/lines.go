// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package follow

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"
)

// lines writes log lines that begin with a timestamp, each once, although a later request repeats those of its first
// second.
type lines struct {
	out       io.Writer
	keepTimes bool

	last    time.Time // of the last line that was started
	same    int       // how many lines with that timestamp were started
	partial int       // how many bytes of the last line were written, if it is incomplete

	skip int // how many lines with that timestamp to skip
	drop int // how many bytes to skip at the beginning of the last of them
}

// repeat prepares for a request that starts at the second of the last line.
func (l *lines) repeat() { l.skip, l.drop = l.same, l.partial }

// restart prepares for another Pod, whose clock may differ.
func (l *lines) restart() { l.last, l.same, l.partial, l.skip, l.drop = time.Time{}, 0, 0, 0, 0 }

// copy writes what is new. A failed read is not an error: the next request continues.
func (l *lines) copy(from io.Reader) error {
	in := bufio.NewReaderSize(from, 64*1024)
	begins, leave := true, false
	for {
		piece, problem := in.ReadSlice('\n')
		if len(piece) > 0 {
			whole := piece[len(piece)-1] == '\n'
			if begins {
				piece, leave = l.begin(piece)
			}
			begins = whole
			if err := l.write(piece, leave, whole); err != nil {
				return err
			}
		}
		if problem != nil && !errors.Is(problem, bufio.ErrBufferFull) {
			return nil
		}
	}
}

func (l *lines) write(piece []byte, leave, whole bool) error {
	if leave {
		return nil
	}
	if l.drop > 0 {
		cut := min(l.drop, len(piece))
		l.drop, piece = l.drop-cut, piece[cut:]
	}
	if _, err := l.out.Write(piece); err != nil {
		return fmt.Errorf("write the logs: %w", err)
	}
	l.partial += len(piece)
	if whole {
		l.partial, l.drop = 0, 0
	}
	return nil
}

// begin parses the timestamp of a line, and reports whether the line was written before.
func (l *lines) begin(line []byte) (rest []byte, leave bool) {
	word, rest, found := bytes.Cut(line, []byte(" "))
	at, err := time.Parse(time.RFC3339Nano, string(word))
	if !found || err != nil {
		return line, line[len(line)-1] != '\n' // a truncated timestamp is not a line yet
	}
	switch {
	case at.Before(l.last):
		leave = true
	case at.Equal(l.last) && l.skip > 0:
		l.skip--
		leave = l.skip > 0 || l.drop == 0 // the rest of a truncated line is new
	case at.Equal(l.last):
		l.same++
		l.partial, l.drop = 0, 0
	default:
		l.last, l.same, l.partial, l.skip, l.drop = at, 1, 0, 0, 0
	}
	if l.keepTimes {
		return line, leave
	}
	return rest, leave
}
