// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/errorclass"
)

const (
	// conflictRetry gives the cache time to show the write that beat ours. Mostly that is our own last status, which does not wake us.
	conflictRetry = 50 * time.Millisecond
	// deletionPollInterval is how often we look whether what stands in our way has gone: if it lacks our label, its end is no event.
	deletionPollInterval = 5 * time.Second
)

// refusal is an object under a name we need that we may not take. Its text names the object and the cure.
type refusal struct{ text string }

func (r *refusal) Error() string { return r.text }

// Class says that nothing wakes us when the object goes.
func (r *refusal) Class() errorclass.Class { return errorclass.Blocked }
