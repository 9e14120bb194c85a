// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package operator_test

import (
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/operator"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakecluster"
)

const home = "agent-sandbox-system"

var now = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// deployed returns the Deployment of an operator with one available Pod.
func deployed(change ...func(*appsv1.Deployment)) *appsv1.Deployment {
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{
		Namespace: home, Name: "agent-sandbox-controller", Labels: map[string]string{"app": "agent-sandbox-controller"},
	}}
	d.Spec.Replicas, d.Status.AvailableReplicas = new(int32(1)), 1
	d.Spec.Template.Spec.Containers = []corev1.Container{
		{Name: "agent-sandbox-controller", Args: []string{"--leader-elect=true"}},
	}
	for _, f := range change {
		f(d)
	}
	return d
}

func scaled(d *appsv1.Deployment) { d.Spec.Replicas, d.Status.AvailableReplicas = new(int32(0)), 0 }

func down(d *appsv1.Deployment) { d.Status.AvailableReplicas = 0 }

func in(namespace string) func(*appsv1.Deployment) {
	return func(d *appsv1.Deployment) { d.Namespace = namespace }
}

func with(args ...string) func(*appsv1.Deployment) {
	return func(d *appsv1.Deployment) { d.Spec.Template.Spec.Containers[0].Args = args }
}

// lease returns a Lease that the holder renewed that long ago.
func lease(holder string, ago time.Duration) *coordinationv1.Lease {
	return &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Namespace: home, Name: "a3317529.agent-sandbox.x-k8s.io"},
		Spec: coordinationv1.LeaseSpec{
			HolderIdentity: &holder, LeaseDurationSeconds: new(int32(15)), RenewTime: new(metav1.NewMicroTime(now.Add(-ago))),
		},
	}
}

const leader = "agent-sandbox-controller-7d_abc"

func forbid(verb, resource, group string) func(*fake.Clientset) {
	return func(c *fake.Clientset) {
		c.PrependReactor(verb, resource, func(clienttesting.Action) (bool, runtime.Object, error) {
			return true, nil, fakecluster.Forbidden(verb, resource, group)
		})
	}
}

func TestTrouble(t *testing.T) {
	list, get, leases := forbid("list", "deployments", "apps"), forbid("get", "deployments", "apps"), forbid(
		"get", "leases", "coordination.k8s.io",
	)
	tests := map[string]struct {
		objects []runtime.Object
		may     []func(*fake.Clientset)
		says    string // empty: nothing
	}{
		"an operator that leads is none": {
			objects: []runtime.Object{deployed(), lease(leader, time.Second)},
		},
		"nobody is there": {
			says: "no operator was found: there is no Deployment agent-sandbox-controller in any namespace",
		},
		"another implementation leads": {
			objects: []runtime.Object{lease("other-0_x", time.Second)},
		},
		"another implementation beside one that is scaled to zero": {
			objects: []runtime.Object{deployed(scaled), lease("other-0_x", time.Second)},
		},
		"scaled to zero": {
			objects: []runtime.Object{deployed(scaled), lease("", 0)},
			says:    "the operator is scaled to zero (Deployment agent-sandbox-system/agent-sandbox-controller)",
		},
		"scaled to zero before it has ever led": {
			objects: []runtime.Object{deployed(scaled)}, says: "scaled to zero",
		},
		"scaled to zero, without a look at the Lease": {
			objects: []runtime.Object{deployed(scaled)}, may: []func(*fake.Clientset){leases}, says: "scaled to zero",
		},
		"no Pod is available": {
			objects: []runtime.Object{deployed(down), lease(leader, time.Hour)}, says: "no Pod of the operator is available",
		},
		"it crashed a moment ago, which passes": {
			objects: []runtime.Object{deployed(down), lease(leader, 5*time.Second)},
		},
		"nobody leads": {
			objects: []runtime.Object{deployed(), lease(leader, time.Minute)},
			says:    "no operator leads: agent-sandbox-controller-7d held the Lease until 45s ago",
		},
		"nobody holds the Lease": {
			objects: []runtime.Object{deployed(), lease("", 0)}, says: "nobody holds the Lease",
		},
		"nobody has led": {
			objects: []runtime.Object{deployed()}, says: "no operator has ever led",
		},
		"without election an available Pod is enough": {
			objects: []runtime.Object{deployed(with("--leader-elect=false"))},
		},
		"without a look at the Lease an available Pod is enough": {
			objects: []runtime.Object{deployed()}, may: []func(*fake.Clientset){leases},
		},
		"who may not look": {
			objects: []runtime.Object{deployed(scaled)}, may: []func(*fake.Clientset){list, get},
		},
		"who may look at the usual place": {
			objects: []runtime.Object{deployed(scaled)}, may: []func(*fake.Clientset){list}, says: "scaled to zero",
		},
		"who may look there and finds nothing":        {may: []func(*fake.Clientset){list}},
		"who finds nothing and may not see who leads": {may: []func(*fake.Clientset){leases}},
		"an operator of other namespaces": {
			objects: []runtime.Object{deployed(with("--leader-elect=true", "--watch-namespaces=a,b")), lease(leader, 0)},
			says:    "the operator works in a, b alone",
		},
		"an operator of this namespace": {
			objects: []runtime.Object{deployed(with("--leader-elect=true", "--watch-namespaces=a,team")), lease(leader, 0)},
		},
		"another operator serves this namespace": {objects: []runtime.Object{
			deployed(scaled), deployed(in("second"), with("--leader-elect=false", "--watch-namespaces=team")),
		}},
		"another operator serves other namespaces": {objects: []runtime.Object{
			deployed(scaled), deployed(in("second"), with("--leader-elect=false", "--watch-namespaces=a")),
		}, says: "scaled to zero (Deployment agent-sandbox-system/"},
		"the Lease is where the flag says": {objects: []runtime.Object{
			deployed(in("second"), with("--leader-elect=true", "--leader-election-namespace="+home)), lease(leader, 0),
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			client := fake.NewClientset(tt.objects...)
			for _, change := range tt.may {
				change(client)
			}
			observation, err := operator.Observe(t.Context(), client)
			if err != nil {
				t.Fatal(err)
			}
			if got := operator.ProblemFor(observation, "team", now).Message; (tt.says == "") != (got == "") ||
				!strings.Contains(got, tt.says) {
				t.Errorf("it says %q, want %q in it", got, tt.says)
			}
		})
	}
}
