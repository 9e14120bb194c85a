// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
)

const preface = `# Conditions, reasons, events, labels and annotations

Generated from the constants in ` + "`apis`" + ` by ` + "`make generate`" + `.

Besides the fields in the [API reference](api.md), this is what the operator, the plugin and the installation write into
objects. Scripts and policies may rely on it: [versions](../versions.md) says what may change. The messages of
conditions and the notes of events are text for people. [Troubleshooting](../guides/troubleshooting.md) says what to do
about a reason.
`

// section is a group of constants.
type section struct {
	title, text string
	// kind is what its constants are: condition, reason, action, label or annotation.
	kind    string
	entries []entry
}

// entry is one constant.
type entry struct {
	value, meaning string
	// preposition is In or On; place is what follows it.
	preposition, place string
	// writer is who writes it. It is empty if the text of the section says so for all.
	writer string
}

// reference returns the page about the constants of a directory.
func reference(directory fs.FS) ([]byte, error) {
	sections, err := read(directory)
	if err != nil {
		return nil, err
	}
	var page bytes.Buffer
	page.WriteString(preface)
	for i := range sections {
		sections[i].write(&page)
	}
	return page.Bytes(), nil
}

func (s *section) write(page *bytes.Buffer) {
	fmt.Fprintf(page, "\n## %s\n\n", s.title)
	if s.text != "" {
		fmt.Fprintf(page, "%s\n\n", s.text)
	}
	columns := []string{s.kind, strings.ToLower(s.entries[0].preposition)}
	written := s.entries[0].writer != ""
	if written {
		columns = append(columns, "written by")
	}
	columns = append(columns, "meaning")
	row(page, columns)
	row(page, strings.Split(strings.Repeat("---,", len(columns)-1)+"---", ","))
	for _, e := range s.entries {
		cells := []string{"`" + e.value + "`", e.place}
		if written {
			cells = append(cells, e.writer)
		}
		row(page, append(cells, e.meaning))
	}
}

func row(page *bytes.Buffer, cells []string) {
	fmt.Fprintf(page, "| %s |\n", strings.Join(cells, " | "))
}

// comment matches the documentation of a constant after its name: what it means, where it is found and who writes it.
var comment = regexp.MustCompile(`^(.+?\.) (In|On) ([^.]+)\.(?: Written by ([^.]+)\.)?$`)

// newEntry returns the entry for a constant, from its documentation.
func newEntry(name, value, doc string) (entry, error) {
	text, found := strings.CutPrefix(strings.Join(strings.Fields(doc), " "), name+" ")
	if !found {
		return entry{}, fmt.Errorf("%s needs a comment that begins with its name", name)
	}
	parts := comment.FindStringSubmatch(text)
	if parts == nil {
		return entry{}, fmt.Errorf("the comment of %s does not say where it is: end it with \"In PLACE.\" or \"On PLACE.\", "+
			"and \"Written by WHO.\"", name)
	}
	meaning := parts[1]
	for _, verb := range []string{"means that ", "is "} {
		meaning = strings.TrimPrefix(meaning, verb)
	}
	return entry{
		value: value, meaning: cell(meaning), preposition: parts[2], place: cell(parts[3]), writer: cell(parts[4]),
	}, nil
}

// check returns an error if the entries do not fit into one table.
func (s *section) check() error {
	for _, e := range s.entries {
		if first := s.entries[0]; (e.writer == "") != (first.writer == "") || e.preposition != first.preposition {
			return fmt.Errorf("%q: %s and %s: all constants of a group say where they are with the same word, and all or "+
				"none say who writes them", s.title, first.value, e.value)
		}
	}
	if !strings.Contains(s.text, "writes") && s.entries[0].writer == "" {
		return errors.New(s.title + ": neither the comment of the group nor those of its constants say who writes them")
	}
	return nil
}

// cell returns a text that begins with an upper-case letter, escaped for a table.
func cell(text string) string {
	text = strings.ReplaceAll(text, "|", `\|`)
	first := min(1, len(text))
	return strings.ToUpper(text[:first]) + text[first:]
}
