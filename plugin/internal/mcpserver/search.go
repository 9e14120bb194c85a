// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
)

const (
	// defaultMatches and maxMatches are how many matches a result has.
	defaultMatches = 100
	maxMatches     = 1000
	// maxMatch is how much of a matching line a result has.
	maxMatch = 300
	// maxRecord is how long a file name or the matches in one file may be.
	maxRecord = 1 << 20
)

type searching struct {
	targeted

	Path  string `json:"path" jsonschema:"directory in the sandbox to search in"`
	Name  string `json:"name,omitempty" jsonschema:"pattern of file names, as in *.py"`
	Text  string `json:"text,omitempty" jsonschema:"what lines contain"`
	Regex bool   `json:"regex,omitempty" jsonschema:"whether text is an extended regular expression"`
	Max   int    `json:"max,omitempty" jsonschema:"how many matches to return"`
}

type match struct {
	Path string `json:"path" jsonschema:"path of the file; control characters are shown as escapes"`
	Line int    `json:"line,omitempty" jsonschema:"number of the line"`
	Text string `json:"text,omitempty" jsonschema:"the line, or its beginning"`
}

type matches struct {
	Matches []match `json:"matches"`
	// More reports that the search stopped at the maximum.
	More bool   `json:"more,omitempty" jsonschema:"whether there may be more"`
	Note string `json:"note,omitempty" jsonschema:"what else to know"`
}

func (r *request) search(ctx context.Context, in searching) (matches, error) {
	root, err := remotePath("path", in.Path)
	if err != nil {
		return matches{}, err
	}
	if !strings.HasPrefix(root, "/") && !strings.HasPrefix(root, ".") {
		root = "./" + root // so that find takes it for no expression
	}
	if in.Name == "" && in.Text == "" {
		return matches{}, errors.New("give a name, a text or both")
	}
	for what, text := range map[string]string{"name": in.Name, "text": in.Text} {
		if text != "" {
			if err := checkText(what, text); err != nil {
				return matches{}, err
			}
		}
	}
	e, err := r.server.table.find(in.Sandbox)
	if err != nil {
		return matches{}, err
	}
	name, mode := in.Name, "F"
	if name == "" {
		name = "*"
	}
	if in.Regex {
		mode = "E"
	}
	most := min(in.Max, maxMatches)
	if most < 1 {
		most = defaultMatches
	}
	limited, cancel := context.WithTimeoutCause(ctx, defaultCommandTime, errTimeOver)
	defer cancel()
	found := &matcher{most: most, full: cancel}
	var said tail
	code, err := r.script(limited, e, script{
		program: readTextScript + watchdogScript + searchScript, text: in.Text, words: []string{root, name, mode},
		out: found, errOut: &said,
	})
	result := matches{Matches: append([]match{}, found.matches...), Note: r.server.expiryNote(e)}
	switch {
	case found.stopped:
		result.More = true
	case err != nil && errors.Is(context.Cause(limited), errTimeOver):
		result.More, result.Note = true, "the search was ended after "+defaultCommandTime.String()
	case err != nil:
		return matches{}, err
	case code != 0 && len(result.Matches) == 0:
		return matches{}, fmt.Errorf("the search ended with exit code %d: %s", code, said.line())
	case code != 0:
		result.Note = "not everything could be searched: " + said.line()
	}
	return result, nil
}

// matcher reads the records of search.sh: a file name and its matching lines, each followed by a NUL.
type matcher struct {
	most    int
	full    func() // ends the search
	matches []match
	stopped bool

	record []byte
	name   string
	named  bool // the next record has lines
}

// Write implements io.Writer.
func (m *matcher) Write(p []byte) (int, error) {
	n := len(p)
	for !m.stopped {
		at := bytes.IndexByte(p, 0)
		if at < 0 {
			break
		}
		m.take(p[:at])
		m.end()
		p = p[at+1:]
	}
	if !m.stopped {
		m.take(p)
	}
	return n, nil
}

// take adds to the record. What is too long is dropped.
func (m *matcher) take(p []byte) {
	m.record = append(m.record, p[:min(len(p), maxRecord-len(m.record))]...)
}

func (m *matcher) end() {
	record := string(m.record)
	m.record = m.record[:0]
	if m.named = !m.named; m.named {
		m.name = record
		return
	}
	if record == "" {
		m.add(match{Path: printable.Line(m.name)})
		return
	}
	for line := range strings.Lines(record) {
		number, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		at, err := strconv.Atoi(number)
		if err != nil { // grep says that a file is no text
			at, text = 0, number+text
		}
		if len(text) > maxMatch {
			text = strings.ToValidUTF8(text[:maxMatch], "") + "..."
		}
		m.add(match{Path: printable.Line(m.name), Line: at, Text: printable.Line(text)})
	}
}

func (m *matcher) add(one match) {
	switch {
	case m.stopped:
	case len(m.matches) == m.most:
		m.stopped = true
		m.full()
	default:
		m.matches = append(m.matches, one)
	}
}
