// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/agent-sandbox/kubectl-sandbox/tui/action"
)

// logCommands are the commands that only a log has.
func logCommands() []command {
	const group = "Log"
	on := []screen{screenLogs}
	return []command{
		{bind("F", "follow", "F"), group, on, always, withoutCmd(func(m *Model) { m.logFollow = !m.logFollow })},
		{bind("T", "timestamps", "T"), group, on, always, withoutCmd((*Model).switchTimestamps)},
		{bind("P", "previous run", "P"), group, on, always, (*Model).switchRun},
		{bind("w", "save to a file", "w"), group, on, always, withoutCmd((*Model).askSave)},
	}
}

// renderLog makes the lines that are shown and saved.
func (m *Model) renderLog() {
	m.logText = make([]string, 0, len(m.logLines))
	for _, line := range m.logLines {
		text := line.text
		if m.logTimes && line.at != "" {
			text = line.at + " " + text
		}
		m.logText = append(m.logText, text)
	}
}

// switchTimestamps shows or hides the timestamps.
func (m *Model) switchTimestamps() {
	m.logTimes = !m.logTimes
	m.renderLog()
}

// switchRun shows the log of the container's previous run, or that of the current one again.
func (m *Model) switchRun() tea.Cmd {
	return m.start(action.Request{
		Verb: action.Logs, Targets: []action.Target{m.current().target}, Container: m.logContainer, Previous: !m.logPrevious,
	})
}

// askSave prompts for the file that the log is saved to.
func (m *Model) askSave() {
	name := m.current().target.Name
	if m.logPrevious {
		name += "-previous"
	}
	m.overlay = newProposal("Save the log to the file", name+".log", func(m *Model, file string) tea.Cmd {
		return m.start(action.Request{Verb: action.Save, Argument: file, Lines: m.logText})
	})
}

// logCrumb says which log is shown.
func (m *Model) logCrumb(of action.Target) string {
	text := of.Name + " logs"
	switch {
	case m.logContainer != "" && m.logPrevious:
		text += " (" + m.logContainer + ", previous run)"
	case m.logContainer != "":
		text += " (" + m.logContainer + ")"
	}
	return text
}
