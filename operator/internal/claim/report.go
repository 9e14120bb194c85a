// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"context"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/errorclass"
)

// statusInput is what the claim's status is computed from, besides the claim.
type statusInput struct {
	step    step
	sandbox *agentsv1beta1.Sandbox // the claim's, as the API server last answered; nil if there is none
	err     error                  // of executing the step
	now     time.Time

	firstObserved time.Time // when the operator first observed the claim; zero if the claim's annotation says it
}

// report writes the status once if it differs, and then records events and metrics. It expects claim as it was last
// written.
func (r *Reconciler) report(ctx context.Context, claim *extensionsv1beta1.SandboxClaim, in statusInput) error {
	if in.sandbox == nil && errorclass.Of(in.err) == errorclass.Conflict {
		return nil // the observed state is stale
	}
	status := statusOf(claim, in)
	if equality.Semantic.DeepEqual(claim.Status, status) {
		return nil
	}
	before := claim.DeepCopy()
	claim.Status = status
	err := r.client.Status().Patch(ctx, claim,
		client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}), client.FieldOwner(apis.FieldOwnerClaim))
	switch {
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		return fmt.Errorf("patch status: %w", err)
	}
	r.emitEvents(before, claim, in)
	r.recordMetrics(before, claim, in)
	return nil
}

// statusOf returns the whole status. The conditions are Ready and Finished, in this order, and no others.
func statusOf(claim *extensionsv1beta1.SandboxClaim, in statusInput) extensionsv1beta1.SandboxClaimStatus {
	status := *claim.Status.DeepCopy()
	now := metav1.NewTime(in.now).Rfc3339Copy()
	ready, reason, message := readyCondition(in)
	status.Conditions = []metav1.Condition{
		apis.NewCondition(claim.Status.Conditions, apis.ConditionReady, ready, reason, message, claim.Generation, now),
	}
	if finished := finishedCondition(claim, in); finished != nil {
		status.Conditions = append(status.Conditions, *finished)
	}
	_, expired := in.step.(expire)
	switch {
	case in.sandbox != nil:
		status.SandboxStatus = extensionsv1beta1.SandboxStatus{
			Name: in.sandbox.Name, UID: in.sandbox.UID, TemplateName: templateNameOf(in.sandbox, claim),
			PodIPs: slices.Clone(in.sandbox.Status.PodIPs),
		}
	case expired && in.err == nil:
		status.SandboxStatus = extensionsv1beta1.SandboxStatus{}
	default:
		status.SandboxStatus.PodIPs = nil // an error does not clear the name
	}
	if ready && status.FirstReadyTime == nil {
		status.FirstReadyTime = new(metav1.NewMicroTime(in.now))
	}
	return status
}

// readyCondition decides the Ready condition. An error hides the condition of the Sandbox.
func readyCondition(in statusInput) (ready bool, reason apis.Reason, message string) {
	if _, expired := in.step.(expire); expired && in.err == nil {
		return false, apis.ReasonClaimExpired, apis.MessageClaimExpired
	}
	if reason, message := errorReason(in); reason != "" {
		return false, reason, message
	}
	if _, deleting := in.step.(awaitDeletion); deleting {
		return false, apis.ReasonSandboxMissing, fmt.Sprintf(
			"Sandbox %q is being deleted; a new one follows",
			in.sandbox.Name,
		)
	}
	if in.sandbox == nil {
		return false, apis.ReasonSandboxMissing, "The claim has no Sandbox"
	}
	mirrored := apis.FindCondition(in.sandbox.Status.Conditions, apis.ConditionReady)
	switch {
	case mirrored == nil:
		return false, apis.ReasonSandboxNotReady, fmt.Sprintf("Sandbox %q has not reported a status yet", in.sandbox.Name)
	case mirrored.Reason == string(apis.ReasonSandboxExpired):
		return false, apis.ReasonSandboxExpired, apis.MessageSandboxExpiredAlone
	default:
		return mirrored.Status == metav1.ConditionTrue, apis.Reason(mirrored.Reason), mirrored.Message
	}
}

// errorReason returns the reason and message of the error that users must know, or an empty reason. Conflicts are
// retried and not shown.
func errorReason(in statusInput) (reason apis.Reason, message string) {
	err := in.err
	if k, ok := in.step.(keep); ok && err == nil {
		err = k.problem
	}
	switch errorclass.Of(err) {
	case errorclass.None, errorclass.Conflict, errorclass.Terminating:
		return "", ""
	case errorclass.Refused, errorclass.Blocked:
		rejected := rejectionOf(err)
		if rejected.reason == apis.ReasonReconcilerError {
			return rejected.reason, apis.MessageErrorPrefix + rejected.message
		}
		return rejected.reason, rejected.message
	case errorclass.Contended:
		return apis.ReasonAdoptionConflict, err.Error()
	case errorclass.Invalid, errorclass.Other:
		return apis.ReasonReconcilerError, apis.MessageErrorPrefix + err.Error()
	}
	return "", ""
}

// finishedCondition mirrors the Finished condition of the Sandbox with its time, from which the claim's time to live
// counts. An expired claim keeps the last one. It returns nil if nothing has finished.
func finishedCondition(claim *extensionsv1beta1.SandboxClaim, in statusInput) *metav1.Condition {
	conditions := claim.Status.Conditions
	e, expired := in.step.(expire)
	switch {
	case in.sandbox != nil:
		conditions = in.sandbox.Status.Conditions
	case expired && len(e.sandboxes) > 0 && apis.ConditionTrue(e.sandboxes[0].Status.Conditions, apis.ConditionFinished):
		conditions = e.sandboxes[0].Status.Conditions
	case !expired:
		return nil
	}
	if !apis.ConditionTrue(conditions, apis.ConditionFinished) {
		return nil
	}
	finished := *apis.FindCondition(conditions, apis.ConditionFinished)
	finished.ObservedGeneration = claim.Generation
	return &finished
}
