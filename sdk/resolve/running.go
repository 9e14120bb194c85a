// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package resolve

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/apis/ending"
	"github.com/agent-sandbox/kubectl-sandbox/apis/lifecycle"
	"github.com/agent-sandbox/kubectl-sandbox/apis/podreason"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
)

// Running resolves a reference to a sandbox whose Pod runs. Its error says why the Pod does not run.
func (r *Resolver) Running(ctx context.Context, namespace string, ref Ref) (*Target, error) {
	t, err := r.Objects(ctx, namespace, ref)
	if err != nil {
		return nil, err
	}
	if err := CheckRunning(t, r.clock.Now()); err != nil {
		return nil, err
	}
	return t, nil
}

// RunningContainer resolves a reference to the container that commands run in: the named one, or the Pod's default if
// the name is empty. It returns an error if the Pod does not run.
func (r *Resolver) RunningContainer(
	ctx context.Context, namespace string, ref Ref, name string,
) (*Target, stream.Container, error) {
	t, err := r.Objects(ctx, namespace, ref)
	if err != nil {
		return nil, stream.Container{}, err
	}
	container, err := t.RunningContainer(name, r.clock.Now())
	if err != nil {
		return nil, stream.Container{}, err
	}
	return t, container, nil
}

// RunningContainer returns the target's container of that name, or the Pod's default if the name is empty. It returns
// an error if the Pod does not run.
func (t *Target) RunningContainer(name string, now time.Time) (stream.Container, error) {
	if err := CheckRunning(t, now); err != nil {
		return stream.Container{}, err
	}
	name, err := Container(t.Pod, name)
	if err != nil {
		return stream.Container{}, err
	}
	return stream.Container{Namespace: t.Namespace, Pod: t.Pod.Name, Name: name}, nil
}

// CheckRunning returns nil if the target's Pod runs, and otherwise why no command can run in it.
func CheckRunning(t *Target, now time.Time) error {
	e := whyNotRunning(t, now)
	if e == nil {
		return nil
	}
	return e
}

func whyNotRunning(t *Target, now time.Time) *Error {
	name := t.Name()
	describe := commandFor("describe", t)
	switch {
	case deleting(t):
		return &Error{Cause: Deleting, Message: fmt.Sprintf("%s is being deleted", name)}
	case ending.Of(t.Pod).Finished(): // otherwise it was evicted or deleted, and another may follow
		return &Error{
			Cause: Finished, Message: fmt.Sprintf("%s has finished: %s", name, endOf(t.Pod)), next: commandFor("logs", t),
		}
	case expired(t, now):
		return &Error{Cause: Expired, Message: fmt.Sprintf("%s has expired", name), next: describe}
	case t.Sandbox == nil:
		return &Error{
			Cause:   NotReady,
			Message: fmt.Sprintf("claim %s has no Sandbox yet%s", name, readyMessage(t.Claim.Status.Conditions)),
			next:    describe,
		}
	}
	if asked, _ := t.Sandbox.Spec.SuspensionRequested(); asked {
		return &Error{Cause: Suspended, Message: fmt.Sprintf("%s is suspended", name), next: commandFor("resume", t)}
	}
	if t.Pod == nil {
		return &Error{
			Cause: NotReady, Message: fmt.Sprintf("%s has no Pod yet%s", name, readyMessage(t.Sandbox.Status.Conditions)),
			next: describe,
		}
	}
	if t.Pod.Status.Phase != corev1.PodRunning || t.Pod.DeletionTimestamp != nil {
		return &Error{
			Cause: NotReady, Message: fmt.Sprintf("%s does not run yet%s", name, readyMessage(t.Sandbox.Status.Conditions)),
			next: describe,
		}
	}
	return nil
}

func deleting(t *Target) bool {
	return t.ClaimGone || (t.Claim != nil && t.Claim.DeletionTimestamp != nil) ||
		(t.Sandbox != nil && t.Sandbox.DeletionTimestamp != nil)
}

func expired(t *Target, now time.Time) bool {
	if t.Claim != nil && t.Claim.Spec.Lifecycle != nil {
		l := t.Claim.Spec.Lifecycle
		if lifecycle.Of(l.ShutdownTime, l.TTLSecondsAfterFinished, t.Claim.Status.Conditions).Reached(now) {
			return true
		}
	}
	return t.Sandbox != nil && lifecycle.Of(t.Sandbox.Spec.ShutdownTime, nil, t.Sandbox.Status.Conditions).Reached(now)
}

// readyMessage returns ": <message>" of a Ready condition that is not True.
func readyMessage(conditions []metav1.Condition) string {
	ready := apis.FindCondition(conditions, apis.ConditionReady)
	if ready == nil || ready.Status == metav1.ConditionTrue || ready.Message == "" {
		return ""
	}
	return ": " + podreason.ShortConditionMessage(ready.Message)
}

// endOf describes how a Pod ended: the exit code, or the reason.
func endOf(pod *corev1.Pod) string {
	for i := range pod.Status.ContainerStatuses {
		status := &pod.Status.ContainerStatuses[i]
		if ended := status.State.Terminated; ended != nil &&
			(ended.ExitCode != 0 || pod.Status.Phase == corev1.PodSucceeded) {
			return strings.TrimSpace(
				fmt.Sprintf("container %s ended with exit code %d %s", status.Name, ended.ExitCode, parenthesized(ended.Reason)),
			)
		}
	}
	if pod.Status.Message != "" {
		return pod.Status.Message
	}
	return "its Pod is " + string(pod.Status.Phase) + " " + parenthesized(pod.Status.Reason)
}

func parenthesized(reason string) string {
	if reason == "" {
		return ""
	}
	return "(" + reason + ")"
}

// commandFor returns a plugin command about the target.
func commandFor(verb string, t *Target) string { return verb + " " + t.Ref.String() }
