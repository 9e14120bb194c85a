// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tui

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis/ending"
	"github.com/agent-sandbox/kubectl-sandbox/apis/podreason"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/diagnose"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
	"github.com/agent-sandbox/kubectl-sandbox/tui/action"
	"github.com/agent-sandbox/kubectl-sandbox/tui/view"
)

// text returns all lines of a screen without a table.
func (m *Model) text() []string {
	at := m.current()
	switch {
	case at.screen == screenLogs:
		if m.logErr != nil {
			return append(slices.Clip(m.logText), m.theme.Paint(view.Dim, "("+printable.Line(m.logErr.Error())+")"))
		}
		if len(m.logLines) == 0 {
			return []string{m.theme.Paint(view.Dim, "no output yet; new lines appear here")}
		}
		return m.logText
	case m.page == nil || m.page.Target != at.target:
		if m.pageErr != nil {
			return view.Wrap(printable.Line(m.pageErr.Error()), m.width-2)
		}
		return []string{"loading" + m.theme.Ellipsis}
	}
	var lines []string
	if m.pageErr != nil {
		lines = append(lines, m.theme.Paint(view.Bad, printable.Line("stale: "+m.pageErr.Error())))
	}
	switch at.screen {
	case screenYAML:
		for line := range strings.SplitSeq(strings.TrimSuffix(m.page.YAML, "\n"), "\n") {
			lines = append(lines, printable.Line(line))
		}
		return lines
	case screenEvents:
		return append(lines, m.allEvents(m.page)...)
	default:
		return append(lines, m.detail(m.page)...)
	}
}

// writer collects the lines of a page.
type writer struct {
	m     *Model
	lines []string
}

func (w *writer) section(title string) {
	if len(w.lines) > 0 {
		w.lines = append(w.lines, "")
	}
	w.lines = append(w.lines, w.m.theme.Paint(view.Accent, printable.Line(title)))
}

// line writes a column and a text; long text is wrapped and indented to the end of the column.
func (w *writer) line(tone view.Tone, column, text string) {
	const indent = 2
	column = printable.Line(column)
	width := view.Width(column)
	for i, part := range view.Wrap(printable.Line(text), max(10, w.m.width-indent-width-1)) {
		head := strings.Repeat(" ", indent+width)
		if i == 0 {
			head = strings.Repeat(" ", indent) + w.m.theme.Paint(tone, column)
		}
		w.lines = append(w.lines, head+" "+part)
	}
}

func (w *writer) pair(key, value string) {
	if value != "" {
		w.line(view.Dim, w.m.theme.Fit(key, 12, false), value)
	}
}

// detail returns the lines of the page of a claim or Sandbox.
func (m *Model) detail(p *action.Page) []string {
	w := &writer{m: m}
	d, f, t, whole := &p.Diagnosis, &p.Snapshot, p.Found, p.Diagnosis.Whole()
	sign, tone := m.theme.State(d.Verdict)
	head := m.theme.Paint(tone, sign+" "+string(d.Verdict))
	if d.Obstacle == "" {
		w.lines = append(w.lines, head)
	} else {
		w.line(tone, sign+" "+string(d.Verdict), d.Obstacle)
	}
	if len(d.Next) > 0 {
		w.section("Next")
		for _, step := range d.Next {
			w.line(view.Accent, m.theme.Cursor, step.Text)
			if step.Command != "" {
				w.line(view.Dim, "  ", "kubectl sandbox "+step.Command+" -n "+p.Target.Namespace)
			}
		}
	}
	if t.Claim != nil {
		m.conditions(w, "Conditions of claim "+t.Claim.Name, t.Claim.Status.Conditions)
	}
	if t.Sandbox != nil {
		m.conditions(w, "Conditions of Sandbox "+t.Sandbox.Name, t.Sandbox.Status.Conditions)
	}
	m.findings(w, "Scheduling", whole.Scheduling)
	m.pod(w, p)
	m.findings(w, "Containers", whole.Containers)
	m.volumes(w, f)
	if t.Sandbox != nil && t.Sandbox.Status.ServiceFQDN != "" {
		w.section("Service")
		w.pair("name", t.Sandbox.Status.ServiceFQDN)
	}
	w.section("Events")
	m.events(w, f.Events, shownEvents)
	m.metadata(w, p)
	return w.lines
}

