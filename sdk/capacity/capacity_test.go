// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package capacity_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/capacity"
)

func list(pairs ...string) corev1.ResourceList {
	all := corev1.ResourceList{}
	for i := 0; i < len(pairs); i += 2 {
		all[corev1.ResourceName(pairs[i])] = resource.MustParse(pairs[i+1])
	}
	return all
}

func node(name string, changes ...func(*corev1.Node)) corev1.Node {
	n := corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelHostname: name}},
		Status:     corev1.NodeStatus{Allocatable: list("cpu", "2", "memory", "4Gi", "pods", "10")},
	}
	for _, change := range changes {
		change(&n)
	}
	return n
}

// on returns a Pod on a node, or one that waits for a node if the name is empty.
func on(node, name string, requests ...string) corev1.Pod {
	p := member(requests...)
	p.Name, p.UID, p.Spec.NodeName = name, "other", node
	p.Status.Phase = corev1.PodRunning
	return *p
}

func member(requests ...string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "ns", Name: "member", UID: "member", Labels: map[string]string{"app": "agent"},
		},
		Spec: corev1.PodSpec{
			Containers: []corev1.Container{{Name: "main", Resources: corev1.ResourceRequirements{Requests: list(requests...)}}},
		},
	}
}

func TestHowManyFitOnANodeAndWhyNotMore(t *testing.T) {
	pod := func(change func(*corev1.Pod)) *corev1.Pod {
		p := member("cpu", "500m")
		change(p)
		return p
	}
	hostPort := func(p *corev1.Pod) {
		p.Spec.Containers[0].Ports = []corev1.ContainerPort{{ContainerPort: 80, HostPort: 80}}
	}
	alone := func(p *corev1.Pod) {
		p.Spec.Affinity = &corev1.Affinity{
			PodAntiAffinity: &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{
				{
					TopologyKey:   corev1.LabelHostname,
					LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "agent"}},
				},
			}},
		}
	}
	withPort, withLabel := on("a", "web"), on("a", "agent")
	hostPort(&withPort)
	over := func(p *corev1.Pod) { p.Spec.Overhead = list("cpu", "500m") }
	tests := map[string]struct {
		pod  *corev1.Pod
		node corev1.Node
		pods []corev1.Pod
		want capacity.Node
	}{
		"the scarcest resource decides": {
			pod: member("cpu", "500m", "memory", "3Gi"), node: node("a"),
			want: capacity.Node{Fits: 1, Why: "memory: 3Gi needed, 4Gi of 4Gi free"},
		},
		"what runs there takes its part": {
			pod: member("cpu", "500m"), node: node("a"),
			pods: []corev1.Pod{on("a", "x", "cpu", "1200m"), on("b", "y", "cpu", "2")},
			want: capacity.Node{Fits: 1, Why: "cpu: 500m needed, 800m of 2 free"},
		},
		"what has ended takes nothing": {
			pod:  member("cpu", "1"),
			node: node("a"),
			pods: []corev1.Pod{
				func() corev1.Pod { p := on("a", "x", "cpu", "2"); p.Status.Phase = corev1.PodSucceeded; return p }(),
			},
			want: capacity.Node{Fits: 2, Why: "cpu: 1 needed, 2 of 2 free"},
		},
		"tenths add up": {
			pod: member("cpu", "100m"), node: node("a", func(n *corev1.Node) { n.Status.Allocatable = list("cpu", "300m") }),
			want: capacity.Node{Fits: 3, Why: "cpu: 100m needed, 300m of 300m free"},
		},
		"a node takes so many Pods": {
			pod: member("cpu", "1m"), node: node("a"), pods: []corev1.Pod{on("a", "x")},
			want: capacity.Node{Fits: 9, Why: "it takes at most 10 Pods, and has 1"},
		},
		"a resource that the node has not": {
			pod: member("example.com/gpu", "1"), node: node("a"),
			want: capacity.Node{Why: "example.com/gpu: 1 needed, 0 of 0 free"},
		},
		"a node that is full beyond its size": {
			pod: member("cpu", "1"), node: node("a"), pods: []corev1.Pod{on("a", "x", "cpu", "3")},
			want: capacity.Node{Why: "cpu: 1 needed, 0 of 2 free"},
		},
		"the runtime's overhead counts": {
			pod: pod(over), node: node("a"), want: capacity.Node{Fits: 2, Why: "cpu: 1 needed, 2 of 2 free"},
		},
		"a cordoned node takes none": {
			pod: member(), node: node("a", func(n *corev1.Node) { n.Spec.Unschedulable = true }),
			want: capacity.Node{Why: "it is cordoned"},
		},
		"a node that is not ready takes none": {pod: member(), node: node("a", func(n *corev1.Node) {
			n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionUnknown}}
		}), want: capacity.Node{Why: "it is not ready"}},
		"a taint keeps out": {pod: member(), node: node("a", func(n *corev1.Node) {
			n.Spec.Taints = []corev1.Taint{{Key: "gpu", Value: "yes", Effect: corev1.TaintEffectNoSchedule}}
		}), want: capacity.Node{Why: "its taint gpu=yes:NoSchedule is not tolerated"}},
		"a taint that only asks does not": {pod: member("cpu", "2"), node: node("a", func(n *corev1.Node) {
			n.Spec.Taints = []corev1.Taint{{Key: "gpu", Effect: corev1.TaintEffectPreferNoSchedule}}
		}), want: capacity.Node{Fits: 1, Why: "cpu: 2 needed, 2 of 2 free"}},
		"a taint that is tolerated does not": {pod: pod(func(p *corev1.Pod) {
			p.Spec.Tolerations = []corev1.Toleration{{Key: "gpu", Operator: corev1.TolerationOpExists}}
		}), node: node("a", func(n *corev1.Node) {
			n.Spec.Taints = []corev1.Taint{{Key: "gpu", Effect: corev1.TaintEffectNoSchedule}}
		}), want: capacity.Node{Fits: 4, Why: "cpu: 500m needed, 2 of 2 free"}},
		"the nodeSelector names a label": {
			pod: pod(func(p *corev1.Pod) { p.Spec.NodeSelector = map[string]string{"disk": "ssd"} }), node: node("a"),
			want: capacity.Node{Why: "it has not the label disk=ssd of the nodeSelector"},
		},
		"a host port can be had once": {
			pod: pod(hostPort), node: node("a"), want: capacity.Node{Fits: 1, Why: "host port 80/TCP can be had once on a node"},
		},
		"a host port may be taken": {
			pod: pod(hostPort), node: node("a"), pods: []corev1.Pod{withPort},
			want: capacity.Node{Why: "its host port 80/TCP is taken by Pod ns/web"},
		},
		"Pods may want to be alone": {
			pod: pod(alone), node: node("a"), want: capacity.Node{Fits: 1, Why: "the anti-affinity allows one on a node"},
		},
		"Pods may refuse those that are there": {
			pod: pod(alone), node: node("a"), pods: []corev1.Pod{withLabel},
			want: capacity.Node{Why: "Pod ns/agent is on it, which the anti-affinity refuses"},
		},
		"required node affinity is held against it": {pod: pod(func(p *corev1.Pod) {
			p.Spec.Affinity = &corev1.Affinity{
				NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
					NodeSelectorTerms: []corev1.NodeSelectorTerm{
						{
							MatchExpressions: []corev1.NodeSelectorRequirement{
								{Key: "zone", Operator: corev1.NodeSelectorOpIn, Values: []string{"x"}},
							},
						},
					},
				}},
			}
		}), node: node("a"), want: capacity.Node{Why: "its labels do not match the required node affinity"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tt.want.Name = "a"
			got := capacity.Calculate(tt.pod, nil, &capacity.Cluster{Nodes: []corev1.Node{tt.node}, Pods: tt.pods})
			if diff := cmp.Diff([]capacity.Node{tt.want}, got.Nodes); diff != "" || got.Fits != tt.want.Fits {
				t.Errorf("fits %d\n%s", got.Fits, diff)
			}
		})
	}
}

