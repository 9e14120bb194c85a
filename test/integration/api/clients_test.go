// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"context"
	"testing"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	agentsac "github.com/agent-sandbox/kubectl-sandbox/apis/client/applyconfiguration/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/client/clientset/versioned"
	"github.com/agent-sandbox/kubectl-sandbox/apis/client/clientset/versioned/fake"
	"github.com/agent-sandbox/kubectl-sandbox/apis/client/informers/externalversions"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

func typedClient(t *testing.T) versioned.Interface {
	t.Helper()
	client, err := versioned.NewForConfig(server.Config())
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// withBothClients runs a test with the real clientset and with the fake one, which must behave alike. The fake's
// tracker derives the resource "sandboxs" for objects that it starts with or applies, so these tests create objects.
func withBothClients(t *testing.T, test func(t *testing.T, client versioned.Interface, namespace string)) {
	t.Run("real", func(t *testing.T) { test(t, typedClient(t), server.Namespace(t)) })
	t.Run("fake", func(t *testing.T) { test(t, fake.NewSimpleClientset(), "fake") })
}

func TestTypedObjectsComeBackAsTheyWere(t *testing.T) {
	withBothClients(t, func(t *testing.T, client versioned.Interface, namespace string) {
		ctx, in, options := t.Context(), builders.InNamespace(namespace), metav1.CreateOptions{}
		want := builders.Sandbox("box", in, builders.WithVolume("data", "1Gi"), builders.WithService(true),
			builders.WithReplicas(0),
			builders.WithShutdown(noon, agentsv1beta1.ShutdownPolicyDelete), builders.WithPodLabel("a", "b"))
		if _, err := client.AgentsV1beta1().Sandboxes(namespace).Create(ctx, want, options); err != nil {
			t.Fatal(err)
		}
		got, err := client.AgentsV1beta1().Sandboxes(namespace).Get(ctx, "box", metav1.GetOptions{})
		if err != nil || !equality.Semantic.DeepEqual(got.Spec, want.Spec) {
			t.Errorf("%v\ngot  %+v\nwant %+v", err, got.Spec, want.Spec)
		}
		extensions := client.ExtensionsV1beta1()
		wanted := builders.Claim("box", "python", in, builders.WithWarmPool("none"), builders.WithEnv("A", ""),
			builders.WithTTL(0, extensionsv1beta1.ShutdownPolicyDeleteForeground))
		claimed, err := extensions.SandboxClaims(namespace).Create(ctx, wanted, options)
		if err != nil || !equality.Semantic.DeepEqual(claimed.Spec, wanted.Spec) {
			t.Errorf("%v\ngot  %+v\nwant %+v", err, claimed.Spec, wanted.Spec)
		}
		if _, err := extensions.SandboxTemplates(namespace).Create(ctx, builders.Template("python", in),
			options); err != nil {
			t.Error(err)
		}
		if _, err := extensions.SandboxWarmPools(namespace).Create(ctx,
			builders.Pool("fast", "python", in, builders.WithReplicas(0)), options); err != nil {
			t.Error(err)
		}
		if pools, err := extensions.SandboxWarmPools(namespace).List(ctx, metav1.ListOptions{}); err != nil ||
			len(pools.Items) != 1 || *pools.Items[0].Spec.Replicas != 0 {
			t.Errorf("pools: %+v, %v", pools, err)
		}
	})
}

func TestTypedErrorsAreThoseOfTheServer(t *testing.T) {
	withBothClients(t, func(t *testing.T, client versioned.Interface, namespace string) {
		sandboxes := client.AgentsV1beta1().Sandboxes(namespace)
		if _, err := sandboxes.Get(t.Context(), "none", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			t.Errorf("get: %v", err)
		}
		made, err := sandboxes.Create(t.Context(), builders.Sandbox("box", builders.InNamespace(namespace)),
			metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := sandboxes.Create(t.Context(), builders.Sandbox("box", builders.InNamespace(namespace)),
			metav1.CreateOptions{}); !apierrors.IsAlreadyExists(err) {
			t.Errorf("create again: %v", err)
		}
		made.Status.NodeName = "node-1"
		if _, err := sandboxes.UpdateStatus(t.Context(), made, metav1.UpdateOptions{}); err != nil {
			t.Errorf("update the status: %v", err)
		}
		got, err := sandboxes.Patch(t.Context(), "box", types.MergePatchType, []byte(`{"spec":{"replicas":0}}`),
			metav1.PatchOptions{})
		if err != nil || *got.Spec.Replicas != 0 || got.Status.NodeName != "node-1" {
			t.Errorf("patch: %+v, %v", got, err)
		}
		if err := sandboxes.Delete(t.Context(), "box", metav1.DeleteOptions{}); err != nil {
			t.Errorf("delete: %v", err)
		}
	})
}

func TestApplyOwnsWhatItNames(t *testing.T) {
	namespace := server.Namespace(t)
	sandboxes := typedClient(t).AgentsV1beta1().Sandboxes(namespace)
	container := corev1ac.Container().WithName("main").WithImage("python")
	pod := agentsac.PodTemplate().WithSpec(corev1ac.PodSpec().WithContainers(container))
	config := func() *agentsac.SandboxApplyConfiguration { return agentsac.Sandbox("box", namespace) }
	first := metav1.ApplyOptions{FieldManager: "first"}
	made, err := sandboxes.Apply(t.Context(),
		config().WithSpec(agentsac.SandboxSpec().WithPodTemplate(pod).WithReplicas(0).WithService(true)), first)
	if err != nil || made.Spec.Service == nil || *made.Spec.Replicas != 0 {
		t.Fatalf("apply: %+v, %v", made, err)
	}
	// A field that its owner no longer applies is removed; a field that is applied as zero is kept.
	again, err := sandboxes.Apply(t.Context(),
		config().WithSpec(agentsac.SandboxSpec().WithPodTemplate(pod).WithReplicas(0)), first)
	if err != nil || again.Spec.Service != nil || again.Spec.Replicas == nil || *again.Spec.Replicas != 0 {
		t.Errorf("apply without service: %+v, %v", again.Spec, err)
	}
	other := metav1.ApplyOptions{FieldManager: "other"}
	if _, err := sandboxes.Apply(t.Context(), config().WithSpec(agentsac.SandboxSpec().WithReplicas(1)),
		other); !apierrors.IsConflict(err) {
		t.Errorf("apply what another owns: %v", err)
	}
	for _, replicas := range []int32{1, 0} {
		status := config().WithStatus(agentsac.SandboxStatus().WithReplicas(replicas).WithNodeName("node-1"))
		got, err := sandboxes.ApplyStatus(t.Context(), status, metav1.ApplyOptions{FieldManager: "operator", Force: true})
		if err != nil || got.Status.Replicas != replicas || got.Status.NodeName != "node-1" {
			t.Errorf("apply status.replicas %d: %+v, %v", replicas, got.Status, err)
		}
	}
}

func TestInformersAndListersFollowTheServer(t *testing.T) {
	withBothClients(t, func(t *testing.T, client versioned.Interface, namespace string) {
		ctx, stop := context.WithCancel(t.Context())
		factory := externalversions.NewSharedInformerFactoryWithOptions(client, 0, externalversions.WithNamespace(namespace))
		defer factory.Shutdown()
		defer stop()
		sandboxes := factory.Agents().V1beta1().Sandboxes()
		pools := factory.Extensions().V1beta1().SandboxWarmPools()
		sandboxes.Informer()
		pools.Informer()
		factory.Start(ctx.Done())
		for kind, synced := range factory.WaitForCacheSync(ctx.Done()) {
			if !synced {
				t.Errorf("%s did not sync", kind)
			}
		}
		in := builders.InNamespace(namespace)
		if _, err := client.AgentsV1beta1().Sandboxes(namespace).Create(ctx,
			builders.Sandbox("box", in, builders.WithLabel("a", "b")), metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		if _, err := client.ExtensionsV1beta1().SandboxWarmPools(namespace).Create(ctx, builders.Pool("fast", "python", in),
			metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		poll(t, "both objects in the caches", func(context.Context) bool {
			found, err := sandboxes.Lister().Sandboxes(namespace).List(labels.SelectorFromSet(labels.Set{"a": "b"}))
			_, missing := pools.Lister().SandboxWarmPools(namespace).Get("fast")
			return err == nil && len(found) == 1 && missing == nil
		})
		if err := client.AgentsV1beta1().Sandboxes(namespace).Delete(ctx, "box", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		poll(t, "the Sandbox gone from the cache", func(context.Context) bool {
			_, err := sandboxes.Lister().Sandboxes(namespace).Get("box")
			return apierrors.IsNotFound(err)
		})
	})
}
