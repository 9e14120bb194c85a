// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tui

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	"github.com/agent-sandbox/kubectl-sandbox/tui/action"
	"github.com/agent-sandbox/kubectl-sandbox/tui/view"
)

// podMsg tells a dialogue what the Pod has that it asks about.
type podMsg struct {
	into interface {
		takePod(*Model, *action.Pod, error)
	}
	pod *action.Pod
	err error
}

// readPod returns a command that reads the target's Pod for a dialogue.
func (m *Model) readPod(t action.Target, into interface {
	takePod(*Model, *action.Pod, error)
}) tea.Cmd {
	ctx, actor := m.ctx, m.actor
	return func() tea.Msg {
		result := actor.Dispatch(ctx, action.Request{Verb: action.ReadPod, Targets: []action.Target{t}})
		return podMsg{into: into, pod: result.Pod, err: result.Err}
	}
}

// containerChoice lets the user choose the container for shells, commands and logs of one sandbox.
type containerChoice struct {
	*choice
	target action.Target
}

// askContainer opens the choice. The containers appear when they are read.
func (m *Model) askContainer() tea.Cmd {
	targets := ofKinds(m.targets(), []resolve.Kind{resolve.KindClaim, resolve.KindSandbox})
	if len(targets) != 1 {
		m.showToast("C chooses a container of one sandbox at a time", true)
		return nil
	}
	c := &containerChoice{target: targets[0], choice: &choice{
		title: "Container of " + targets[0].Ref().String(), empty: "loading" + m.theme.Ellipsis, hint: "esc: cancel",
	}}
	c.pick = func(m *Model, i int) tea.Cmd {
		m.useContainer(c.target, c.options[i])
		if m.current().screen == screenLogs {
			return m.ask(action.Logs)
		}
		m.showToast("s, x and l use the container "+c.options[i], false)
		return nil
	}
	m.overlay = c
	return m.readPod(c.target, c)
}

// useContainer makes shells, commands and logs of a sandbox use a container.
func (m *Model) useContainer(of action.Target, name string) {
	if m.containers == nil {
		m.containers = map[action.Target]string{}
	}
	m.containers[of] = name
}

func (c *containerChoice) takePod(m *Model, pod *action.Pod, err error) {
	if err != nil {
		c.empty = view.Reason(err)
		return
	}
	c.options, c.hint = pod.Containers, "enter: use it"+m.theme.Dot+"s: shell"+m.theme.Dot+"l: logs"
	used := m.containers[c.target]
	if used == "" {
		used = pod.Default
	}
	c.index = max(0, slices.Index(c.options, used))
}

func (c *containerChoice) press(m *Model, msg tea.KeyPressMsg) tea.Cmd {
	verbs := map[string]action.Verb{"s": action.Shell, "l": action.Logs}
	verb, chosen := verbs[msg.String()]
	if !chosen {
		return c.choice.press(m, msg)
	}
	if c.index >= len(c.options) {
		return nil
	}
	m.overlay = nil
	m.useContainer(c.target, c.options[c.index])
	return m.askFor(verb, []action.Target{c.target})
}

// portPrompt is the prompt for the ports of a port-forward. It proposes those that the containers declare.
type portPrompt struct{ *prompt }

func (p portPrompt) takePod(m *Model, pod *action.Pod, err error) {
	if err != nil || len(pod.Ports) == 0 {
		p.note = "the Pod declares no ports"
		if err != nil {
			p.note = view.Reason(err)
		}
		return
	}
	var declared, proposal []string
	for _, port := range pod.Ports {
		declared = append(declared, port.String())
		proposal = append(proposal, m.localPort(port.Number)+strconv.Itoa(int(port.Number)))
	}
	p.note = "declared: " + strings.Join(declared, ", ")
	if p.input.Value() == "" {
		p.propose(strings.Join(proposal, " "))
	}
}

// firstOpenPort is the first port that any user may listen on.
const firstOpenPort = 1024

// localPort returns ":", which stands for any free port on this side, if the same number cannot be used.
func (m *Model) localPort(number int32) string {
	used := func(f action.Forwarding) bool {
		return slices.ContainsFunc(strings.Fields(f.Listening), func(address string) bool {
			return strings.HasSuffix(address, ":"+strconv.Itoa(int(number)))
		})
	}
	if number < firstOpenPort || slices.ContainsFunc(m.forwards, used) {
		return ":"
	}
	return ""
}
