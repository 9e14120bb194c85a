// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/sandboxspec"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

var testNow = time.Date(2026, 4, 13, 12, 0, 0, 0, time.UTC)

// newClaim returns a claim of the template "python".
func newClaim(name string, with ...builders.ClaimOption) *extensionsv1beta1.SandboxClaim {
	return builders.Claim(name, "python", append([]builders.ClaimOption{
		builders.WithUID(types.UID(name + "-uid")), builders.WithGeneration(1), builders.CreatedAt(testNow),
	}, with...)...)
}

func newTemplate(with ...builders.TemplateOption) *extensionsv1beta1.SandboxTemplate {
	return builders.Template("python", append([]builders.TemplateOption{builders.WithUID("python-uid")}, with...)...)
}

func newPool(name string, with ...builders.PoolOption) *extensionsv1beta1.SandboxWarmPool {
	return builders.Pool(
		name, "python",
		append([]builders.PoolOption{builders.WithUID(types.UID(name + "-uid"))}, with...)...)
}

type sandboxOption func(*agentsv1beta1.Sandbox)

// newMember returns a ready member of a pool.
func newMember(name string, of *extensionsv1beta1.SandboxWarmPool, with ...sandboxOption) *agentsv1beta1.Sandbox {
	return newMemberFrom(name, of, newTemplate(), with...)
}

func newMemberFrom(
	name string, of *extensionsv1beta1.SandboxWarmPool, from *extensionsv1beta1.SandboxTemplate, with ...sandboxOption,
) *agentsv1beta1.Sandbox {
	s := sandboxspec.FromTemplate(from)
	s.Name, s.UID, s.Generation = name, types.UID(name+"-uid"), 1
	s.CreationTimestamp = metav1.NewTime(testNow.Add(-time.Hour))
	s.Labels[apis.LabelWarmPoolSandbox] = naming.Hash(of.Name)
	s.Labels[apis.LabelSandboxPodTemplateHash] = sandboxspec.SandboxHash(s)
	s.Annotations[apis.AnnotationPodName] = name
	s.OwnerReferences = []metav1.OwnerReference{
		*metav1.NewControllerRef(of, extensionsv1beta1.SchemeGroupVersion.WithKind(apis.KindSandboxWarmPool)),
	}
	ready(s)
	for _, c := range with {
		c(s)
	}
	return s
}

func ready(s *agentsv1beta1.Sandbox) {
	s.Status.PodIPs = []string{"10.0.0.9"}
	setCondition(s, apis.ConditionReady, true, apis.ReasonDependenciesReady, apis.MessagePodReady)
}

func notReady(s *agentsv1beta1.Sandbox) {
	setCondition(s, apis.ConditionReady, false, apis.ReasonDependenciesNotReady, apis.MessagePodNotReady)
}

func finished(s *agentsv1beta1.Sandbox) {
	setCondition(s, apis.ConditionReady, false, apis.ReasonPodSucceeded, "done")
	setCondition(s, apis.ConditionFinished, true, apis.ReasonPodSucceeded, "done")
}

func withoutIP(s *agentsv1beta1.Sandbox) { s.Status.PodIPs = nil }

func deleting(s *agentsv1beta1.Sandbox) {
	s.DeletionTimestamp, s.Finalizers = new(metav1.NewTime(testNow)), []string{"example.com/hold"}
}

func olderBy(by time.Duration) sandboxOption {
	return func(s *agentsv1beta1.Sandbox) { s.CreationTimestamp = metav1.NewTime(s.CreationTimestamp.Add(-by)) }
}

func setCondition(s *agentsv1beta1.Sandbox, kind apis.ConditionType, status bool, reason apis.Reason, message string) {
	is := apis.NewCondition(nil, kind, status, reason, message, s.Generation, metav1.NewTime(testNow))
	if old := apis.FindCondition(s.Status.Conditions, kind); old != nil {
		*old = is
	} else {
		s.Status.Conditions = append(s.Status.Conditions, is)
	}
}

// newClaimed returns the Sandbox as it is after the claim has adopted it.
func newClaimed(
	claim *extensionsv1beta1.SandboxClaim, s *agentsv1beta1.Sandbox, with ...sandboxOption,
) *agentsv1beta1.Sandbox {
	s, why := newAdoptedSandbox(s, claim, newTemplate())
	if why != nil {
		panic(why)
	}
	for _, c := range with {
		c(s)
	}
	return s
}

// withAssignment records the name of a Sandbox on the claim.
func withAssignment(name string) builders.ClaimOption {
	return builders.WithAnnotation(apis.AnnotationAssignedSandboxName, name)
}

func withSpec(change func(*extensionsv1beta1.SandboxClaimSpec)) builders.ClaimOption {
	return builders.WithClaimSpec(change)
}

func withTemplateSpec(change func(*extensionsv1beta1.SandboxTemplateSpec)) builders.TemplateOption {
	return builders.WithTemplateSpec(change)
}

// conditionStrings formats conditions without their times.
func conditionStrings(conditions []metav1.Condition) (all []string) {
	for _, c := range conditions {
		all = append(all, fmt.Sprintf("%s=%s/%s %s", c.Type, c.Status, c.Reason, c.Message))
	}
	return all
}
