// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pool

import (
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// conflictRetry is a fallback: the newer object that made the conflict wakes us, if it matters to the pool.
const conflictRetry = 500 * time.Millisecond

// certainlyNotWritten says whether an error is the API server's word that nothing was written. Where it is not, it may have been.
func certainlyNotWritten(err error) bool {
	switch apierrors.ReasonForError(err) {
	case metav1.StatusReasonUnknown, metav1.StatusReasonTimeout, metav1.StatusReasonServerTimeout,
		metav1.StatusReasonInternalError, metav1.StatusReasonServiceUnavailable:
		return false
	default:
		return true
	}
}
