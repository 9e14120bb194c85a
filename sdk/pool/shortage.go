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

// VerdictOf is the state of a member in one word.
func VerdictOf(member *agentsv1beta1.Sandbox, now time.Time) diagnose.Verdict {
	verdict := diagnose.VerdictOf(&diagnose.Snapshot{Now: now, Sandbox: member})
	if _, cause := obstacleOf(member); cause != podreason.None && verdict == diagnose.Starting {
		return diagnose.Blocked
	}
	return verdict
}

// obstacleOf is what the operator passes on of what the member's Pod lacks.
func obstacleOf(member *agentsv1beta1.Sandbox) (string, podreason.Cause) {
	c := diagnose.Current(member.Status.Conditions, apis.ConditionReady, member.Generation)
	if c == nil || c.Status == metav1.ConditionTrue {
		return "", podreason.None
	}
	return podreason.FromConditionMessage(strings.Join(strings.Fields(c.Message), " "))
}

// Broken says that what the pool is made from has to be changed: waiting is in vain, and more nodes do not help.
func (s *Summary) Broken() bool {
	return s.Cause != podreason.None && s.Cause != podreason.Unschedulable
}

// findShortage finds out why the pool is short, and of which class that is.
func (s *Summary) findShortage(f *Inventory) {
	if s.TemplateMissing && s.Desired > 0 {
		s.Cause = podreason.TemplateNotFound
	}
	s.Shortage = s.shortageText(f)
}

// shortageText is why fewer members are Ready than desired: the first cause that explains it.
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
	if s.Pool.Status.ObservedGeneration < s.Pool.Generation {
		return "the operator has not seen the latest change yet"
	}
	return fmt.Sprintf("%d not made yet", missing)
}

// origin names what members are broken by.
func (s *Summary) origin() string {
	if s.TemplateChanged {
		return "an earlier template " + s.Pool.Spec.TemplateRef.Name
	}
	return "template " + s.Pool.Spec.TemplateRef.Name
}

// commonObstacle is what the operator says about the members that are not Ready: what most of them have in common.
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
			text = strings.Join(strings.Fields(c.Message), " ")
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
	if cause == podreason.ImagePull { // what counts comes first: a column is narrow
		_, text, _ = strings.Cut(text, ": ")
		text = strings.TrimPrefix(text, "ImagePullBackOff: ")
	}
	return text, count
}

// ServedWarm says whether a claim was served warm: it took a member of a pool that was Ready. Times of creation and of conditions are
// whole seconds.
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
		return false // it became Ready in the claim's hands
	}
	return first.Sub(created) <= atOnce // it has been stopped since
}
