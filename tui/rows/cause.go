// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package rows

import (
	"k8s.io/apimachinery/pkg/types"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/diagnose"
)

// Cause is what a diagnosis found about a claim or Sandbox that is starting.
type Cause struct {
	// Of is the UID of the object.
	Of     types.UID
	State  diagnose.Verdict
	Reason string
}

// Unexplained reports whether the conditions say only that the claim or Sandbox is starting, and not why it takes long.
func (r *Row) Unexplained() bool { return r.byConditions == diagnose.Starting }

// WithCause returns the row with the state and the reason of a cause, if it is about this object and the conditions do
// not say more.
func (r *Row) WithCause(c Cause) *Row {
	if c.Of != r.UID || c.Reason == "" || !r.Unexplained() {
		return r
	}
	explained := *r
	explained.State, explained.Reason = c.State, c.Reason
	explained.setSearchText()
	return &explained
}
