// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/operator/manager"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

// node makes a node that is Ready, cordoned or not, for the length of the test.
func (w *world) node(name string, cordoned bool) string {
	w.Helper()
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: w.namespace + "-" + name}}
	if err := w.client.Create(w.Context(), node); err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { _ = w.client.Delete(context.Background(), node) })
	node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	if err := w.client.Status().Update(w.Context(), node); err != nil {
		w.Fatal(err)
	}
	node.Spec.Unschedulable = cordoned
	if err := w.client.Update(w.Context(), node); err != nil {
		w.Fatal(err)
	}
	return node.Name
}

// scheduled puts the members of a pool on nodes: the last on one, the others on the other.
func (w *world) scheduled(pool string, size int, last, others string) {
	w.Helper()
	w.eventually("the Pods of the members", func() error {
		var pods corev1.PodList
		if err := w.client.List(w.Context(), &pods, client.InNamespace(w.namespace)); err != nil {
			return err
		}
		if len(pods.Items) != size {
			return fmt.Errorf("%d Pods", len(pods.Items))
		}
		for i := range pods.Items {
			node := others
			if i == size-1 {
				node = last
			}
			binding := &corev1.Binding{Target: corev1.ObjectReference{Kind: "Node", Name: node}}
			if err := w.client.SubResource("binding").Create(w.Context(), &pods.Items[i], binding); err != nil {
				return err
			}
		}
		return nil
	})
	w.filled(pool, size)
}

func TestAClaimTakesAMemberOfANodeThatStays(t *testing.T) {
	const size = 4
	w := start(t, server, extensions)
	stays, cordoned := w.node("stays", false), w.node("cordoned", true)
	w.create(builders.Template("python"))
	w.create(builders.Pool("warm", "python", builders.WithReplicas(size)))
	w.scheduled("warm", size, stays, cordoned)
	w.create(builders.Claim("dev", "python"))
	name := w.claimed("dev", apis.ReasonDependenciesReady).Status.SandboxStatus.Name
	var pod corev1.Pod
	if err := w.get(name, &pod); err != nil || pod.Spec.NodeName != stays {
		t.Errorf("the claim has Sandbox %s on node %s, %v", name, pod.Spec.NodeName, err)
	}
	w.quietly(0)
}

// TestAnOperatorThatMayNotLookAtNodesServesClaimsAllTheSame: one of some namespaces does not look, one that was not granted it says so once.
func TestAnOperatorThatMayNotLookAtNodesServesClaimsAllTheSame(t *testing.T) {
	for name, option := range map[string]func(*world) option{
		"of one namespace": func(w *world) option { return func(c *manager.Config) { c.WatchNamespaces = []string{w.namespace} } },
		"not granted it":   func(*world) option { return func(*manager.Config) {} },
	} {
		t.Run(name, func(t *testing.T) {
			w := prepare(t, server)
			var rules []rbacv1.PolicyRule
			for _, rule := range granted(t, "ClusterRole") {
				if len(rule.Resources) != 1 || rule.Resources[0] != "nodes" {
					rules = append(rules, rule)
				}
			}
			w.user = server.User(t, "blind-"+w.namespace, "", rules...).Config
			w.run(w.probes, extensions, option(w))
			w.create(builders.Template("python"))
			w.create(builders.Pool("warm", "python", builders.WithReplicas(1)))
			w.filled("warm", 1)
			w.create(builders.Claim("dev", "python"))
			w.claimed("dev", apis.ReasonDependenciesReady)
			w.quietly(0)
		})
	}
}
