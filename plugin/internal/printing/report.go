// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package printing

import (
	"fmt"
	"strings"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/diagnose"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
)

// Style says whether to print colours.
type Style struct{ Colored bool }

// The codes of the ANSI escape sequences.
const (
	red    = "31"
	green  = "32"
	yellow = "33"
	bold   = "1"
)

func (s Style) paint(code, text string) string {
	if !s.Colored {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// heading paints the title of a section.
func (s Style) heading(text string) string { return s.paint(bold, text) }

// Alert paints a warning that precedes everything else.
func (s Style) Alert(text string) string { return s.paint(red, text) }

// Verdict returns the verdict in its colour.
func (s Style) Verdict(v diagnose.Verdict) string { return s.VerdictPainter(v)(string(v)) }

// VerdictPainter returns a function that paints a text in the colour of the verdict.
func (s Style) VerdictPainter(v diagnose.Verdict) func(text string) string {
	code := yellow
	switch v {
	case diagnose.Ready, diagnose.Succeeded:
		code = green
	case diagnose.Blocked, diagnose.Failed, diagnose.Expired:
		code = red
	default:
	}
	return func(text string) string { return s.paint(code, text) }
}

// mark returns the mark of a finding. All marks have the same width and differ without colour too.
func (s Style) mark(state diagnose.State) string {
	switch state {
	case diagnose.Good:
		return s.paint(green, "ok  ")
	case diagnose.Bad:
		return s.paint(red, "BAD ")
	case diagnose.Wait:
		return s.paint(yellow, "wait")
	default:
	}
	return "    "
}

// Summary returns the diagnosis in one line.
func (s Style) Summary(d *diagnose.Diagnosis) string {
	if d.Obstacle == "" {
		return s.Verdict(d.Verdict)
	}
	return s.Verdict(d.Verdict) + ": " + printable.Line(d.Headline())
}

// Diagnosis returns the findings of the three layers and the next steps. command turns the command of a step into what
// the user types.
func (s Style) Diagnosis(d *diagnose.Diagnosis, command func(string) string) string {
	var b strings.Builder
	layers := []struct {
		title    string
		findings []diagnose.Finding
	}{{"Conditions", d.Conditions}, {"Scheduling", d.Scheduling}, {"Containers", d.Containers}}
	for _, layer := range layers {
		fmt.Fprintf(&b, "%s\n", s.heading(layer.title+":"))
		for _, finding := range layer.findings {
			fmt.Fprintf(&b, "  %s  %s: %s\n", s.mark(finding.State), printable.Line(finding.Subject),
				printable.Line(finding.Text))
		}
	}
	fmt.Fprintf(&b, "%s\n", s.heading("Next:"))
	for _, step := range d.Next {
		if step.Command == "" {
			fmt.Fprintf(&b, "  %s\n", printable.Line(step.Text))
			continue
		}
		fmt.Fprintf(&b, "  %s: %s\n", printable.Line(step.Text), printable.Line(command(step.Command)))
	}
	return b.String()
}
