// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package diagnose

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/capacity"
)

// Operator is what is known about the operator itself.
type Operator string

// The states of the operator.
const (
	// OperatorUnknown: we may not look, or did not.
	OperatorUnknown Operator = ""
	// OperatorAbsent: no Deployment of the operator was found.
	OperatorAbsent Operator = "absent"
	// OperatorDown: its Deployment has no available replica.
	OperatorDown Operator = "down"
	// OperatorUp: its Deployment is available.
	OperatorUp Operator = "up"
)

// Snapshot are the objects as they were read at one time. Each may be missing.
type Snapshot struct {
	Now      time.Time
	Claim    *extensionsv1beta1.SandboxClaim
	Sandbox  *agentsv1beta1.Sandbox
	Pod      *corev1.Pod
	Volumes  []corev1.PersistentVolumeClaim
	Events   []corev1.Event
	Operator Operator
	// Capacity is what the nodes lack for a Pod that none of them takes, nil if nobody has looked.
	Capacity *capacity.Answer
	// Node is the node of a Pod that is not Ready, nil if nobody has looked.
	Node *corev1.Node
	// Quotas are those of the namespace; they are read when the operator fails to create something.
	Quotas []corev1.ResourceQuota
	// ConflictingObjects are objects with the names of the Sandbox's children that belong to something else, as "Pod dev".
	ConflictingObjects []string
	// MissingStorageClasses are those that Volumes name and that do not exist.
	MissingStorageClasses []string
	// PodHidden says that the Pod is missing because the caller may not read it.
	PodHidden bool
	// ClaimGone says that the claim whose Sandbox this is does not exist any more.
	ClaimGone bool
}

// template is the name of what the Sandbox was made from, empty if that is no template or nobody knows.
func (f *Snapshot) template() string {
	if f.Sandbox != nil {
		if name := f.Sandbox.Annotations[apis.AnnotationTemplateRef]; name != "" {
			return name
		}
	}
	if f.Claim != nil {
		return f.Claim.Spec.TemplateName()
	}
	return ""
}

func (f *Snapshot) name() string {
	switch {
	case f.Claim != nil:
		return f.Claim.Name
	case f.Sandbox != nil:
		return f.Sandbox.Name
	}
	return ""
}
