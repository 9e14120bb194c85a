// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package pool describes the state of a pool of warm sandboxes: its members, the claims that use them, and why it has
// too few.
//
// Invariants:
//   - a Summary is a pure function of the objects;
//   - objects that the caller may not read make a Summary less precise, never wrong: an unknown number is -1.
package pool

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/blueprint"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/apis/podreason"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/diagnose"
)

// Unknown stands for a number that could not be read.
const Unknown = -1

// Inventory holds the objects of a namespace as read at one time. A nil list could not be read; an empty list is not
// nil.
type Inventory struct {
	Now       time.Time
	Templates []*extensionsv1beta1.SandboxTemplate
	Sandboxes []*agentsv1beta1.Sandbox
	Claims    []*extensionsv1beta1.SandboxClaim
	// Rejections are the latest events about pools whose members the API server rejects, by the UID of the pool.
	Rejections map[types.UID]*corev1.Event
	// Obstacles are what keeps Sandboxes from being Ready although their conditions do not say it, by their UID.
	Obstacles map[types.UID]Obstacle
	// Stale, if set, replaces the function of that name, for a caller that caches its results.
	Stale func(*extensionsv1beta1.SandboxTemplate, *agentsv1beta1.Sandbox) bool
}

func (f *Inventory) stale(template *extensionsv1beta1.SandboxTemplate, member *agentsv1beta1.Sandbox) bool {
	if f.Stale != nil {
		return f.Stale(template, member)
	}
	return Stale(template, member)
}

// Obstacle is the state of a Sandbox according to its Pod, its volumes and their events.
type Obstacle struct {
	Verdict diagnose.Verdict
	Text    string
}

// VerdictOf returns the state of a member in one word.
func (f *Inventory) VerdictOf(member *agentsv1beta1.Sandbox) diagnose.Verdict {
	if obstacle := f.obstacle(member); obstacle.Text != "" {
		return obstacle.Verdict
	}
	return VerdictOf(member, f.Now)
}

// obstacle returns the obstacle of a member whose conditions say only that it is starting; otherwise none.
func (f *Inventory) obstacle(member *agentsv1beta1.Sandbox) Obstacle {
	if obstacle, found := f.Obstacles[member.UID]; found && VerdictOf(member, f.Now) == diagnose.Starting {
		return obstacle
	}
	return Obstacle{}
}

// Summary describes one pool.
type Summary struct {
	Pool *extensionsv1beta1.SandboxWarmPool
	// Template is nil if it does not exist, or templates may not be read.
	Template *extensionsv1beta1.SandboxTemplate
	// Members are the Sandboxes that the pool owns.
	Members []*agentsv1beta1.Sandbox
	// Claims are the claims that hold a Sandbox of the pool.
	Claims []*extensionsv1beta1.SandboxClaim

	Desired, Ready, Claimed, Stale int
	// TemplateMissing reports that the template does not exist, not only that it may not be read.
	TemplateMissing bool
	// Shortage says why fewer members than desired are or will be Ready; empty if nothing is wrong.
	Shortage string
	// Cause is the class of the shortage, which lasts until somebody acts. With None, members are starting.
	Cause podreason.Cause
	// TemplateChanged reports that the template was changed after the members that Cause is about were made.
	TemplateChanged bool
}

// Summarize describes a pool.
func Summarize(pool *extensionsv1beta1.SandboxWarmPool, f *Inventory) Summary {
	s := Summary{Pool: pool, Desired: 1, Ready: int(pool.Status.ReadyReplicas), Claimed: Unknown, Stale: Unknown}
	if pool.Spec.Replicas != nil {
		s.Desired = int(*pool.Spec.Replicas)
	}
	for i := range f.Templates {
		if t := f.Templates[i]; t.Namespace == pool.Namespace && t.Name == pool.Spec.TemplateRef.Name {
			s.Template = t
		}
	}
	s.TemplateMissing = f.Templates != nil && s.Template == nil
	if f.Sandboxes != nil {
		s.countMembers(f)
	}
	if f.Sandboxes != nil && f.Claims != nil {
		s.countClaims(f)
	}
	s.findShortage(f)
	return s
}

