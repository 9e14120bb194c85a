// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"errors"
	"fmt"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/errorclass"
)

// rejection is an error that stays until a person changes an object. The watches reconcile the claim after the change.
type rejection struct {
	reason         apis.Reason
	message        string // says what to change
	causeUnwatched bool   // the cause is an object that is not watched: check periodically whether it is gone
}

func (r *rejection) Error() string { return r.message }

// Class returns Blocked if nothing triggers a reconcile when the cause disappears, and Refused otherwise.
func (r *rejection) Class() errorclass.Class {
	if r.causeUnwatched {
		return errorclass.Blocked
	}
	return errorclass.Refused
}

func rejectf(reason apis.Reason, format string, args ...any) *rejection {
	return &rejection{reason: reason, message: fmt.Sprintf(format, args...)}
}

// adoptionFailedError says that the claim did not get the member that it had recorded.
type adoptionFailedError struct {
	message     string
	unavailable bool // the member is deleted or no longer its pool's, so no claim can adopt it
}

func (l *adoptionFailedError) Error() string { return l.message }

// Class returns Contended: a later reconcile tries another member.
func (l *adoptionFailedError) Class() errorclass.Class { return errorclass.Contended }

// rejectionOf returns the rejection that err is or wraps, or nil.
func rejectionOf(err error) *rejection {
	var rejected *rejection
	_ = errors.As(err, &rejected)
	return rejected
}
