// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

func TestASandboxThatIsSwitchedOffAndOnAHundredTimesHasOnePodOrNone(t *testing.T) {
	w := start(t, server)
	w.create(sandbox("box"))
	w.eventually("a Pod", func() error { return w.get("box", &corev1.Pod{}) })
	replicas := func(n int32) func(*agentsv1beta1.Sandbox) {
		return func(s *agentsv1beta1.Sandbox) { s.Spec.Replicas = &n }
	}
	for i := range 100 {
		w.edit("box", replicas(int32(i%2))) //nolint:gosec // 0 or 1
	}
	w.eventually("one ready Pod", func() error {
		w.markPodsReady()
		var s agentsv1beta1.Sandbox
		if err := w.get("box", &s); err != nil {
			return err
		}
		ready := apis.FindCondition(s.Status.Conditions, apis.ConditionReady)
		if ready.ObservedGeneration != s.Generation || ready.Reason != string(apis.ReasonDependenciesReady) ||
			s.Status.Replicas != 1 ||
			apis.FindCondition(s.Status.Conditions, apis.ConditionSuspended) != nil {
			return fmt.Errorf("generation %d, status %+v", s.Generation, s.Status)
		}
		return nil
	})
	var pods corev1.PodList
	if err := w.client.List(t.Context(), &pods, client.InNamespace(w.namespace)); err != nil || len(pods.Items) != 1 {
		t.Errorf("%d Pods, %v", len(pods.Items), err)
	}
	w.edit("box", replicas(0))
	w.condition("box", apis.ConditionSuspended, apis.ReasonPodTerminated)
	w.gone("box", &corev1.Pod{})
	w.checkLoggedErrors(0)
}

func TestANamespaceGoesWithItsClaimsAndPoolsAndNobodyComplains(t *testing.T) {
	w := start(t, server, extensions)
	w.create(builders.Template("python"))
	w.create(builders.Pool("warm", "python", builders.WithReplicas(5)))
	w.waitForPool("warm", 5)
	for i := range 8 {
		w.create(builders.Claim(fmt.Sprintf("c%d", i), "python"))
	}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.namespace}}
	if err := w.client.Delete(t.Context(), namespace); err != nil {
		t.Fatal(err)
	}
	// The namespace controller deletes kind by kind in an undefined order. This test deletes children first, so that
	// the operator tries to create them again, which the API server refuses.
	kinds := []client.Object{
		&corev1.Pod{}, &corev1.Service{}, &networkingv1.NetworkPolicy{}, &agentsv1beta1.Sandbox{},
		&extensionsv1beta1.SandboxTemplate{},
		&extensionsv1beta1.SandboxClaim{}, &extensionsv1beta1.SandboxWarmPool{},
	}
	for _, kind := range kinds {
		w.eventually(fmt.Sprintf("no %T", kind), func() error {
			if err := w.client.DeleteAllOf(t.Context(), kind, client.InNamespace(w.namespace)); err != nil {
				return err
			}
			return w.checkNone(kind)
		})
	}
	// The operator still serves another namespace: its queues are not blocked by the deleted one.
	other := &world{T: t, client: w.client, namespace: server.Namespace(t)}
	other.create(builders.Template("python"))
	other.create(builders.Claim("after", "python"))
	other.waitForClaim("after", apis.ReasonDependenciesReady)
	for _, kind := range kinds {
		if err := w.checkNone(kind); err != nil {
			t.Error(err)
		}
	}
	w.checkLoggedErrors(0)
}

func TestTwoOperatorsWithoutALeaderServeEachClaimOnce(t *testing.T) {
	w := start(t, server, extensions)
	w.run(freeAddress(t), extensions)
	w.create(builders.Template("python"))
	w.create(builders.Pool("warm", "python", builders.WithReplicas(6)))
	w.eventually("the pool has its size, although both operators create members", func() error {
		w.markPodsReady()
		if names := w.members("warm"); len(names) != 6 {
			return fmt.Errorf("members are %v", names)
		}
		var p extensionsv1beta1.SandboxWarmPool
		if err := w.get("warm", &p); err != nil || p.Status.ReadyReplicas != 6 {
			return errors.Join(err, fmt.Errorf("status %+v", p.Status))
		}
		return nil
	})
	for i := range 20 {
		w.create(builders.Claim(fmt.Sprintf("c%d", i), "python"))
	}
	for i := range 20 {
		w.waitForClaim(fmt.Sprintf("c%d", i), apis.ReasonDependenciesReady)
	}
	w.checkOwnership()
}

