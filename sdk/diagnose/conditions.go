// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package diagnose

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/apis/podreason"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/capacity"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/volume"
)

// newObjectGracePeriod is how long a new object may have no conditions before the operator is suspected to be absent.
const newObjectGracePeriod = 10 * time.Second

// conditionFindings is the first layer: the operator's conditions of the claim and the Sandbox.
func conditionFindings(snapshot *Snapshot) []Finding {
	var all []Finding
	if snapshot.Claim != nil {
		claim := snapshot.Claim
		all = append(all, objectFindings(snapshot, "claim "+claim.Name, &claim.ObjectMeta, claim.Status.Conditions)...)
	}
	if snapshot.Sandbox != nil {
		sandbox := snapshot.Sandbox
		all = append(all,
			objectFindings(snapshot, "Sandbox "+sandbox.Name, &sandbox.ObjectMeta, sandbox.Status.Conditions)...)
	}
	return append(all, shutdownFindings(snapshot)...)
}

// shutdownFindings says what will happen at the shutdown time of a claim or Sandbox.
func shutdownFindings(snapshot *Snapshot) []Finding {
	deadline := snapshot.Deadline()
	if !deadline.IsSet() || deadline.Reached(snapshot.Now) || snapshot.expired() ||
		(snapshot.Claim == nil && snapshot.Sandbox == nil) {
		return nil
	}
	at := deadline.At().UTC().Format(time.RFC3339)
	return []Finding{{
		State: Note, Subject: snapshot.name(),
		Text: "ends at " + at + ": " + volume.ShutdownText(snapshot.Claim, snapshot.Sandbox, snapshot.Volumes),
	}}
}

func objectFindings(
	snapshot *Snapshot, subject string, object *metav1.ObjectMeta, conditions []metav1.Condition,
) []Finding {
	if len(conditions) == 0 {
		return []Finding{unobservedFinding(snapshot, subject, object)}
	}
	var all []Finding
	stale := false
	for i := range conditions {
		c := &conditions[i]
		if c.ObservedGeneration != 0 && c.ObservedGeneration < object.Generation {
			stale = true
			continue
		}
		all = append(all, conditionFinding(snapshot, subject, c))
	}
	if stale {
		all = append(
			all, Finding{State: Wait, Subject: subject, Text: "the operator has not seen the latest change yet"},
		)
	}
	return all
}

// conditionFinding is the finding about one condition. If the Pod may not be read, it uses what the operator passes on
// about the Pod.
func conditionFinding(snapshot *Snapshot, subject string, c *metav1.Condition) Finding {
	finding := Finding{State: stateOf(c), Subject: subject}
	message := oneLine(c.Message)
	finding.Text = conditionText(c, podreason.ShortConditionMessage(message))
	if whole := conditionText(c, message); whole != finding.Text {
		finding.Detail = whole
	}
	if c.Type != string(apis.ConditionReady) {
		return finding
	}
	finding.problem, finding.Lasting = problemOf(snapshot, c), lasting(snapshot, c)
	if finding.State == Wait && strings.HasPrefix(message, apis.MessagePodPhase) && snapshot.Pod != nil &&
		snapshot.Pod.DeletionTimestamp == nil && PodReady(snapshot.Pod) {
		finding.Text = conditionText(c, "The operator has not seen yet that the Pod is ready")
	}
	if _, cause := podreason.FromConditionMessage(message); cause != podreason.None && finding.State == Wait &&
		snapshot.Pod == nil && snapshot.PodHidden {
		finding.State, finding.problem = Bad, problemOfCause(cause)
	}
	return finding
}

// problemOfCause returns the problem of a cause that the operator passes on.
func problemOfCause(cause podreason.Cause) problem {
	switch cause {
	case podreason.ImagePull:
		return badImage
	case podreason.ContainerConfig:
		return unstartable
	case podreason.CrashLoop:
		return endedContainer
	case podreason.Unschedulable:
		return unschedulable
	case podreason.NodeNotReady:
		return lostNode
	case podreason.None, podreason.TemplateNotFound, podreason.MemberRejected:
	}
	return unclassified
}

// unobservedFinding is the finding about an object without conditions.
func unobservedFinding(snapshot *Snapshot, subject string, object *metav1.ObjectMeta) Finding {
	finding := Finding{State: Wait, Subject: subject, Text: "the operator has not seen it yet"}
	old := !snapshot.Now.Before(object.CreationTimestamp.Add(newObjectGracePeriod))
	if snapshot.Operator == OperatorUnknown && old {
		finding.State, finding.problem = Bad, operatorDown
		finding.Text += ": it may not be running"
	}
	return finding
}

// operatorFindings says that no operator works for the namespace, or nothing.
func operatorFindings(snapshot *Snapshot) []Finding {
	finding := Finding{State: Bad, Subject: "operator", Text: oneLine(snapshot.OperatorProblem.Message)}
	switch snapshot.Operator {
	case OperatorAbsent:
		finding.problem, finding.Lasting = operatorAbsent, true
		finding.Text = cmp.Or(finding.Text, "it is not installed")
	case OperatorDown:
		finding.problem = operatorDown
		finding.Text = cmp.Or(finding.Text, "it is not running")
	default:
		return nil
	}
	return []Finding{finding}
}

