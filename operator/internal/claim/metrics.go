// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/errorclass"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/metrics"
)

// recordMetrics times the claim whose status went from was to is, once: when it became Ready for the first time.
func (r *Reconciler) recordMetrics(was, is *extensionsv1beta1.SandboxClaim, f statusInput) {
	if was.Status.FirstReadyTime == nil && is.Status.FirstReadyTime != nil {
		r.metrics.FirstReady(is, f.sandbox)
	}
}

// adoptionOutcome is what an attempt to take a warm Sandbox came to.
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
