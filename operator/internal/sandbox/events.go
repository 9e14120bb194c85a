// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/ending"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/errorclass"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/events"
)

// recordActionEvents records events about what the reconcile has done and no condition shows.
func (r *Reconciler) recordActionEvents(was, is *agentsv1beta1.Sandbox, p plan, done results) {
	if len(p.droppedKeys) > 0 && isNewlyDropped(was, done) {
		r.recordEvent(is, corev1.EventTypeWarning, apis.ReasonMetadataDropped,
			"podTemplate.metadata may not set "+strings.Join(p.droppedKeys, ", ")+": these keys belong to the operator")
	}
	for _, pod := range done.pods {
		if p.state == desiredRunning && pod.action == remove && pod.err == nil {
			r.recordEvent(is, corev1.EventTypeWarning, apis.ReasonRecreatingFailedPod,
				"Pod "+pod.child.Name+" is recreated with the same volumes: "+ending.Of(pod.child).Message)
		}
	}
}

// recordStatusEvents records events about the differences between two statuses. Call it after the new status was
// written: after a conflict the status is computed again. onError is the action of an event about an error.
func (r *Reconciler) recordStatusEvents(was, is *agentsv1beta1.Sandbox, onError string) {
	becameTrue := func(kind apis.ConditionType) bool {
		return apis.ConditionTrue(is.Status.Conditions, kind) && !apis.ConditionTrue(was.Status.Conditions, kind)
	}
	if becameTrue(apis.ConditionSuspended) {
		r.recordEvent(is, corev1.EventTypeNormal, apis.ReasonSuspended, apis.MessageSuspended)
	}
	if becameTrue(apis.ConditionFinished) {
		r.recordEvent(is, corev1.EventTypeNormal, apis.ReasonFinished,
			apis.FindCondition(is.Status.Conditions, apis.ConditionFinished).Message)
	}
	before := apis.FindCondition(was.Status.Conditions, apis.ConditionReady)
	after := apis.FindCondition(is.Status.Conditions, apis.ConditionReady)
	if before != nil && before.Reason == after.Reason && before.Message == after.Message {
		return
	}
	switch apis.Reason(after.Reason) {
	case apis.ReasonSandboxExpired:
		r.recordEvent(is, corev1.EventTypeNormal, apis.ReasonExpired, after.Message)
	case apis.ReasonReconcilerError:
		events.Record(r.recorder, is, nil, corev1.EventTypeWarning, apis.ReasonReconcilerError, onError, after.Message)
	case apis.ReasonMultiplePods:
		r.recordEvent(is, corev1.EventTypeWarning, apis.ReasonMultiplePods, after.Message)
	default: // the Ready condition itself shows it
	}
}

// isNewlyDropped reports whether the event about dropped keys is due: once per generation and once per new Pod.
func isNewlyDropped(was *agentsv1beta1.Sandbox, done results) bool {
	ready := apis.FindCondition(was.Status.Conditions, apis.ConditionReady)
	if ready == nil || ready.ObservedGeneration != was.Generation {
		return true
	}
	return len(done.pods) == 1 && done.pods[0].action == create
}

func (r *Reconciler) recordEvent(regarding runtime.Object, eventType string, reason apis.Reason, note string) {
	events.Record(r.recorder, regarding, nil, eventType, reason, apis.ActionReconcile, note)
}

// errorAction returns ActionAwaitChange if another attempt is not expected to succeed, because the API server or a
// policy rejects an object. With it clients need not interpret the message.
func errorAction(errs []error) string {
	for _, err := range errs {
		switch class := errorclass.Of(err); {
		case class == errorclass.Refused, class == errorclass.Invalid, apierrors.IsForbidden(err):
			return apis.ActionAwaitChange
		}
	}
	return apis.ActionReconcile
}