func stateOf(c *metav1.Condition) State {
	if c.Type != string(apis.ConditionReady) {
		return Note
	}
	if c.Status == metav1.ConditionTrue {
		return Good
	}
	switch apis.Reason(c.Reason) {
	case apis.ReasonReconcilerError, apis.ReasonMultiplePods, apis.ReasonPodFailed, apis.ReasonTemplateNotFound,
		apis.ReasonWarmPoolNotFound, apis.ReasonInvalidMetadata, apis.ReasonEnvVarsInjectionRejected,
		apis.ReasonVolumeClaimTemplatesError:
		return Bad
	case apis.ReasonSandboxSuspended, apis.ReasonSandboxExpired, apis.ReasonClaimExpired, apis.ReasonPodSucceeded:
		return Note
	}
	return Wait
}

// lasting reports whether a condition stays false until somebody changes something. Other errors of the operator may
// pass.
func lasting(snapshot *Snapshot, c *metav1.Condition) bool {
	switch apis.Reason(c.Reason) {
	case apis.ReasonReconcilerError:
		return len(snapshot.ConflictingObjects) > 0 || exceedsQuota(snapshot) || awaitsChange(snapshot)
	case apis.ReasonPodFailed, apis.ReasonMultiplePods:
		return false
	}
	return c.Status != metav1.ConditionTrue && stateOf(c) == Bad
}

// awaitsChange reports whether the operator's latest error is one that another attempt does not remove. The operator
// says so in the action of its event.
func awaitsChange(snapshot *Snapshot) bool {
	if snapshot.Sandbox == nil {
		return false
	}
	latest := latestEvent(snapshot, "Sandbox", snapshot.Sandbox.Name, func(e *corev1.Event) bool {
		return e.Reason == string(apis.ReasonReconcilerError)
	})
	return latest != nil && latest.Action == apis.ActionAwaitChange
}

// exceedsQuota reports whether a quota of the namespace has no room for what the Sandbox still lacks: its Pod, and
// those of its volumes that do not exist.
func exceedsQuota(snapshot *Snapshot) bool {
	if snapshot.Sandbox == nil || snapshot.Pod != nil {
		return false
	}
	var missing []corev1.PersistentVolumeClaimSpec
	for i := range snapshot.Sandbox.Spec.VolumeClaimTemplates {
		template := &snapshot.Sandbox.Spec.VolumeClaimTemplates[i]
		name := naming.PersistentVolumeClaim(template.Name, snapshot.Sandbox.Name)
		exists := slices.ContainsFunc(snapshot.Volumes, func(v corev1.PersistentVolumeClaim) bool { return v.Name == name })
		if !exists {
			missing = append(missing, template.Spec)
		}
	}
	return !capacity.WithinQuotas(&corev1.Pod{Spec: snapshot.Sandbox.Spec.PodTemplate.Spec}, missing, snapshot.Quotas)
}

// problemOf returns the problem behind the reason of a Ready condition.
func problemOf(snapshot *Snapshot, c *metav1.Condition) problem {
	switch apis.Reason(c.Reason) {
	case apis.ReasonReconcilerError:
		switch {
		case len(snapshot.ConflictingObjects) > 0:
			return unclassified // the message says what to do
		case exceedsQuota(snapshot):
			return fullQuota
		case awaitsChange(snapshot):
			return rejectedPod
		}
		return unclassified
	case apis.ReasonTemplateNotFound:
		return missingTemplate
	case apis.ReasonWarmPoolNotFound:
		return missingPool
	case apis.ReasonInvalidMetadata:
		return refusedMetadata
	case apis.ReasonEnvVarsInjectionRejected:
		return refusedEnv
	case apis.ReasonVolumeClaimTemplatesError:
		return refusedVolumes
	default:
		return unclassified
	}
}

func conditionText(c *metav1.Condition, message string) string {
	return strings.TrimSpace(fmt.Sprintf("%s=%s (%s) %s", c.Type, c.Status, c.Reason, message))
}

// withoutRepeatedText returns the first layer without text that is shown elsewhere: a claim repeats the conditions of
// its Sandbox, and the operator repeats what the layers below say about the Pod.
func withoutRepeatedText(snapshot *Snapshot, d *Diagnosis) []Finding {
	below := hasBad(d.Scheduling, d.Containers)
	said := map[string]bool{}
	findings := slices.Clone(d.Conditions)
	for i := len(findings) - 1; i >= 0; i-- { // the Sandbox's conditions follow the claim's
		finding := &findings[i]
		text := finding.Text
		if head, _, found := podreason.SplitConditionMessage(text); found && below {
			finding.Text, finding.Detail = head, ""
		}
		if said[text] && snapshot.Claim != nil && finding.State != Good {
			reason, _, _ := strings.Cut(finding.Text, ") ")
			finding.Text, finding.Detail = reason+") as its Sandbox says", ""
		}
		said[text] = true
	}
	return findings
}
