// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

func TestLabelsOfATemplateReachWhatWasClaimedBefore(t *testing.T) {
	w := start(t, server, extensions)
	w.create(builders.Template("python", builders.WithLabel("team", "a"), builders.WithPodLabel("tier", "1")))
	w.create(builders.Pool("warm", "python", builders.WithReplicas(1)))
	w.waitForPool("warm", 1)
	w.create(builders.Claim("by-pool", "", builders.FromPool("warm")))
	w.create(builders.Claim("cold", "python", builders.WithWarmPool(apis.WarmPoolNone)))
	name := map[string]string{}
	before := map[string]*corev1.Pod{}
	for _, claim := range []string{"by-pool", "cold"} {
		name[claim] = w.waitForClaim(claim, apis.ReasonDependenciesReady).Status.SandboxStatus.Name
		before[claim] = &corev1.Pod{}
		if err := w.get(name[claim], before[claim]); err != nil {
			t.Fatal(err)
		}
	}
	follow := func(label, team, tier string) {
		t.Helper()
		for claim, sandbox := range name {
			w.eventually(label+" reaches "+claim, func() error {
				var s agentsv1beta1.Sandbox
				var pod corev1.Pod
				if err := w.get(sandbox, &s); err != nil {
					return err
				}
				if err := w.get(sandbox, &pod); err != nil {
					return err
				}
				if s.Labels["team"] != team || pod.Labels["tier"] != tier || pod.UID != before[claim].UID {
					return fmt.Errorf("labels %v, of the Pod %v", s.Labels, pod.Labels)
				}
				return nil
			})
		}
	}
	follow("the first label", "a", "1")
	w.editTemplate("python", func(s *extensionsv1beta1.SandboxTemplateSpec) {
		s.PodTemplate.ObjectMeta.Labels["tier"] = "2"
	})
	follow("a label of the Pod", "a", "2")
	var template extensionsv1beta1.SandboxTemplate
	if err := w.get("python", &template); err != nil {
		t.Fatal(err)
	}
	was := template.DeepCopy()
	template.Labels["team"] = "b" // does not change the generation
	if err := w.client.Patch(t.Context(), &template, client.MergeFrom(was)); err != nil {
		t.Fatal(err)
	}
	follow("a label of the template", "b", "2")
	w.checkOwnership()
	w.checkLoggedErrors(0)
}

// TestAPolicyOutlivesItsTemplateAsLongAsThereIsAPod checks owner references, because there is no garbage collector
// here.
func TestAPolicyOutlivesItsTemplateAsLongAsThereIsAPod(t *testing.T) {
	w := prepare(t, server)
	stop := w.startOperator(w.probes, extensions)
	w.create(builders.Template("python"))
	w.create(builders.Claim("cold", "python", builders.WithWarmPool(apis.WarmPoolNone)))
	w.waitForClaim("cold", apis.ReasonDependenciesReady)
	policy := w.policy("python")
	if len(policy.OwnerReferences) > 0 {
		t.Errorf("the garbage collector would delete the policy: %+v", policy.OwnerReferences)
	}
	stop()
	template := &extensionsv1beta1.SandboxTemplate{ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: "python"}}
	if err := w.client.Delete(t.Context(), template); err != nil {
		t.Fatal(err)
	}
	w.run(w.probes, extensions) // this operator did not see the deletion of the template
	var claim extensionsv1beta1.SandboxClaim
	if err := w.get("cold", &claim); err != nil {
		t.Fatal(err)
	}
	var pod corev1.Pod
	if err := w.get(claim.Status.SandboxStatus.Name, &pod); err != nil {
		t.Fatal(err)
	}
	if err := w.client.Delete(t.Context(), &pod, client.GracePeriodSeconds(0)); err != nil {
		t.Fatal(err)
	}
	w.eventually("another Pod", func() error { // by then the operator knows that the template is gone
		w.markPodsReady()
		var now corev1.Pod
		if err := w.get(pod.Name, &now); err != nil || now.UID == pod.UID {
			return fmt.Errorf("it is still the old Pod: %w", err)
		}
		return nil
	})
	if now := w.policy("python"); now.UID != policy.UID || now.DeletionTimestamp != nil {
		t.Errorf("the policy was deleted or replaced: %+v", now.ObjectMeta)
	}
	for _, object := range []client.Object{&claim, &agentsv1beta1.Sandbox{ObjectMeta: pod.ObjectMeta}} {
		object.SetResourceVersion("")
		object.SetUID("")
		if err := w.client.Delete(t.Context(), object); err != nil {
			t.Fatal(err)
		}
	}
	w.eventually("the policy gone", func() error {
		w.collectGarbage()
		return w.checkNone(&networkingv1.NetworkPolicy{})
	})
	w.checkLoggedErrors(0)
}