func (m *Model) conditions(w *writer, title string, conditions []metav1.Condition) {
	if len(conditions) == 0 {
		return
	}
	w.section(title)
	for i := range conditions {
		c := &conditions[i]
		tone := view.Warn
		if c.Status == metav1.ConditionTrue {
			tone = view.Good
		}
		w.line(tone, m.theme.Fit(c.Type, 10, false)+" "+m.theme.Fit(string(c.Status), 7, false)+" "+
			m.theme.Fit(m.age(c.LastTransitionTime.Time), 5, true), c.Reason+": "+podreason.ShortConditionMessage(c.Message))
	}
}

func (m *Model) findings(w *writer, title string, findings []diagnose.Finding) {
	if len(findings) == 0 {
		return
	}
	w.section(title)
	for _, f := range findings {
		sign, tone := m.theme.Off, view.Dim
		switch f.State {
		case diagnose.Good:
			sign, tone = m.theme.Ready, view.Good
		case diagnose.Wait:
			sign, tone = m.theme.Waiting, view.Warn
		case diagnose.Bad:
			sign, tone = m.theme.Problem, view.Bad
		case diagnose.Note:
		}
		w.line(tone, sign+" "+f.Subject, f.Text)
	}
}

func (m *Model) pod(w *writer, p *action.Page) {
	pod := p.Found.Pod
	w.section("Pod")
	switch {
	case p.Found.PodHidden:
		w.pair("", "not shown: you may not read Pods")
		return
	case pod == nil:
		w.pair("", "none")
		return
	}
	w.pair("name", pod.Name)
	w.pair("phase", ending.DisplayStatus(pod)+", for "+m.age(pod.CreationTimestamp.Time))
	w.pair("node", pod.Spec.NodeName)
	w.pair("IP", pod.Status.PodIP)
	if r := m.row(p.Target); r != nil {
		if used, known := m.usage(r); known {
			w.pair("usage", "CPU "+cpu(used.MilliCPU)+", memory "+memory(used.Memory))
		}
	}
	states := map[string]corev1.ContainerStatus{}
	for _, s := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		states[s.Name] = s
	}
	for i := range pod.Spec.Containers {
		c := &pod.Spec.Containers[i]
		w.pair("container", fmt.Sprintf("%s (%s): %s", c.Name, c.Image, m.containerState(states[c.Name])))
	}
}

func (m *Model) containerState(s corev1.ContainerStatus) string {
	text := "not started"
	switch {
	case s.State.Running != nil:
		text = "running for " + m.age(s.State.Running.StartedAt.Time)
	case s.State.Waiting != nil:
		text = "waiting: " + s.State.Waiting.Reason // the diagnosis has the message
	case s.State.Terminated != nil:
		text = fmt.Sprintf("ended with code %d: %s", s.State.Terminated.ExitCode, s.State.Terminated.Reason)
	}
	if s.RestartCount > 0 {
		text += fmt.Sprintf(", %d restarts", s.RestartCount)
	}
	return text
}

func (m *Model) volumes(w *writer, f *diagnose.Snapshot) {
	if len(f.Volumes) == 0 {
		return
	}
	w.section("Volumes")
	for i := range f.Volumes {
		v := &f.Volumes[i]
		size := v.Spec.Resources.Requests[corev1.ResourceStorage]
		fate := "deleted with its Sandbox"
		if metav1.GetControllerOf(v) == nil {
			fate = "kept when its Sandbox is deleted"
		}
		w.pair(string(v.Status.Phase), v.Name+" "+size.String()+", "+fate)
	}
}

func (m *Model) metadata(w *writer, p *action.Page) {
	w.section("Metadata")
	var object metav1.Object = p.Found.Claim
	if p.Found.Claim == nil {
		object = p.Found.Sandbox
	}
	w.pair("namespace", object.GetNamespace())
	created := object.GetCreationTimestamp()
	w.pair("created", created.UTC().Format("2006-01-02 15:04:05Z")+" ("+m.age(created.Time)+")")
	deadline := p.Snapshot.Deadline()
	if deadline.IsSet() {
		w.pair("ends", deadline.At().UTC().Format("2006-01-02 15:04:05Z"))
	}
	if r := m.row(p.Target); r != nil {
		w.pair("from", cmp.Or(string(r.Source), none))
		w.pair("pool", r.Pool)
		w.pair("template", r.Template)
	}
	w.pair("UID", string(object.GetUID()))
	for _, kv := range []struct {
		key string
		set map[string]string
	}{{"label", object.GetLabels()}, {"annotation", object.GetAnnotations()}} {
		for _, name := range slices.Sorted(maps.Keys(kv.set)) {
			w.pair(kv.key, name+"="+kv.set[name])
		}
	}
}
