// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/errorclass"
)

// refusal is the error about an object that has a name which the Sandbox needs and that it may not adopt. The text
// names the object and what the user can do.
type refusal struct{ text string }

func (r *refusal) Error() string { return r.text }

// Class returns Blocked: the deletion of the object triggers no reconcile.
func (r *refusal) Class() errorclass.Class { return errorclass.Blocked }
