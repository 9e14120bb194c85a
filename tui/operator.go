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

// operatorMsg is the result of a check: a problem, or none that is visible.
type operatorMsg struct {
	problem operator.Problem
	unknown bool // the user may not read what the check needs
}

// checkOperator returns a command that checks, after a delay, whether an operator manages the namespace.
func (m *Model) checkOperator(after time.Duration) tea.Cmd {
	check, sleep, ctx, namespace := m.findProblem, m.sleep, m.ctx, m.namespace
	if m.snapshot != nil {
		namespace = m.snapshot.Namespace
	}
	if check == nil {
		return nil
	}
	return func() tea.Msg {
		if after > 0 {
			sleep(after)
		}
		problem, known, err := check(ctx, namespace)
		if ctx.Err() != nil {
			return nil
		}
		return operatorMsg{problem: problem, unknown: err == nil && !known}
	}
}

// handleOperatorCheck shows the result of a check. A Lease that looks expired by the local clock is checked once more
// first.
func (m *Model) handleOperatorCheck(found operatorMsg) tea.Cmd {
	m.operatorProblem = ""
	if found.problem.Confirmed(m.unconfirmedProblem) {
		m.operatorProblem = found.problem.Short
	}
	m.unconfirmedProblem = found.problem
	if found.unknown {
		return nil
	}
	return m.checkOperator(operatorCheckInterval)
}

// operatorCheck returns the function that checks the operator, or nil without a client.
func (o *Options) operatorCheck() func(context.Context, string) (operator.Problem, bool, error) {
	if o.Kubernetes == nil {
		return nil
	}
	return operator.NewMonitor(o.Kubernetes, o.Clock).Problem
}
