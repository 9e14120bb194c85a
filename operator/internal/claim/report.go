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

// statusInput is all that a status is made of.
type statusInput struct {
	step    step
	sandbox *agentsv1beta1.Sandbox // ours, as the server last answered; nil: there is none
	err     error                  // of carrying the step out
	now     time.Time
}

// report writes the status if it differs, once, over the claim as it was written last; events say what changed.
func (r *Reconciler) report(ctx context.Context, claim *extensionsv1beta1.SandboxClaim, f statusInput) error {
	if f.sandbox == nil && errorclass.Of(f.err) == errorclass.Conflict {
		return nil // what we know is old
	}
	status := statusOf(claim, f)
	if equality.Semantic.DeepEqual(claim.Status, status) {
		return nil
	}
	was := claim.DeepCopy()
	claim.Status = status
	err := r.client.Status().Patch(ctx, claim,
		client.MergeFromWithOptions(was, client.MergeFromWithOptimisticLock{}), client.FieldOwner(apis.FieldOwnerClaim))
	switch {
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		return fmt.Errorf("patch status: %w", err)
	}
	r.emitEvents(was, claim, f)
	r.recordMetrics(was, claim, f)
	return nil
}

// statusOf is the whole status. Conditions come in the order Ready, Finished, and there are no others.
func statusOf(claim *extensionsv1beta1.SandboxClaim, f statusInput) extensionsv1beta1.SandboxClaimStatus {
	is := *claim.Status.DeepCopy()
	now := metav1.NewTime(f.now).Rfc3339Copy()
	ready, reason, message := readyCondition(f)
	is.Conditions = []metav1.Condition{
		apis.NewCondition(claim.Status.Conditions, apis.ConditionReady, ready, reason, message, claim.Generation, now),
	}
	if finished := finishedCondition(claim, f); finished != nil {
		is.Conditions = append(is.Conditions, *finished)
	}
	_, over := f.step.(expire)
	switch {
	case f.sandbox != nil:
		is.SandboxStatus = extensionsv1beta1.SandboxStatus{
			Name: f.sandbox.Name, UID: f.sandbox.UID, TemplateName: templateNameOf(f.sandbox, claim), PodIPs: slices.Clone(f.sandbox.Status.PodIPs),
		}
	case over && f.err == nil:
		is.SandboxStatus = extensionsv1beta1.SandboxStatus{}
	default:
		is.SandboxStatus.PodIPs = nil // the name stays: an error is no reason to forget it
	}
	if ready && is.FirstReadyTime == nil {
		first := metav1.NewMicroTime(f.now)
		is.FirstReadyTime = &first
	}
	return is
}

// readyCondition decides the Ready condition.
func readyCondition(f statusInput) (ready bool, reason apis.Reason, message string) {
	if _, over := f.step.(expire); over && f.err == nil {
		return false, apis.ReasonClaimExpired, apis.MessageClaimExpired
	}
	if reason, message := errorReason(f); reason != "" {
		return false, reason, message
	}
	if _, going := f.step.(awaitDeletion); going {
		return false, apis.ReasonSandboxMissing, fmt.Sprintf("Sandbox %q is being deleted; a new one follows", f.sandbox.Name)
	}
	if f.sandbox == nil {
		return false, apis.ReasonSandboxMissing, "The claim has no Sandbox"
	}
	mirrored := apis.FindCondition(f.sandbox.Status.Conditions, apis.ConditionReady)
	switch {
	case mirrored == nil:
		return false, apis.ReasonSandboxNotReady, fmt.Sprintf("Sandbox %q has not reported yet", f.sandbox.Name)
	case mirrored.Reason == string(apis.ReasonSandboxExpired):
		return false, apis.ReasonSandboxExpired, apis.MessageSandboxExpiredAlone
	default:
		return mirrored.Status == metav1.ConditionTrue, apis.Reason(mirrored.Reason), mirrored.Message
	}
}

// errorReason is what the user must know before anything else; none has an empty reason.
func errorReason(f statusInput) (reason apis.Reason, message string) {
	err := f.err
	if k, kept := f.step.(keep); kept && k.problem != nil && err == nil {
		err = k.problem
	}
	switch errorclass.Of(err) {
	case errorclass.None, errorclass.Conflict, errorclass.Terminating:
		return "", ""
	case errorclass.Refused, errorclass.Blocked:
		why := rejectionOf(err)
		if why.reason == apis.ReasonReconcilerError {
			return why.reason, apis.MessageErrorPrefix + why.message
		}
		return why.reason, why.message
	case errorclass.Contended:
		return apis.ReasonAdoptionConflict, err.Error()
	case errorclass.Invalid, errorclass.Other:
		return apis.ReasonReconcilerError, apis.MessageErrorPrefix + err.Error()
	}
	return "", ""
}

// finishedCondition is the Sandbox's word that it has finished, with its time: the claim's time to live counts from it. A claim that is
// over keeps the last word it had.
func finishedCondition(claim *extensionsv1beta1.SandboxClaim, f statusInput) *metav1.Condition {
	conditions := claim.Status.Conditions
	e, over := f.step.(expire)
	switch {
	case f.sandbox != nil:
		conditions = f.sandbox.Status.Conditions
	case over && len(e.sandboxes) > 0 && apis.ConditionTrue(e.sandboxes[0].Status.Conditions, apis.ConditionFinished):
		conditions = e.sandboxes[0].Status.Conditions
	case !over:
		return nil
	}
	if !apis.ConditionTrue(conditions, apis.ConditionFinished) {
		return nil
	}
	finished := *apis.FindCondition(conditions, apis.ConditionFinished)
	finished.ObservedGeneration = claim.Generation
	return &finished
}
