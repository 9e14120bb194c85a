// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package diagnose

import (
	"cmp"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/capacity"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/operator"
)

// Operator is the state of the operator.
type Operator string

// The states of the operator.
const (
	// OperatorUnknown means that the caller may not read it, or has not tried.
	OperatorUnknown Operator = ""
	// OperatorAbsent means that there is no Deployment of the operator.
	OperatorAbsent Operator = "absent"
	// OperatorDown means that none works for the namespace: no replica is available or leads, or it watches others.
	OperatorDown Operator = "down"
	// OperatorUp means that one works for the namespace.
	OperatorUp Operator = "up"
)

// StateOf returns the state of an operator with this problem, which may be none.
func StateOf(problem operator.Problem) Operator {
	switch {
	case problem.Absent:
		return OperatorAbsent
	case problem.Message != "":
		return OperatorDown
	}
	return OperatorUp
}

// Snapshot holds the objects of one sandbox as read at one time. Each may be missing.
type Snapshot struct {
	Now      time.Time
	Claim    *extensionsv1beta1.SandboxClaim
	Sandbox  *agentsv1beta1.Sandbox
	Pod      *corev1.Pod
	Volumes  []corev1.PersistentVolumeClaim
	Events   []corev1.Event
	Operator Operator
	// OperatorProblem says what is wrong with an operator that is absent or down, and what to do; it may be empty.
	OperatorProblem operator.Problem
	// PoolTemplate is the template of the pool that a claim names; empty if it names none, or if that was not read.
	PoolTemplate string
	// TemplateMissing reports that the template does not exist.
	TemplateMissing bool
	// TemplateChanged reports that the template was changed after the Sandbox was made from it.
	TemplateChanged bool
	// Capacity says what the nodes lack for a Pod that is unschedulable; nil if that was not calculated.
	Capacity *capacity.Answer
	// Node is the node of a Pod that is not Ready; nil if it was not read.
	Node *corev1.Node
	// Quotas are the namespace's quotas; they are read if the operator fails to create something.
	Quotas []corev1.ResourceQuota
	// ConflictingObjects have the names of the Sandbox's children but belong to something else, as "Pod dev".
	ConflictingObjects []string
	// MissingStorageClasses are storage classes that Volumes name and that do not exist.
	MissingStorageClasses []string
	// PodHidden reports that Pod is nil because the caller may not read it.
	PodHidden bool
	// ClaimGone reports that the claim of this Sandbox no longer exists.
	ClaimGone bool
}

// template returns the name of the template that the Sandbox was made from, or that the claim needs; empty if there is
// none or it is unknown.
func (snapshot *Snapshot) template() string {
	if snapshot.Sandbox != nil {
		if name := snapshot.Sandbox.Annotations[apis.AnnotationTemplateRef]; name != "" {
			return name
		}
	}
	if snapshot.Claim != nil {
		return cmp.Or(snapshot.Claim.Spec.TemplateName(), snapshot.PoolTemplate)
	}
	return ""
}

// node returns the name of the Pod's node. A user who may not read the Pod may read it in the Sandbox.
func (snapshot *Snapshot) node() string {
	switch {
	case snapshot.Pod != nil:
		return snapshot.Pod.Spec.NodeName
	case snapshot.Sandbox != nil:
		return snapshot.Sandbox.Status.NodeName
	}
	return ""
}

func (snapshot *Snapshot) name() string {
	switch {
	case snapshot.Claim != nil:
		return snapshot.Claim.Name
	case snapshot.Sandbox != nil:
		return snapshot.Sandbox.Name
	}
	return ""
}