func TestATemplateThatGoesUnderItsPoolAndClaimsComesBack(t *testing.T) {
	w := start(t, server, extensions)
	w.create(builders.Claim("early", "python"))
	w.create(builders.Claim("by-pool", "", builders.FromPool("warm")))
	w.waitForClaim("early", apis.ReasonTemplateNotFound)
	w.waitForClaim("by-pool", apis.ReasonWarmPoolNotFound)
	w.create(builders.Pool("warm", "python", builders.WithReplicas(2)))
	w.waitForClaim("by-pool", apis.ReasonTemplateNotFound)
	w.create(builders.Template("python"))
	w.waitForClaim("early", apis.ReasonDependenciesReady)
	w.waitForClaim("by-pool", apis.ReasonDependenciesReady)
	members := w.waitForPool("warm", 2)
	if err := w.client.Delete(t.Context(), &extensionsv1beta1.SandboxTemplate{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: "python"},
	}); err != nil {
		t.Fatal(err)
	}
	w.create(builders.Claim("late", "python"))
	w.waitForClaim("late", apis.ReasonTemplateNotFound)
	w.scalePool("warm", 3)
	w.waitForWarning("TemplateNotFound")
	if got := w.members("warm"); strings.Join(got, " ") != strings.Join(members, " ") {
		t.Errorf("members went from %v to %v while there was no template", members, got)
	}
	w.waitForClaim("early", apis.ReasonDependenciesReady)
	w.create(builders.Template("python", builders.WithImage("localhost/python:v2")))
	w.waitForClaim("late", apis.ReasonDependenciesReady)
	w.waitForPool("warm", 3)
	w.checkOwnership()
	w.checkLoggedErrors(0)
}

func TestASandboxDeletedRightAfterItsAdoptionIsReplaced(t *testing.T) {
	w := start(t, server, extensions)
	w.create(builders.Template("python"))
	w.create(builders.Pool("warm", "python", builders.WithReplicas(3)))
	w.waitForPool("warm", 3)
	for i := range 10 {
		name := fmt.Sprintf("c%d", i)
		w.create(builders.Claim(name, "python"))
		named := func(other types.UID) (first extensionsv1beta1.SandboxStatus) {
			w.eventually("its status names another Sandbox than "+string(other), func() error {
				var claim extensionsv1beta1.SandboxClaim
				if err := w.get(name, &claim); err != nil {
					return err
				}
				if first = claim.Status.SandboxStatus; first.UID == other || first.UID == "" {
					return fmt.Errorf("it names %+v", first)
				}
				return nil
			})
			return first
		}
		first := named("")
		doomed := &agentsv1beta1.Sandbox{ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: first.Name}}
		if err := w.client.Delete(t.Context(), doomed); client.IgnoreNotFound(err) != nil {
			t.Fatal(err)
		}
		named(first.UID)
		w.waitForClaim(name, apis.ReasonDependenciesReady)
	}
	w.checkOwnership()
	w.waitForPool("warm", 3)
}

func TestObjectsNearTheLimitsOfTheAPI(t *testing.T) {
	w := start(t, server, extensions)
	w.create(builders.Template("large", builders.WithPodSpec(func(s *corev1.PodSpec) {
		for i := range 30 { // about 900 KiB; the API server's limit is 1.5 MiB
			s.Containers[0].Env = append(s.Containers[0].Env, corev1.EnvVar{
				Name: fmt.Sprintf("E%d", i), Value: strings.Repeat("x", 30<<10),
			})
		}
	})))
	w.create(builders.Claim("large", "large"))
	w.waitForClaim("large", apis.ReasonDependenciesReady)
	w.create(builders.Template("python"))
	// the API server's limit for annotations, before the operator adds its own
	full := strings.Repeat("x", 256<<10-len("a"))
	w.create(builders.Claim("full", "python", builders.WithClaimSpec(func(s *extensionsv1beta1.SandboxClaimSpec) {
		s.SandboxMetadata = &extensionsv1beta1.Metadata{Annotations: map[string]string{"a": full}}
	})))
	claim := w.waitForClaim("full", apis.ReasonReconcilerError)
	if m := apis.FindCondition(claim.Status.Conditions, apis.ConditionReady).Message; !strings.Contains(m, "annotations") {
		t.Errorf("the message does not say what to change: %s", m)
	}
	was := claim.DeepCopy()
	claim.Spec.SandboxMetadata = nil
	if err := w.client.Patch(t.Context(), claim, client.MergeFrom(was)); err != nil {
		t.Fatal(err)
	}
	w.waitForClaim("full", apis.ReasonDependenciesReady)
	w.checkOwnership()
}

func TestShutdownTimesOfSkewedClocks(t *testing.T) {
	w := start(t, server, extensions)
	w.create(builders.Template("python"))
	never := time.Date(9998, 12, 31, 23, 59, 59, 0, time.UTC)
	w.create(builders.Claim("never", "python", builders.WithClaimShutdown(never, extensionsv1beta1.ShutdownPolicyDelete)))
	w.waitForClaim("never", apis.ReasonDependenciesReady)
	w.create(builders.Claim("before", "python",
		builders.WithClaimShutdown(time.Date(1970, 1, 2, 0, 0, 0, 0, time.UTC), extensionsv1beta1.ShutdownPolicyRetain)))
	w.waitForClaim("before", apis.ReasonClaimExpired)
	w.create(builders.Claim("gone", "python",
		builders.WithClaimShutdown(time.Now().Add(-time.Hour), extensionsv1beta1.ShutdownPolicyDelete)))
	w.gone("gone", &extensionsv1beta1.SandboxClaim{})
	for _, name := range []string{"before", "gone"} {
		if err := w.get(name, &agentsv1beta1.Sandbox{}); !apierrors.IsNotFound(err) {
			t.Errorf("a Sandbox was created for an expired claim: %v", err)
		}
	}
	w.waitForClaim("never", apis.ReasonDependenciesReady)
	w.checkLoggedErrors(0)
}
