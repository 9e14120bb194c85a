// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pool

import (
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/podreason"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/diagnose"
)

// VerdictOf returns the state of a member in one word, as its conditions tell it.
func VerdictOf(member *agentsv1beta1.Sandbox, now time.Time) diagnose.Verdict {
	return diagnose.VerdictByConditions(diagnose.Snapshot{Now: now, Sandbox: member})
}

// obstacleOf returns what the member's Ready condition says about its Pod.
func obstacleOf(member *agentsv1beta1.Sandbox) (string, podreason.Cause) {
	c := diagnose.Current(member.Status.Conditions, apis.ConditionReady, member.Generation)
	if c == nil || c.Status == metav1.ConditionTrue {
		return "", podreason.None
	}
	text, cause := podreason.FromConditionMessage(strings.Join(strings.Fields(c.Message), " "))
	return podreason.ShortPodMessage(text), cause
}

// Broken reports whether the pool's template must be changed: waiting, or more nodes, do not help.
func (s *Summary) Broken() bool {
	return s.Cause != podreason.None && s.Cause != podreason.Unschedulable && s.Cause != podreason.NodeNotReady
}

// findShortage determines why the pool has too few members, and the class of the cause.
func (s *Summary) findShortage(f *Inventory) {
	if s.TemplateMissing && s.Desired > 0 {
		s.Cause = podreason.TemplateNotFound
	}
	s.Shortage = s.shortageText(f)
}

// shortageText returns why fewer members than desired are Ready: the first cause that explains it.
func (s *Summary) shortageText(f *Inventory) string {
	missing := s.Desired - s.Ready
	switch {
	case s.Pool.DeletionTimestamp != nil:
		return "it is being deleted"
	case s.Cause == podreason.TemplateNotFound && missing <= 0:
		return fmt.Sprintf("template %s does not exist: what is claimed is not replaced", s.Pool.Spec.TemplateRef.Name)
	case s.Cause == podreason.TemplateNotFound:
		return fmt.Sprintf("template %s does not exist", s.Pool.Spec.TemplateRef.Name)
	case missing <= 0:
		return ""
	case f.Sandboxes == nil:
		return fmt.Sprintf("%d of %d are not ready (you may not list Sandboxes)", missing, s.Desired)
	}
	if why, count := s.commonObstacle(f); count > 0 {
		if s.Broken() {
			return fmt.Sprintf("%s: %s (%d not ready)", s.origin(), why, count)
		}
		return fmt.Sprintf("%d not ready: %s", count, why)
	}
	if why := s.rejection(f); why != "" {
		s.Cause = podreason.MemberRejected
		return why
	}
	if s.Pool.Status.ObservedGeneration < s.Pool.Generation {
		return "the operator has not seen the latest change yet"
	}
	return fmt.Sprintf("%d not made yet", missing)
}

// rejection returns the operator's event that the API server rejects the pool's members, unless one was created since.
func (s *Summary) rejection(f *Inventory) string {
	event := f.Rejections[s.Pool.UID]
	if event == nil {
		return ""
	}
	for _, member := range s.Members {
		if member.CreationTimestamp.After(diagnose.EventTime(event).Time) {
			return ""
		}
	}
	return strings.Join(strings.Fields(event.Message), " ")
}

// origin names the template that the broken members were made from.
func (s *Summary) origin() string {
	if s.TemplateChanged {
		return "an earlier template " + s.Pool.Spec.TemplateRef.Name
	}
	return "template " + s.Pool.Spec.TemplateRef.Name
}

// commonObstacle returns what most of the members that are not Ready have in common, as their conditions say.
func (s *Summary) commonObstacle(f *Inventory) (why string, count int) {
	said := map[string]int{}
	var example *agentsv1beta1.Sandbox
	for _, member := range s.Members {
		if VerdictOf(member, f.Now) == diagnose.Ready {
			continue
		}
		count++
		text := "the operator has not seen it yet"
		if c := diagnose.Current(member.Status.Conditions, apis.ConditionReady, member.Generation); c != nil {
			text = podreason.ShortConditionMessage(strings.Join(strings.Fields(c.Message), " "))
		}
		if obstacle := f.obstacle(member); obstacle.Text != "" {
			text = obstacle.Text
		}
		if said[text]++; why == "" || said[text] > said[why] || (said[text] == said[why] && text < why) {
			why, example = text, member
		}
	}
	if count == 0 {
		return "", 0
	}
	text, cause := obstacleOf(example)
	if cause == podreason.None {
		return why, count
	}
	s.Cause, s.TemplateChanged = cause, s.Template != nil && f.stale(s.Template, example)
	if cause == podreason.ImagePull { // the important part comes first: columns are narrow
		_, text, _ = strings.Cut(text, ": ")
		text = strings.TrimPrefix(text, "ImagePullBackOff: ")
	}
	return text, count
}

// ServedWarm reports whether a claim was served warm: it took a member that was Ready. Timestamps are whole seconds.
func ServedWarm(claim *extensionsv1beta1.SandboxClaim, held *agentsv1beta1.Sandbox) bool {
	if SourcePool(claim, held) == "" {
		return false
	}
	const atOnce = 2 * time.Second
	created, first := claim.CreationTimestamp.Time, claim.Status.FirstReadyTime
	ready := apis.FindCondition(held.Status.Conditions, apis.ConditionReady)
	isReady := ready != nil && ready.Status == metav1.ConditionTrue
	switch {
	case isReady && !ready.LastTransitionTime.After(created):
		return true
	case first == nil:
		return false
	case isReady && !ready.LastTransitionTime.After(first.Time):
		return false // it became Ready after it was claimed
	}
	return first.Sub(created) <= atOnce // it has been stopped since
}
