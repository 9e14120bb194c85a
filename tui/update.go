// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tui

import (
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/volume"
	"github.com/agent-sandbox/kubectl-sandbox/tui/action"
	"github.com/agent-sandbox/kubectl-sandbox/tui/store"
	"github.com/agent-sandbox/kubectl-sandbox/tui/view"
)

// The dashboard's own messages.
type (
	snapshotMsg   struct{ *store.Snapshot }
	sessionMsg    struct{ err error }
	namespacesMsg struct {
		into  interface{ takeNamespaces(*Model, []string) }
		names []string
	}
	resultMsg struct {
		action.Result
		// from is the location of the user when the request was made.
		from location
	}
)

// pageRefreshInterval is how often an unchanged page is read again, because events do not change the object's version.
const pageRefreshInterval = 5 * time.Second

// nextSnapshot returns a command that waits for the next snapshot.
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
	case operatorMsg:
		return m.handleOperatorCheck(msg)
	case resultMsg:
		return m.finish(msg)
	case sessionMsg:
		if msg.err != nil {
			m.showToast(view.Reason(msg.err), true)
		}
	case namespacesMsg:
		msg.into.takeNamespaces(m, msg.names)
	case podMsg:
		msg.into.takePod(m, msg.pod, msg.err)
	case logMsg:
		return m.readLog(msg)
	case tea.KeyPressMsg:
		return m.handleKey(msg)
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

// receive makes the model show a snapshot.
func (m *Model) receive(s *store.Snapshot) tea.Cmd {
	m.snapshot = s
	m.updateTables()
	m.orient()
	m.forwards = m.actor.Forwards()
	if m.toast.text != "" && !s.At.Before(m.toast.until) {
		m.toast = toast{}
	}
	return m.refreshPage()
}

// orient gives the focus to the claims if the first complete snapshot has some and no pools: keys would find nothing in
// the other table.
func (m *Model) orient() {
	if m.oriented || m.snapshot.Health.Loading() {
		return
	}
	m.oriented = true
	if len(m.snapshot.Pools) == 0 && len(m.snapshot.Claims) > 0 {
		m.claimsFocused = true
	}
}

// updateTables sets the objects of all tables from the snapshot.
func (m *Model) updateTables() {
	m.pools.setObjects(m.snapshot.Pools, m.selector)
	m.claims.setObjects(m.snapshot.Claims, m.selector)
	m.templates.setObjects(m.snapshot.Templates, m.selector)
	for _, at := range m.stack {
		if at.screen == screenMembers {
			m.members.setObjects(m.snapshot.Members[at.target.UID], m.selector)
			m.poolClaims.setObjects(m.claimsOf(at.target), m.selector)
		}
	}
}

// refreshPage reads the open page again when its object has changed or pageRefreshInterval has passed.
func (m *Model) refreshPage() tea.Cmd {
	at := m.current()
	switch at.screen {
	case screenDetail, screenYAML, screenEvents:
	default:
		return nil
	}
	if m.pageReading {
		return nil
	}
	version := ""
	if r := m.row(at.target); r != nil {
		version = r.Version
	}
	if m.page != nil && m.page.Target == at.target && version == m.pageVersion &&
		m.now().Sub(m.pageAt) < pageRefreshInterval {
		return nil
	}
	m.pageReading, m.pageVersion, m.pageAt = true, version, m.now()
	return m.run(action.Request{Verb: action.Inspect, Targets: []action.Target{at.target}})
}

// run returns a command that dispatches a request.
func (m *Model) run(r action.Request) tea.Cmd {
	ctx, actor, from := m.ctx, m.actor, m.current()
	return func() tea.Msg { return resultMsg{actor.Dispatch(ctx, r), from} }
}

// start dispatches a request of the user.
func (m *Model) start(r action.Request) tea.Cmd {
	m.busy++
	return m.run(r)
}

// finish shows the result of a request.
func (m *Model) finish(r resultMsg) tea.Cmd {
	if r.Verb == action.Inspect {
		m.pageReading, m.pageErr = false, r.Err
		if r.Page != nil && r.Page.Target == m.current().target {
			m.page = r.Page
		}
		return nil
	}
	m.busy--
	m.forwards = m.actor.Forwards()
	switch {
	case r.Err != nil:
		m.showToast(view.Reason(r.Err), true)
	case (r.Session != nil || r.Log != nil) && (m.current() != r.from || m.overlay != nil):
		// The user has moved on meanwhile: a session or log must not open unexpectedly.
		if r.Log != nil {
			_ = r.Log.Close() // it was only read
		}
	case r.Session != nil:
		return tea.Exec(r.Session, func(err error) tea.Msg { return sessionMsg{err} })
	case r.Log != nil:
		return m.openLog(r.Result)
	case r.Clipboard != "":
		m.showToast(r.Message, false)
		return tea.SetClipboard(r.Clipboard)
	default:
		m.showToast(r.Message, false)
		if p := m.focusedTable(); p != nil {
			p.unmark()
		}
	}
	return nil
}

// handleKey passes a key to the overlay if there is one, else to the commands of the screen.
func (m *Model) handleKey(msg tea.KeyPressMsg) tea.Cmd {
	if msg.String() == "ctrl+c" {
		return tea.Quit
	}
	if m.overlay != nil {
		return m.overlay.press(m, msg)
	}
	m.toast.expireSoon(m.now())
	for i := range m.commands {
		if c := &m.commands[i]; c.availableOn(m) && key.Matches(msg, c.Binding) {
			return c.run(m)
		}
	}
	return nil
}

// ask starts an action: it prompts for the verb's argument, asks for confirmation, and dispatches the request.
func (m *Model) ask(verb action.Verb) tea.Cmd { return m.askFor(verb, m.targets()) }

func (m *Model) askFor(verb action.Verb, targets []action.Target) tea.Cmd {
	if len(targets) == 0 {
		m.showToast(noSelection(verb), true)
		return nil
	}
	if !m.permits(verb) { // the dispatcher would refuse it too, but only after the prompts
		m.showToast(action.ErrReadOnly.Error(), true)
		return nil
	}
	r := action.Request{Verb: verb, Targets: targets, Container: m.containers[targets[0]]}
	if singleTarget(verb) && len(targets) > 1 {
		m.showToast(string(verb)+" works on one object at a time", true)
		return nil
	}
	question, value := m.promptFor(verb, targets[0])
	if question == "" {
		return m.confirm(r)
	}
	p := newProposal(question, value, func(m *Model, text string) tea.Cmd {
		r.Argument = text
		if verb == action.Scale {
			r.Sizes = m.sizes(targets)
		}
		return m.confirm(r)
	})
	m.overlay = p
	if verb == action.Forward {
		return m.readPod(targets[0], portPrompt{p})
	}
	return nil
}

// confirm asks for confirmation if the request destroys something, else dispatches it.
func (m *Model) confirm(r action.Request) tea.Cmd {
	for _, t := range r.Targets {
		r.Volumes = append(r.Volumes, m.volumesOf(t)...)
	}
	if question := r.Question(); question != "" {
		m.overlay = &confirmation{question: question, request: r}
		return nil
	}
	return m.start(r)
}

// volumesOf returns the volumes of a claim or Sandbox, or those of all members of a pool.
func (m *Model) volumesOf(t action.Target) []volume.Outcome {
	if row := m.row(t); row != nil {
		return row.Volumes
	}
	var all []volume.Outcome
	if t.Kind == resolve.KindPool && m.snapshot != nil {
		for _, member := range m.snapshot.Members[t.UID] {
			all = append(all, member.Volumes...)
		}
	}
	return all
}
