// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/errorclass"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/metrics"
)

// recordMetrics measures the startup latency of a claim when it becomes Ready for the first time.
func (r *Reconciler) recordMetrics(before, after *extensionsv1beta1.SandboxClaim, in statusInput) {
	if before.Status.FirstReadyTime == nil && after.Status.FirstReadyTime != nil {
		r.metrics.FirstReady(after, in.sandbox, in.firstObserved)
	}
}

// adoptionOutcome returns the outcome under which an attempt to adopt a warm Sandbox is counted.
func adoptionOutcome(err error) metrics.Adoption {
	switch errorclass.Of(err) {
	case errorclass.None:
		return metrics.Adopted
	case errorclass.Contended:
		return metrics.Lost
	case errorclass.Conflict:
		return metrics.Conflict
	case errorclass.Refused, errorclass.Blocked:
		return metrics.Refused
	case errorclass.Invalid, errorclass.Terminating, errorclass.Other:
		return metrics.Failed
	}
	return metrics.Failed
}
