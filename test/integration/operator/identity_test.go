// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

// checkPolicyLabel returns an error unless the Sandbox's Pod has the label by which the template's NetworkPolicy
// selects it.
func (w *world) checkPolicyLabel(sandbox, template string) error {
	var pod corev1.Pod
	if err := w.get(sandbox, &pod); err != nil {
		return err
	}
	if pod.Labels[apis.LabelSandboxTemplateRefHash] != naming.Hash(template) {
		return fmt.Errorf("the policy of %s does not select the Pod: %v", template, pod.Labels)
	}
	return nil
}

func TestAClaimsReferenceCannotChangeAndItsSandboxCannotBeTakenAway(t *testing.T) {
	w := start(t, server, extensions)
	w.create(builders.Template("python"))
	w.create(builders.Pool("warm", "python", builders.WithReplicas(1)))
	w.waitForPool("warm", 1)
	w.create(builders.Claim("c", "python"))
	err := w.client.Patch(t.Context(),
		&extensionsv1beta1.SandboxClaim{ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: "c"}},
		client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"sandboxTemplateRef":{"name":"none"}}}`)))
	if !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), "sandboxTemplateRef and warmPoolRef cannot change") {
		t.Errorf("the edit of the reference: %v", err)
	}
	claim := w.waitForClaim("c", apis.ReasonDependenciesReady)
	name := claim.Status.SandboxStatus.Name
	for range 3 {
		w.edit(name, func(s *agentsv1beta1.Sandbox) {
			s.OwnerReferences = nil
			s.Labels[apis.LabelSandboxTemplateRefHash], s.Annotations[apis.AnnotationTemplateRef] = naming.Hash("none"), "none"
		})
		w.eventually("the claim has its Sandbox back", func() error {
			if err := w.checkPolicyLabel(name, "python"); err != nil {
				t.Error(err) // at no time
			}
			var s agentsv1beta1.Sandbox
			if err := w.get(name, &s); err != nil {
				return err
			}
			if !metav1.IsControlledBy(&s, claim) || s.Annotations[apis.AnnotationTemplateRef] != "python" ||
				s.Labels[apis.LabelSandboxTemplateRefHash] != naming.Hash("python") {
				return fmt.Errorf("owners %v, labels %v", s.OwnerReferences, s.Labels)
			}
			return nil
		})
	}
	if got := w.waitForClaim("c", apis.ReasonDependenciesReady); got.Status.SandboxStatus.Name != name {
		t.Errorf("the claim has %s, not %s", got.Status.SandboxStatus.Name, name)
	}
	w.checkOwnership()
}
