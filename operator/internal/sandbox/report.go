// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/ending"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/apis/podreason"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/errorclass"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/owner"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/waits"
)

// statusInput is everything that a status is computed from.
type statusInput struct {
	state        desiredState
	pod          *corev1.Pod   // ours; nil if it is known that there is none
	multiplePods []*corev1.Pod // ours, if there are several
	waitingFor   string        // the object whose deletion blocks a new Pod; empty: none
	service      *corev1.Service
	errs         []error // errors to show to the user, those of Pods first
}

// report writes the status once, if it differs and is due, guarded by the resource version that the reconcile has seen,
// and records events. It returns the time until the status is due, or 0.
func (r *Reconciler) report(
	ctx context.Context, sandbox *agentsv1beta1.Sandbox, p plan, done results, now time.Time,
) (time.Duration, error) {
	was := sandbox.DeepCopy()
	f := collectStatusInput(sandbox, p, done)
	sandbox.Status = statusOf(was, f, r.clusterDomain, metav1.NewTime(now).Rfc3339Copy())
	r.recordActionEvents(was, sandbox, p, done)
	if equalExceptNodeName(was.Status, sandbox.Status) {
		return 0, nil
	}
	if delay := startingDelay(was, sandbox.Status, f, p, now); delay > 0 {
		return delay, nil
	}
	err := r.client.Status().Patch(ctx, sandbox,
		client.MergeFromWithOptions(was, client.MergeFromWithOptimisticLock{}), client.FieldOwner(apis.FieldOwnerSandbox))
	switch {
	case err == nil:
		r.recordStatusEvents(was, sandbox, errorAction(f.errs))
		return 0, nil
	case apierrors.IsNotFound(err):
		return 0, nil
	case apierrors.IsInvalid(err): // a bug of the operator, not a fault of the Sandbox: log it and back off
		return 0, fmt.Errorf("patch status: %v", err) //nolint:errorlint // %w would classify it as a fault of the Sandbox
	default:
		return 0, fmt.Errorf("patch status: %w", err)
	}
}

// startingDelay returns how long the first status of a pool's member is delayed that would only say that its Pod is
// starting. Zero: it is due.
func startingDelay(
	was *agentsv1beta1.Sandbox, is agentsv1beta1.SandboxStatus, f statusInput, p plan, now time.Time,
) time.Duration {
	nothingToReport := f.pod != nil && f.waitingFor == "" && podreason.Message(f.pod) == "" &&
		len(f.multiplePods)+len(f.errs)+len(p.droppedKeys)+len(is.PodIPs) == 0
	if nothingToReport && ending.Of(f.pod).Cause == ending.None && f.state == desiredRunning &&
		len(was.Status.Conditions) == 0 && isPoolMember(was) {
		return min(max(0, was.CreationTimestamp.Add(waits.StartingStatus).Sub(now)), waits.StartingStatus)
	}
	return 0
}

// equalExceptNodeName reports whether no status write is needed: a new node name alone is not worth a write.
func equalExceptNodeName(was, is agentsv1beta1.SandboxStatus) bool {
	was.NodeName, is.NodeName = "", ""
	return equality.Semantic.DeepEqual(was, is)
}

// collectStatusInput collects the input after the writes. It ignores Pods that are not ours, or not yet.
func collectStatusInput(sandbox *agentsv1beta1.Sandbox, p plan, done results) statusInput {
	f := statusInput{state: p.state}
	for _, pod := range done.pods {
		if pod.child == nil {
			continue
		}
		if relationOf(pod.child, sandbox) == owner.Owned {
			f.pod = pod.child
			if p.multiplePods {
				f.multiplePods = append(f.multiplePods, pod.child)
			}
		}
		if pod.action == wait && p.state == desiredRunning {
			f.waitingFor = "Pod " + pod.child.Name
		}
	}
	for _, claim := range done.volumes {
		if claim.action == wait && claim.child != nil {
			f.waitingFor = "PersistentVolumeClaim " + claim.child.Name
		}
	}
	if s := done.service; s.action != refuse && (s.action != remove || s.err != nil) && s.action != wait {
		f.service = s.child
	}
	for _, err := range done.errors() {
		if c := errorclass.Of(err); c != errorclass.None && c != errorclass.Conflict && c != errorclass.Terminating {
			f.errs = append(f.errs, err)
		}
	}
	return f
}