func TestAVolumeHoldsItsPodWhereItIs(t *testing.T) {
	volume := corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: "pv"},
		Spec: corev1.PersistentVolumeSpec{NodeAffinity: &corev1.VolumeNodeAffinity{
			Required: &corev1.NodeSelector{
				NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{
					{Key: corev1.LabelHostname, Operator: corev1.NodeSelectorOpIn, Values: []string{"b"}},
				}}},
			},
		}},
	}
	got := capacity.Calculate(
		member("cpu", "2"), nil,
		&capacity.Cluster{Nodes: []corev1.Node{node("b"), node("a")}, Volumes: []corev1.PersistentVolume{volume}},
	)
	want := []capacity.Node{
		{Name: "a", Why: "volume pv is not reached from it"}, {Name: "b", Fits: 1, Why: "cpu: 2 needed, 2 of 2 free"},
	}
	if diff := cmp.Diff(want, got.Nodes); diff != "" {
		t.Error(diff)
	}
}

func TestWhatWasNotCheckedIsSaid(t *testing.T) {
	pod := member()
	pod.Spec.Affinity = &corev1.Affinity{
		PodAffinity: &corev1.PodAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{TopologyKey: "zone"}},
		},
	}
	pod.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{
		{TopologyKey: "zone", WhenUnsatisfiable: corev1.DoNotSchedule},
	}
	pod.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "gpu"}}
	self := *pod
	got := capacity.Calculate(pod, nil, &capacity.Cluster{Pods: []corev1.Pod{self, on("", "x"), on("", "y")}})
	want := []string{
		"affinity to other Pods", "topology spread over zone", "devices of resource claims",
		"2 other Pods that wait for a node",
	}
	if diff := cmp.Diff(want, got.Unchecked); diff != "" {
		t.Error(diff)
	}
}

func TestReasonsNameTheNodesTheyHoldFor(t *testing.T) {
	var nodes []corev1.Node
	for _, name := range []string{"a", "b", "c", "d"} {
		nodes = append(nodes, node(name))
	}
	nodes = append(
		nodes, node("e", func(n *corev1.Node) { n.Spec.Unschedulable = true }),
		node("f", func(n *corev1.Node) { n.Status.Allocatable = list("cpu", "4") }),
	)
	answer := capacity.Calculate(member("cpu", "3"), nil, &capacity.Cluster{Nodes: nodes})
	var got []string
	for _, r := range answer.Reasons() {
		got = append(got, r.Subject()+": "+r.Why)
	}
	want := []string{"4 nodes (a, b, c, ...): cpu: 3 needed, 2 of 2 free", "node e: it is cordoned"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAmounts(t *testing.T) {
	got := capacity.Amounts(list("cpu", "1500m", "memory", "1536Mi", "ephemeral-storage", "100Mi", "example.com/gpu", "2"))
	if want := "cpu 1500m, ephemeral-storage 100Mi, example.com/gpu 2, memory 1.5Gi"; got != want {
		t.Errorf("got %q", got)
	}
	if got := capacity.Amounts(nil); got != "nothing" {
		t.Errorf("got %q", got)
	}
}
