// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"fmt"
	"io"
	"strings"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/transfer"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/files"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
)

// maxNames is how many names of each kind are printed unless it is a dry run.
const maxNames = 10

// print writes what was done: some of the names, and a summary.
func (o *Options) print(out io.Writer, report *files.SyncReport) error {
	copied, deleted, most := "copied ", "deleted ", maxNames
	if o.DryRun {
		copied, deleted, most = "would copy ", "would delete ", len(report.Copied)+len(report.Deleted)
	}
	lines := append(nameLines(copied, report.Copied, most), nameLines(deleted, report.Deleted, most)...)
	lines = append(lines, o.summary(report))
	for _, line := range lines {
		if _, err := io.WriteString(out, printable.Line(line)+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// nameLines returns one line for each name, up to most.
func nameLines(what string, names []string, most int) []string {
	var lines []string
	for _, name := range names[:min(most, len(names))] {
		lines = append(lines, what+name)
	}
	if more := len(names) - most; more > 0 {
		lines = append(lines, fmt.Sprintf("%s%d more", what, more))
	}
	return lines
}

// summary returns the last line of a report.
func (o *Options) summary(report *files.SyncReport) string {
	target := report.Target
	if o.to.Remote {
		target = o.to.Place + ":" + target
	}
	text := strings.Builder{}
	fmt.Fprintf(&text, "%s: %d copied (%s)", target, len(report.Copied), transfer.FormatSize(float64(report.Bytes)))
	if o.Delete {
		fmt.Fprintf(&text, ", %d deleted", len(report.Deleted)-report.Kept)
	}
	fmt.Fprintf(&text, ", %d unchanged", report.Unchanged)
	if report.Kept > 0 {
		fmt.Fprintf(&text, "; %d of the directories stay, because they are not empty", report.Kept)
	}
	if o.DryRun {
		text.WriteString(" (dry run)")
	}
	return text.String()
}
