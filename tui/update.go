// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tui

import (
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/agent-sandbox/kubectl-sandbox/tui/action"
	"github.com/agent-sandbox/kubectl-sandbox/tui/store"
	"github.com/agent-sandbox/kubectl-sandbox/tui/view"
)

// The messages of our own.
type (
	snapshotMsg   struct{ *store.Snapshot }
	sessionMsg    struct{ err error }
	namespacesMsg struct {
		into  *choice
		names []string
	}
	resultMsg struct {
		action.Result
		// from is where the user was when it was asked for.
		from place
	}
)

// reread is how often a page is read again though nothing is known to have changed: its events may have.
const reread = 5 * time.Second

// nextSnapshot waits for the next snapshot.
func (m *Model) nextSnapshot() tea.Cmd {
	snapshots, ctx := m.source.Snapshots(), m.ctx
	return func() tea.Msg {
		select {
		case s := <-snapshots:
			return snapshotMsg{s}
		case <-ctx.Done():
			return nil
		}
	}
}

// Update implements tea.Model. It decides and never waits.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := m.handle(msg)
	m.arrange()
	return m, cmd
}

func (m *Model) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = max(0, msg.Width), max(0, msg.Height)
	case tea.BackgroundColorMsg:
		m.dark = msg.IsDark()
		m.restyle()
	case snapshotMsg:
		return tea.Batch(m.receive(msg.Snapshot), m.nextSnapshot())
	case attendedMsg:
		return m.attended(msg)
	case resultMsg:
		return m.finish(msg)
	case sessionMsg:
		if msg.err != nil {
			m.say(view.Reason(msg.err), true)
		}
	case namespacesMsg:
		m.offer(msg)
	case logMsg:
		return m.readLog(msg)
	case tea.KeyPressMsg:
		return m.press(msg)
	case tea.PasteMsg:
		if m.overlay != nil {
			return m.overlay.paste(m, msg)
		}
	case tea.MouseClickMsg:
		return m.click(msg.Mouse())
	case tea.MouseWheelMsg:
		m.wheel(msg.Mouse())
	}
	return nil
}

// receive shows a snapshot.
func (m *Model) receive(s *store.Snapshot) tea.Cmd {
	m.snapshot = s
	m.fill()
	m.forwards = m.actor.Forwards()
	if m.toast.text != "" && !s.At.Before(m.toast.until) {
		m.toast = toast{}
	}
	return m.refreshPage()
}

// fill gives the tables their objects.
func (m *Model) fill() {
	m.pools.show(m.snapshot.Pools, m.selector)
	m.work.show(m.snapshot.Work, m.selector)
	m.templates.show(m.snapshot.Templates, m.selector)
	for _, at := range m.way {
		if at.screen == screenMembers {
			m.members.show(m.snapshot.Members[at.target.UID], m.selector)
		}
	}
}

// refreshPage reads the page that is shown again when its object changed, or its time has come.
func (m *Model) refreshPage() tea.Cmd {
	at := m.here()
	if (at.screen != screenDetail && at.screen != screenYAML) || m.pageReading {
		return nil
	}
	version := ""
	if r := m.row(at.target); r != nil {
		version = r.Version
	}
	if m.page != nil && m.page.Target == at.target && version == m.pageVersion && m.now().Sub(m.pageAt) < reread {
		return nil
	}
	m.pageReading, m.pageVersion, m.pageAt = true, version, m.now()
	return m.run(action.Request{Verb: action.Inspect, Targets: []action.Target{at.target}})
}

// run has a request dispatched.
func (m *Model) run(r action.Request) tea.Cmd {
	ctx, actor, from := m.ctx, m.actor, m.here()
	return func() tea.Msg { return resultMsg{actor.Dispatch(ctx, r), from} }
}

// start has what the user asked for dispatched.
func (m *Model) start(r action.Request) tea.Cmd {
	m.busy++
	return m.run(r)
}

// finish shows how a request ended.
func (m *Model) finish(r resultMsg) tea.Cmd {
	if r.Verb == action.Inspect {
		m.pageReading, m.pageErr = false, r.Err
		if r.Page != nil && r.Page.Target == m.here().target {
			m.page = r.Page
		}
		return nil
	}
	m.busy--
	m.forwards = m.actor.Forwards()
	switch {
	case r.Err != nil:
		m.say(view.Reason(r.Err), true)
	case (r.Session != nil || r.Log != nil) && (m.here() != r.from || m.overlay != nil):
		// The user has gone on meanwhile: nothing may come up under his fingers.
		if r.Log != nil {
			_ = r.Log.Close() // it was only read
		}
	case r.Session != nil:
		return tea.Exec(r.Session, func(err error) tea.Msg { return sessionMsg{err} })
	case r.Log != nil:
		return m.openLog(r.Target, r.Log)
	case r.Clipboard != "":
		m.say(r.Message, false)
		return tea.SetClipboard(r.Clipboard)
	default:
		m.say(r.Message, false)
		if p := m.pane(); p != nil {
			p.unmark()
		}
	}
	return nil
}

// press handles a key: an overlay has it first, then the commands of the screen.
func (m *Model) press(msg tea.KeyPressMsg) tea.Cmd {
	if msg.String() == "ctrl+c" {
		return tea.Quit
	}
	if m.overlay != nil {
		return m.overlay.press(m, msg)
	}
	m.toast.read(m.now())
	for i := range m.commands {
		if c := &m.commands[i]; c.here(m) && key.Matches(msg, c.Binding) {
			return c.run(m)
		}
	}
	return nil
}

// ask begins an action: it asks for what the verb needs, then whether it is meant, then has it done.
func (m *Model) ask(verb action.Verb) tea.Cmd { return m.askFor(verb, m.targets()) }

func (m *Model) askFor(verb action.Verb, targets []action.Target) tea.Cmd {
	if len(targets) == 0 {
		m.say(missing(verb), true)
		return nil
	}
	if !m.mayDo(verb) { // the dispatcher refuses it anyway: better before questions than after
		m.say(action.ErrReadOnly.Error(), true)
		return nil
	}
	r := action.Request{Verb: verb, Targets: targets}
	if single(verb) && len(targets) > 1 {
		m.say("one at a time: "+string(verb)+" does not work on several", true)
		return nil
	}
	question, value := m.needs(verb, targets[0])
	if question == "" {
		return m.confirm(r)
	}
	m.overlay = newPrompt(question, value, func(m *Model, text string) tea.Cmd {
		r.Argument = text
		r.Lowered = verb == action.Scale && m.lowers(targets, text)
		return m.confirm(r)
	})
	return nil
}

// confirm asks whether what cannot be undone is meant.
func (m *Model) confirm(r action.Request) tea.Cmd {
	for _, t := range r.Targets {
		if row := m.row(t); row != nil {
			r.Volumes = append(r.Volumes, row.Volumes...)
		}
	}
	if question := r.Question(); question != "" {
		m.overlay = &confirmation{question: question, request: r}
		return nil
	}
	return m.start(r)
}
