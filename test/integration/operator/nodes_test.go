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

// createNode creates a Ready node, cordoned or not, and deletes it when the test ends.
func (w *world) createNode(name string, cordoned bool) string {
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

// bindMembers binds the last member of a pool to one node and the other members to another.
func (w *world) bindMembers(pool string, size int, last, others string) {
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
	w.waitForPool(pool, size)
}

func TestAClaimTakesAMemberOfANodeThatStays(t *testing.T) {
	const size = 4
	w := start(t, server, extensions)
	stays, cordoned := w.createNode("stays", false), w.createNode("cordoned", true)
	w.create(builders.Template("python"))
	w.create(builders.Pool("warm", "python", builders.WithReplicas(size)))
	w.bindMembers("warm", size, stays, cordoned)
	w.create(builders.Claim("dev", "python"))
	name := w.waitForClaim("dev", apis.ReasonDependenciesReady).Status.SandboxStatus.Name
	var pod corev1.Pod
	if err := w.get(name, &pod); err != nil || pod.Spec.NodeName != stays {
		t.Errorf("the claim has Sandbox %s on node %s, %v", name, pod.Spec.NodeName, err)
	}
	w.checkLoggedErrors(0)
}

// TestAnOperatorThatMayNotLookAtNodesServesClaimsAllTheSame covers an operator of some namespaces, which does not read
// nodes, and one without the permission.
func TestAnOperatorThatMayNotLookAtNodesServesClaimsAllTheSame(t *testing.T) {
	for name, option := range map[string]func(*world) option{
		"of one namespace": func(w *world) option {
			return func(c *manager.Config) { c.WatchNamespaces = []string{w.namespace} }
		},
		"not granted it": func(*world) option { return func(*manager.Config) {} },
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
			w.waitForPool("warm", 1)
			w.create(builders.Claim("dev", "python"))
			w.waitForClaim("dev", apis.ReasonDependenciesReady)
			w.checkLoggedErrors(0)
		})
	}
}
