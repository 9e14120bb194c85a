// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pool

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory/fake"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakecluster"
)

var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func requests(cpu string) corev1.PodSpec {
	return corev1.PodSpec{Containers: []corev1.Container{{
		Name: "main",
		Resources: corev1.ResourceRequirements{
			Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)},
		},
	}}}
}

func about(name string, age time.Duration) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Namespace:         "ns",
		Name:              name,
		UID:               types.UID(name),
		CreationTimestamp: metav1.NewTime(noon.Add(-age)),
	}
}

// planned is a pool with two members, which took four seconds to become ready, a node with two CPUs and a cordoned one.
func planned() []runtime.Object {
	pool := &extensionsv1beta1.SandboxWarmPool{ObjectMeta: about("warm", time.Hour)}
	pool.Spec.Replicas, pool.Spec.TemplateRef.Name = new(int32(2)), "py"
	template := &extensionsv1beta1.SandboxTemplate{ObjectMeta: about("py", time.Hour)}
	template.Spec.PodTemplate.Spec = requests("250m")
	node := func(name string, cordoned bool) *corev1.Node {
		return &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec:       corev1.NodeSpec{Unschedulable: cordoned},
			Status: corev1.NodeStatus{
				Allocatable: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("2")},
			},
		}
	}
	all := []runtime.Object{pool, template, node("a", false), node("b", true)}
	for _, name := range []string{"warm-aaaaa", "warm-bbbbb"} {
		member := &agentsv1beta1.Sandbox{ObjectMeta: about(name, time.Minute)}
		member.OwnerReferences = []metav1.OwnerReference{
			*metav1.NewControllerRef(pool, extensionsv1beta1.SchemeGroupVersion.WithKind(apis.KindSandboxWarmPool)),
		}
		member.Spec.PodTemplate.Spec = requests("250m")
		member.Status.PodIPs = []string{"10.0.0.1"}
		member.Status.Conditions = []metav1.Condition{
			apis.NewCondition(
				nil, apis.ConditionReady, true, apis.ReasonDependenciesReady, "", 0,
				metav1.NewTime(member.CreationTimestamp.Add(4*time.Second)),
			),
		}
		// Admission increased its request beyond that of the template.
		pod := &corev1.Pod{
			ObjectMeta: about(name, time.Minute),
			Spec:       requests("500m"),
			Status:     corev1.PodStatus{Phase: corev1.PodRunning},
		}
		pod.Spec.NodeName = "a"
		pod.OwnerReferences = []metav1.OwnerReference{
			*metav1.NewControllerRef(member, agentsv1beta1.SchemeGroupVersion.WithKind(apis.KindSandbox)),
		}
		all = append(all, member, pod)
	}
	return all
}

func runPlan(t *testing.T, objects []runtime.Object, args ...string) (string, error) {
	t.Helper()
	c := fakecluster.New(objects...)
	streams, _, out, _ := genericiooptions.NewTestIOStreams()
	cmd := newPlanCommand(
		&fake.Factory{
			In:               "ns",
			Time:             clocktesting.NewFakeClock(noon),
			SandboxesClient:  c.Sandboxes,
			KubernetesClient: c.Kubernetes,
		},
		streams,
	)
	cmd.SetArgs(append([]string{"warm"}, args...))
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err := cmd.ExecuteContext(t.Context())
	return out.String(), err
}

func TestPlanSaysHowManyMoreFitAndWhyNotMore(t *testing.T) {
	got, err := runPlan(t, planned(), "--burst", "3")
	want := `Room:
  Each requests:  cpu 500m
  More fit:       2
Nodes:
  NODE  MORE  WHY NOT MORE
  a     2     cpu: 500m needed, 1 of 2 free
  b     0     it is cordoned
`
	if err != nil || !strings.HasPrefix(got, "Pool:") || !strings.HasSuffix(got, want) {
		t.Errorf("%v\n%s", err, got)
	}
}

func TestPlanAnswersWhetherASizeFits(t *testing.T) {
	for replicas, missing := range map[int]int{0: 0, 4: 0, 5: 1, 40: 36} {
		got, err := runPlan(t, planned(), "--replicas", fmt.Sprint(replicas), "-o", "json")
		var p struct{ Room room }
		if problem := json.Unmarshal([]byte(got), &p); problem != nil {
			t.Fatalf("%v\n%s", problem, got)
		}
		if p.Room.Missing != missing || (err != nil) != (missing > 0) || p.Room.Fits != 2 || len(p.Room.Nodes) != 2 {
			t.Errorf("%d: %v, %+v", replicas, err, p)
		}
	}
	quota := &corev1.ResourceQuota{ObjectMeta: about("q", 0), Status: corev1.ResourceQuotaStatus{
		Hard: corev1.ResourceList{
			corev1.ResourcePods: resource.MustParse("3"),
		}, Used: corev1.ResourceList{corev1.ResourcePods: resource.MustParse("2")},
	}}
	got, err := runPlan(t, append(planned(), quota), "--replicas", "4")
	if err == nil || !strings.Contains(err.Error(), "1 of 4 do not fit") ||
		!strings.Contains(got, "quota q: pods: 1 needed, 1 of 3 free") {
		t.Errorf("%v\n%s", err, got)
	}
}