// statusOf returns the complete status. Its conditions are Ready, Suspended and Finished, in this order.
func statusOf(
	sandbox *agentsv1beta1.Sandbox, f statusInput, clusterDomain string, now metav1.Time,
) agentsv1beta1.SandboxStatus {
	var s agentsv1beta1.SandboxStatus
	if f.pod != nil {
		s.Replicas = 1
	}
	if f.state != desiredExpired {
		s.LabelSelector = apis.LabelSandboxNameHash + "=" + naming.Hash(sandbox.Name)
		if f.pod != nil && len(f.multiplePods) == 0 {
			s.NodeName = f.pod.Spec.NodeName
			for _, ip := range f.pod.Status.PodIPs {
				if showsPodIPs(f.pod) {
					s.PodIPs = append(s.PodIPs, ip.IP)
				}
			}
		}
		if f.service != nil {
			s.Service = f.service.Name
			s.ServiceFQDN = naming.ServiceFQDN(f.service.Name, f.service.Namespace, clusterDomain)
		}
	}
	add := func(kind apis.ConditionType, status bool, reason apis.Reason, message string) {
		s.Conditions = append(s.Conditions,
			apis.NewCondition(sandbox.Status.Conditions, kind, status, reason, message, sandbox.Generation, now))
	}
	ready, reason, message := readyCondition(sandbox, f)
	add(apis.ConditionReady, ready, reason, message)
	if suspend, _ := sandbox.Spec.SuspensionRequested(); suspend {
		if f.pod == nil {
			add(apis.ConditionSuspended, true, apis.ReasonPodTerminated, apis.MessageSuspendedPodTerminated)
		} else {
			add(apis.ConditionSuspended, false, apis.ReasonPodNotTerminated, apis.MessageSuspendedPodPresent)
		}
	}
	if finished, reason, message := finishedCondition(f.pod); finished && len(f.multiplePods) == 0 {
		add(apis.ConditionFinished, true, reason, message)
	} else if old := apis.FindCondition(sandbox.Status.Conditions, apis.ConditionFinished); old != nil &&
		f.state == desiredExpired {
		s.Conditions = append(s.Conditions, *old) // the expiry deleted the Pod: keep the record of how it ended
	}
	return s
}

// readyCondition returns status, reason and message of the condition Ready.
func readyCondition(sandbox *agentsv1beta1.Sandbox, f statusInput) (ready bool, reason apis.Reason, message string) {
	switch {
	case f.state == desiredExpired:
		return false, apis.ReasonSandboxExpired, apis.MessageExpired
	case len(f.multiplePods) > 0:
		return false, apis.ReasonMultiplePods, multipleMessage(f.multiplePods)
	case len(f.errs) > 0:
		return false, apis.ReasonReconcilerError, apis.MessageErrorPrefix + joinErrors(f.errs)
	case f.state == desiredSuspended && f.pod != nil:
		return false, apis.ReasonSandboxSuspended, apis.MessageSuspending
	case f.state == desiredSuspended:
		return false, apis.ReasonSandboxSuspended, apis.MessageSuspended
	}
	if finished, reason, message := finishedCondition(f.pod); finished {
		return false, reason, message
	}
	podReady, message := podReadiness(f.pod, f.waitingFor)
	wantsService := sandbox.Spec.Service
	switch {
	case f.service != nil:
		message += "; " + apis.MessageServiceExists
	case wantsService != nil && *wantsService:
		podReady, message = false, message+"; "+apis.MessageServiceMissing
	}
	if podReady {
		return true, apis.ReasonDependenciesReady, message
	}
	return false, apis.ReasonDependenciesNotReady, message
}

func multipleMessage(pods []*corev1.Pod) string {
	names := make([]string, 0, len(pods))
	for _, pod := range pods {
		names = append(names, pod.Name)
	}
	return fmt.Sprintf("The Sandbox controls %d Pods (%s) but may have only one: delete the others",
		len(pods), strings.Join(sorted(names), ", "))
}

func joinErrors(errs []error) string {
	texts := make([]string, 0, len(errs))
	for _, err := range errs {
		texts = append(texts, err.Error())
	}
	return strings.Join(texts, "; ")
}
