// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// routerIn returns the Deployment of a router that is available.
func routerIn(namespace string, change func(*appsv1.Deployment)) *appsv1.Deployment {
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{
		Namespace: namespace, Name: "sandbox-router-deployment",
		Labels: map[string]string{"app": "sandbox-router", "app.kubernetes.io/part-of": "agent-sandbox"},
	}}
	d.Spec.Replicas = new(int32(2))
	d.Status.Replicas, d.Status.UpdatedReplicas, d.Status.AvailableReplicas = 2, 2, 2
	if change != nil {
		change(d)
	}
	return d
}

func TestRouters(t *testing.T) {
	operatorWith := func(args ...string) *appsv1.Deployment {
		d := electingOperator()
		d.Spec.Template.Spec.Containers[0].Args = append(d.Spec.Template.Spec.Containers[0].Args, args...)
		return d
	}
	tests := map[string]struct {
		objects    []runtime.Object
		status     Status
		says, cure string
	}{
		"none is no fault": {status: OK, says: "there is none"},
		"one that is ready": {
			[]runtime.Object{operatorWith(), routerIn("agent-sandbox-system", nil)}, OK, "is ready, with 2 replicas", "",
		},
		"one without an operator": {[]runtime.Object{routerIn("team-a", nil)}, OK, "is ready", ""},
		"one that is not available": {
			[]runtime.Object{operatorWith(), routerIn("agent-sandbox-system", func(d *appsv1.Deployment) {
				d.Status.AvailableReplicas = 0
			})}, Failed, "its Pod is not there yet", "kubectl describe pods -n agent-sandbox-system -l app=sandbox-router",
		},
		"one that is scaled to zero": {
			[]runtime.Object{operatorWith(), routerIn("agent-sandbox-system", func(d *appsv1.Deployment) {
				d.Spec.Replicas = new(int32(0))
			})}, Failed, "scaled to zero", "--replicas=2",
		},
		"a tenant's that the operator knows": {
			[]runtime.Object{operatorWith("--tenant-router-namespaces=team-b,team-a"), routerIn("team-a", nil)}, OK,
			"namespace team-a is ready", "",
		},
		"a tenant's that it does not know": {
			[]runtime.Object{operatorWith("--tenant-router-namespaces=team-b"), routerIn("team-a", nil)}, Failed,
			"do not admit the router in namespace team-a", "install --router-namespaces=team-b,team-a",
		},
		"one beside an operator that admits others": {
			[]runtime.Object{operatorWith("--router-namespace=gateways"), routerIn("agent-sandbox-system", nil)}, Failed,
			"do not admit", "install --arg=--router-namespace=gateways,agent-sandbox-system",
		},
		"an operator of Sandboxes alone has no policies": {
			[]runtime.Object{coreOnlyOperator(), routerIn("team-a", nil)}, OK, "is ready", "",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			found, _, _ := runDoctor(t, func(string, string) bool { return false }, tt.objects...)
			f := found[checkRouter]
			if f.Status != tt.status || !strings.Contains(f.Message, tt.says) || !strings.Contains(f.Cure, tt.cure) {
				t.Errorf("got %+v", f)
			}
		})
	}
}
