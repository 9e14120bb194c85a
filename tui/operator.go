// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/operator"
)

// operatorCheckInterval is how often the dashboard checks whether an operator manages the shown namespace.
const operatorCheckInterval = 10 * time.Second

// operatorMsg is the result of a check: a trouble, or none that is visible.
type operatorMsg struct {
	trouble operator.Trouble
	unknown bool // the user may not read what the check needs
}

// checkOperator returns a command that checks, after a delay, whether an operator manages the namespace.
func (m *Model) checkOperator(after time.Duration) tea.Cmd {
	look, wait, ctx, namespace := m.findTrouble, m.sleep, m.ctx, m.namespace
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
		return operatorMsg{trouble: trouble, unknown: err == nil && !known}
	}
}

// handleOperatorCheck shows the result of a check. A Lease that looks expired by the local clock is checked once more first.
func (m *Model) handleOperatorCheck(found operatorMsg) tea.Cmd {
	m.operatorProblem = ""
	if found.trouble.Confirmed(m.unconfirmedTrouble) {
		m.operatorProblem = found.trouble.Short
	}
	m.unconfirmedTrouble = found.trouble
	if found.unknown {
		return nil
	}
	return m.checkOperator(operatorCheckInterval)
}

// operatorCheck returns the function that checks the operator, or nil without a client.
func (o *Options) operatorCheck() func(context.Context, string) (operator.Trouble, bool, error) {
	if o.Kubernetes == nil {
		return nil
	}
	return operator.New(o.Kubernetes, o.Clock).Trouble
}
