// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package printing

import (
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/diagnose"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
)

// Style says whether to print colours.
type Style struct{ Colored bool }

// The colours of the terminal's own palette, so that they fit its theme.
const (
	red    = "1"
	green  = "2"
	yellow = "3"
)

// paint returns a line of text in a colour.
func (s Style) paint(color, text string) string {
	return s.render(lipgloss.NewStyle().Foreground(lipgloss.Color(color)), text)
}

func (s Style) render(style lipgloss.Style, text string) string {
	if !s.Colored {
		return text
	}
	return style.Inline(true).Render(text)
}

// heading paints the title of a section.
func (s Style) heading(text string) string { return s.render(lipgloss.NewStyle().Bold(true), text) }

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

// Good paints a success.
func (s Style) Good(text string) string { return s.paint(green, text) }

// Careful paints a warning.
func (s Style) Careful(text string) string { return s.paint(yellow, text) }

// Faint paints what is unknown.
func (s Style) Faint(text string) string { return s.render(lipgloss.NewStyle().Faint(true), text) }
