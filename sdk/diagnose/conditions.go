// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package diagnose

import (
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
		finding := Finding{State: stateOf(c), Subject: subject, Text: conditionText(c)}
		if c.Type == string(apis.ConditionReady) {
			finding.problem, finding.Lasting = problemOf(apis.Reason(c.Reason)), lasting(snapshot, c)
		}
		all = append(all, finding)
	}
	if stale {
		all = append(
			all,
			Finding{
				State: Wait, Subject: subject, Text: "the operator has not seen the latest change yet" + operatorRemark(snapshot),
				problem: operatorProblem(snapshot),
			},
		)
	}
	return all
}

// unobservedFinding is the finding about an object without conditions.
func unobservedFinding(snapshot *Snapshot, subject string, object *metav1.ObjectMeta) Finding {
	finding := Finding{
		State: Wait, Subject: subject, Text: "the operator has not seen it yet" + operatorRemark(snapshot),
		problem: operatorProblem(snapshot),
	}
	old := !snapshot.Now.Before(object.CreationTimestamp.Add(newObjectGracePeriod))
	if snapshot.Operator == OperatorAbsent || snapshot.Operator == OperatorDown ||
		(snapshot.Operator == OperatorUnknown && old) {
		finding.State = Bad
	}
	finding.Lasting = snapshot.Operator == OperatorAbsent
	if snapshot.Operator == OperatorUnknown && old {
		finding.Text += ": it may not be running"
		finding.problem = operatorDown
	}
	return finding
}

func operatorRemark(snapshot *Snapshot) string {
	switch snapshot.Operator {
	case OperatorAbsent:
		return ": the operator is not installed"
	case OperatorDown:
		return ": the operator is not running"
	default:
	}
	return ""
}

func operatorProblem(snapshot *Snapshot) problem {
	switch snapshot.Operator {
	case OperatorAbsent:
		return operatorAbsent
	case OperatorDown:
		return operatorDown
	default:
	}
	return unclassified
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

// problemOf returns the problem behind a reason that only claims have.
func problemOf(reason apis.Reason) problem {
	switch reason {
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

func conditionText(c *metav1.Condition) string {
	text := fmt.Sprintf("%s=%s (%s)", c.Type, c.Status, c.Reason)
	if c.Message != "" {
		text += " " + oneLine(c.Message)
	}
	return text
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
			finding.Text = head
		}
		if said[text] && snapshot.Claim != nil && finding.State != Good {
			reason, _, _ := strings.Cut(finding.Text, ") ")
			finding.Text = reason + ") as its Sandbox says"
		}
		said[text] = true
	}
	return findings
}
