// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package nodes_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	clienttesting "k8s.io/client-go/testing"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/command/nodes"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory/fake"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakecluster"
)

func node(name string, cordoned bool) *corev1.Node {
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.NodeSpec{Unschedulable: cordoned},
		Status: corev1.NodeStatus{
			Allocatable: corev1.ResourceList{
				corev1.ResourceCPU:    resource.MustParse("2"),
				corev1.ResourceMemory: resource.MustParse("4Gi"),
			},
			Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
		},
	}
}

// pod returns a Pod that requests half a CPU. With a sandbox it has the label and the owner of one.
func pod(namespace, name, on, sandbox string) *corev1.Pod {
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec: corev1.PodSpec{NodeName: on, Containers: []corev1.Container{{
			Resources: corev1.ResourceRequirements{
				Requests: corev1.ResourceList{
					corev1.ResourceCPU:    resource.MustParse("500m"),
					corev1.ResourceMemory: resource.MustParse("256Mi"),
				},
			},
		}}},
	}
	if sandbox != "" {
		p.Labels = map[string]string{apis.LabelSandboxNameHash: "x"}
		p.OwnerReferences = []metav1.OwnerReference{{Kind: apis.KindSandbox, Name: sandbox, Controller: new(true)}}
	}
	return p
}

func cluster() *fakecluster.Cluster {
	return fakecluster.New(
		node("b", true), node("a", false), pod("ns", "one", "a", "one"), pod("other", "two", "a", "two"),
		pod("kube-system", "dns", "a", ""), pod("ns", "waiting", "", "waiting"),
	)
}

func run(t *testing.T, c *fakecluster.Cluster, args ...string) (stdout string, err error) {
	t.Helper()
	streams, _, out, _ := genericiooptions.NewTestIOStreams()
	cmd := nodes.NewCommand(&fake.Factory{In: "ns", SandboxesClient: c.Sandboxes, KubernetesClient: c.Kubernetes}, streams)
	cmd.SetArgs(args)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err = cmd.ExecuteContext(t.Context())
	return out.String(), err
}

func TestTable(t *testing.T) {
	tests := map[string]struct{ args, want string }{
		"of one namespace": {"", `
NAME   STATUS           SANDBOXES   CPU    MEMORY   FREE CPU    FREE MEMORY
a      Ready            1           500m   256Mi    500m of 2   3.2Gi of 4Gi
b      Ready,cordoned   0           0      0        2 of 2      4Gi of 4Gi
`},
		"of all namespaces, with names": {"-A -o wide", `
NAME   STATUS           SANDBOXES   CPU   MEMORY   FREE CPU    FREE MEMORY    NAMES
a      Ready            2           1     512Mi    500m of 2   3.2Gi of 4Gi   ns/one,other/two
b      Ready,cordoned   0           0     0        2 of 2      4Gi of 4Gi     -
`},
		"of one node": {"b --no-headers", `
b     Ready,cordoned   0     0     0     2 of 2   4Gi of 4Gi
`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := run(t, cluster(), strings.Fields(tt.args)...)
			if err != nil || got != tt.want[1:] {
				t.Errorf("%v\n%s", err, got)
			}
		})
	}
}

func TestNamesAreTheObjects(t *testing.T) {
	if got, err := run(t, cluster(), "-o", "name"); err != nil || got != "node/a\nnode/b\n" {
		t.Errorf("got %q, %v", got, err)
	}
	if got, err := run(t, cluster(), "a", "nope", "--no-headers"); err == nil ||
		!strings.Contains(err.Error(), `no node is called "nope"`) ||
		!strings.HasPrefix(got, "a ") {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestWhatIsFreeIsNotGuessed(t *testing.T) {
	c := cluster()
	c.Kubernetes.PrependReactor("list", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
		if action.GetNamespace() != "" {
			return false, nil, nil
		}
		return true, nil, fakecluster.Forbidden("list", "pods", "")
	})
	got, err := run(t, c, "a", "--no-headers")
	if err != nil || strings.Join(strings.Fields(got), " ") != "a Ready 1 500m 256Mi - -" {
		t.Errorf("got %q, %v", got, err)
	}
}
