// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/errorclass"
)

const (
	// conflictRetry is the wait after a conflict: the cache needs time to show the other write. That is usually our own last status
	// write, which triggers no reconcile.
	conflictRetry = 50 * time.Millisecond
	// deletionPollInterval is how often to check whether an object that blocks its successor is gone. An object without our label is
	// not in the cache, so its deletion triggers no reconcile.
	deletionPollInterval = 5 * time.Second
)

// refusal is the error about an object that has a name which the Sandbox needs and that it may not adopt. The text names the object
// and what the user can do.
type refusal struct{ text string }

func (r *refusal) Error() string { return r.text }

// Class returns Blocked: the deletion of the object triggers no reconcile.
func (r *refusal) Class() errorclass.Class { return errorclass.Blocked }
