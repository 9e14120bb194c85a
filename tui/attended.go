// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/operator"
)

// attending is how often we look whether an operator looks after what is shown.
const attending = 10 * time.Second

// attendedMsg is what was found: trouble, or none that can be seen.
type attendedMsg struct {
	trouble operator.Problem
	over    bool // the user may not look
}

// attend looks after a while whether an operator looks after the namespace.
func (m *Model) attend(after time.Duration) tea.Cmd {
	look, wait, ctx, namespace := m.look, m.wait, m.ctx, m.namespace
	if m.snapshot != nil {
		namespace = m.snapshot.Namespace
	}
	if look == nil {
		return nil
	}
	return func() tea.Msg {
		if after > 0 {
			wait(after)
		}
		trouble, known, err := look(ctx, namespace)
		if ctx.Err() != nil {
			return nil
		}
		return attendedMsg{trouble: trouble, over: err == nil && !known}
	}
}

// attended shows what was found. A Lease that is old by this machine's clock is looked at once more.
func (m *Model) attended(found attendedMsg) tea.Cmd {
	m.unattended = ""
	if found.trouble.Confirmed(m.suspected) {
		m.unattended = found.trouble.Short
	}
	m.suspected = found.trouble
	if found.over {
		return nil
	}
	return m.attend(attending)
}

// looker is how the dashboard looks for an operator; nil where there is no cluster.
func (o *Options) looker() func(context.Context, string) (operator.Problem, bool, error) {
	if o.Kubernetes == nil {
		return nil
	}
	return operator.NewMonitor(o.Kubernetes, o.Clock).Problem
}
