// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"errors"
	"fmt"
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/errorclass"
)

// conflictRetry gives the cache time to show the write that beat ours; our own writes do not wake us.
const conflictRetry = 50 * time.Millisecond

// rejection is what a person must change before the claim can go on. The watches wake the claim when they do.
type rejection struct {
	reason  apis.Reason
	message string
	poll    bool // by an object that wakes nobody when it goes: look again now and then
}

func (r *rejection) Error() string { return r.message }

// Class says whether anything wakes the claim when the cause goes.
func (r *rejection) Class() errorclass.Class {
	if r.poll {
		return errorclass.Blocked
	}
	return errorclass.Refused
}

// rejectf returns a refusal; the text says what to change.
func rejectf(reason apis.Reason, format string, args ...any) *rejection {
	return &rejection{reason: reason, message: fmt.Sprintf(format, args...)}
}

// memberLostError says that the member a claim had recorded went to somebody else, or went.
type memberLostError struct {
	message     string
	unavailable bool // the pool has it no more: nobody need try for it
}

func (l *memberLostError) Error() string { return l.message }

// Class says that another member follows in a later pass.
func (l *memberLostError) Class() errorclass.Class { return errorclass.Contended }

// rejectionOf is the refusal among what went wrong, or nil.
func rejectionOf(err error) *rejection {
	var refused *rejection
	_ = errors.As(err, &refused)
	return refused
}