// countMembers finds and counts the pool's members.
func (s *Summary) countMembers(f *Inventory) {
	s.Ready = 0
	for i := range f.Sandboxes {
		member := f.Sandboxes[i]
		if member.Namespace != s.Pool.Namespace || !metav1.IsControlledBy(member, s.Pool) {
			continue
		}
		s.Members = append(s.Members, member)
		if VerdictOf(member, f.Now) == diagnose.Ready {
			s.Ready++
		}
	}
	if s.Template == nil {
		return
	}
	s.Stale = 0
	for _, member := range s.Members {
		if f.stale(s.Template, member) {
			s.Stale++
		}
	}
}

// countClaims finds the claims that hold a Sandbox of the pool.
func (s *Summary) countClaims(f *Inventory) {
	sandboxes := map[string]*agentsv1beta1.Sandbox{}
	for i := range f.Sandboxes {
		if f.Sandboxes[i].Namespace == s.Pool.Namespace {
			sandboxes[f.Sandboxes[i].Name] = f.Sandboxes[i]
		}
	}
	for i := range f.Claims {
		claim := f.Claims[i]
		if claim.Namespace == s.Pool.Namespace &&
			SourcePool(claim, sandboxes[claim.Status.SandboxStatus.Name]) == s.Pool.Name {
			s.Claims = append(s.Claims, claim)
		}
	}
	s.Claimed = len(s.Claims)
}

// randomSuffix is the length of the end of a member's name: <pool>-<five characters>.
const randomSuffix = len("-xxxxx")

// SourcePool returns the pool that a claim's Sandbox was taken from; empty if it was made for the claim. A claimed
// Sandbox loses the pool's label but keeps its name, which starts with the pool's. A new Sandbox has the name of its
// claim.
func SourcePool(claim *extensionsv1beta1.SandboxClaim, held *agentsv1beta1.Sandbox) string {
	if held == nil || !metav1.IsControlledBy(held, claim) {
		return ""
	}
	launch := held.Labels[apis.LabelLaunchType]
	if launch == apis.LaunchTypeCold || (launch == "" && held.Name == claim.Name) || len(held.Name) <= randomSuffix {
		return ""
	}
	pool, separator := held.Name[:len(held.Name)-randomSuffix], held.Name[len(held.Name)-randomSuffix]
	if separator != '-' {
		return ""
	}
	return pool
}

// Stale reports whether a member was made from another template, or from an earlier version of its template. Defaults
// that the operator sets where the template has no value are not a difference.
func Stale(template *extensionsv1beta1.SandboxTemplate, member *agentsv1beta1.Sandbox) bool {
	if hash := member.Labels[apis.LabelSandboxTemplateRefHash]; hash != "" && hash != naming.Hash(template.Name) {
		return true
	}
	wanted, has := template.Spec.PodTemplate.Spec.DeepCopy(), &member.Spec.PodTemplate.Spec
	copyDefaults(wanted, has)
	return blueprint.Hash(*wanted, template.Spec.VolumeClaimTemplates, template.Spec.Service) !=
		blueprint.Hash(*has, member.Spec.VolumeClaimTemplates, member.Spec.Service)
}

// copyDefaults copies the security defaults of a Pod whose template leaves them open.
func copyDefaults(wanted, has *corev1.PodSpec) {
	if wanted.AutomountServiceAccountToken == nil {
		wanted.AutomountServiceAccountToken = has.AutomountServiceAccountToken
	}
	if wanted.DNSPolicy == "" {
		wanted.DNSPolicy = has.DNSPolicy
		if wanted.DNSConfig == nil {
			wanted.DNSConfig = has.DNSConfig
		}
	}
}
