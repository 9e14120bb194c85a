// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"errors"
	"fmt"
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/retry"
)

// conflictRetry gives the cache time to show the write that beat ours; our own writes do not wake us.
const conflictRetry = 50 * time.Millisecond

// refusal is what a person must change before the claim can go on. The watches wake the claim when they do.
type refusal struct {
	reason  apis.Reason
	text    string
	blocked bool // by an object that wakes nobody when it goes: look again now and then
}

func (r *refusal) Error() string { return r.text }

// Class says whether anything wakes the claim when the cause goes.
func (r *refusal) Class() retry.Class {
	if r.blocked {
		return retry.InTheWay
	}
	return retry.Refused
}

// refuse returns a refusal; the text says what to change.
func refuse(reason apis.Reason, format string, args ...any) *refusal {
	return &refusal{reason: reason, text: fmt.Sprintf(format, args...)}
}

// lost says that the member a claim had recorded went to somebody else, or went.
type lost struct {
	text string
	left bool // the pool has it no more: nobody need try for it
}

func (l *lost) Error() string { return l.text }

// Class says that another member follows in a later pass.
func (l *lost) Class() retry.Class { return retry.Outrun }

// refusalOf is the refusal among what went wrong, or nil.
func refusalOf(err error) *refusal {
	var refused *refusal
	_ = errors.As(err, &refused)
	return refused
}
