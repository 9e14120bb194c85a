// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"fmt"
	"os"
	"slices"
	"sync"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
)

// maxInline is how much of one output a result has.
const maxInline = 16 << 10

// capture takes an output: its beginning and its end are kept in memory and, if that is not everything, all of it in a
// file.
type capture struct {
	spool    *spool
	progress *progress // may be nil

	mu   sync.Mutex
	head []byte // all of it, until it is too long
	tail []byte // empty until it is too long
	size int64
	file *spooled // nil until it is too long
}

// Write implements io.Writer. It never fails: a command must not end because this machine cannot keep its output.
func (c *capture) Write(p []byte) (int, error) {
	if c.progress != nil {
		c.progress.add(p)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.size += int64(len(p))
	switch {
	case c.file != nil:
		c.file.write(p)
		c.keepEnd(p)
	case c.size <= maxInline:
		c.head = append(c.head, p...)
	default:
		c.file = c.spool.create()
		c.file.write(c.head)
		c.file.write(p)
		all := slices.Concat(c.head, p)
		c.head = all[:maxInline/2]
		c.keepEnd(all[maxInline/2:])
	}
	return len(p), nil
}

// keepEnd appends to the end of the output that is kept.
func (c *capture) keepEnd(p []byte) {
	if len(p) > maxInline/2 {
		p = p[len(p)-maxInline/2:]
	}
	c.tail = append(c.tail, p...)
	if over := len(c.tail) - maxInline/2; over > 0 {
		c.tail = append(c.tail[:0], c.tail[over:]...)
	}
}

// finish returns the output for a result. Control characters are shown as escapes.
func (c *capture) finish() output {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.file == nil {
		return output{Text: printable.Text(string(c.head))}
	}
	head := c.head[:len(c.head)-len(unfinished(c.head))]
	tail := withoutContinuation(c.tail)
	omitted := c.size - int64(len(head)+len(tail))
	name := c.file.finish()
	return output{
		Text: fmt.Sprintf("%s\n[... %d bytes left out ...]\n%s", printable.Text(string(head)), omitted,
			printable.Text(string(tail))),
		Omitted: omitted, Output: name,
	}
}

// withoutContinuation removes the end of a character from the beginning of a text.
func withoutContinuation(text []byte) []byte {
	for i := 0; i < len(text) && i < 3; i++ {
		if text[i]&0xc0 != 0x80 {
			return text[i:]
		}
	}
	return text
}

// spooled is an output in a file. If the file cannot be written, the output is not kept.
type spooled struct {
	spool *spool
	name  string
	file  *os.File
	size  int64
	open  bool
}

func (f *spooled) write(p []byte) {
	if f.file == nil || !f.spool.reserve(f, int64(len(p))) {
		f.close()
		return
	}
	if _, err := f.file.Write(p); err != nil {
		f.close()
	}
}

func (f *spooled) close() {
	if f.file != nil {
		_ = f.file.Close() // what could not be written is not kept
		f.file = nil
	}
}

// finish returns the name of the output, or nothing if it was not kept.
func (f *spooled) finish() string {
	f.close()
	return f.spool.finish(f)
}
