// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/resource"
)

// Cluster holds the objects that matter for scheduling, as read at one time.
type Cluster struct {
	Nodes []corev1.Node
	// Pods are the Pods of all namespaces.
	Pods []corev1.Pod
	// Quotas are the quotas of the Pod's namespace.
	Quotas []corev1.ResourceQuota
	// Volumes are the PersistentVolumes that the Pod's claims are bound to.
	Volumes []corev1.PersistentVolume
}

// Node is the capacity of one node.
type Node struct {
	Name string `json:"name"`
	// Fits is how many more Pods fit on the node.
	Fits int `json:"fits"`
	// Why says what keeps one more from fitting.
	Why string `json:"why"`
}

// Answer says how many more Pods fit, and where.
type Answer struct {
	// Fits is how many more Pods fit, on all nodes together and within the quotas.
	Fits  int    `json:"fits"`
	Nodes []Node `json:"nodes"`
	// Quota names the quota that admits fewer Pods than fit on the nodes; empty if there is none.
	Quota string `json:"quota,omitempty"`
	// Unchecked lists the scheduling rules of the Pod that were not evaluated. Because of them fewer may fit.
	Unchecked []string `json:"unchecked,omitempty"`
}

// Requests returns the Pod's resource requests, as the scheduler counts them.
func Requests(pod *corev1.Pod) corev1.ResourceList {
	return resource.PodRequests(pod, resource.PodResourcesOptions{UseStatusResources: true})
}

// Calculate returns how many more Pods like this one fit. A Pod that exists counts like any other on its node. volumes
// are the claims that each Pod creates.
func Calculate(pod *corev1.Pod, volumes []corev1.PersistentVolumeClaimSpec, f *Cluster) Answer {
	needs, loads := Requests(pod), loadsOf(f.Pods)
	answer := Answer{Nodes: make([]Node, 0, len(f.Nodes)), Unchecked: unchecked(pod, f)}
	for i := range f.Nodes {
		node := &f.Nodes[i]
		one := Node{Name: node.Name}
		if one.Why = exclusion(node, pod, f.Volumes); one.Why == "" {
			one.Fits, one.Why = room(node, pod, needs, loads[node.Name])
		}
		answer.Fits += one.Fits
		answer.Nodes = append(answer.Nodes, one)
	}
	slices.SortFunc(answer.Nodes, func(a, b Node) int { return cmp.Compare(a.Name, b.Name) })
	for i := range f.Quotas {
		fits, why := quotaRoom(&f.Quotas[i], pod, needs, volumes)
		if fits < answer.Fits {
			answer.Fits, answer.Quota = fits, why
		}
	}
	return answer
}

// load is what is placed on one node.
type load struct {
	pods      []*corev1.Pod
	requested corev1.ResourceList
}

func loadsOf(pods []corev1.Pod) map[string]*load {
	all := map[string]*load{}
	for i := range pods {
		pod := &pods[i]
		if pod.Spec.NodeName == "" || ended(pod) {
			continue
		}
		l := all[pod.Spec.NodeName]
		if l == nil {
			l = &load{requested: corev1.ResourceList{}}
			all[pod.Spec.NodeName] = l
		}
		l.pods = append(l.pods, pod)
		Add(l.requested, Requests(pod))
	}
	return all
}

// Requested returns the sum of the Pods' requests for each node, by the node's name.
func Requested(pods []corev1.Pod) map[string]corev1.ResourceList {
	all := map[string]corev1.ResourceList{}
	for name, load := range loadsOf(pods) {
		all[name] = load.requested
	}
	return all
}

func ended(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}

// Add adds quantities to a sum.
func Add(sum, more corev1.ResourceList) {
	for name, quantity := range more {
		total := sum[name]
		total.Add(quantity)
		sum[name] = total
	}
}

// room returns how many more Pods the node has resources for, and which resource is the scarcest.
func room(node *corev1.Node, pod *corev1.Pod, needs corev1.ResourceList, on *load) (fits int, why string) {
	if on == nil {
		on = &load{}
	}
	least, why := spreadLimit(node, pod, on)
	if most, limited := node.Status.Allocatable[corev1.ResourcePods]; limited {
		if n := max(int(most.Value())-len(on.pods), 0); n < least {
			least, why = n, fmt.Sprintf("it takes at most %d Pods, and has %d", most.Value(), len(on.pods))
		}
	}
	for _, name := range sortedNames(needs) {
		need, has := needs[name], node.Status.Allocatable[name]
		if need.IsZero() {
			continue
		}
		free := has.DeepCopy()
		free.Sub(on.requested[name])
		if n := times(free.AsApproximateFloat64(), need.AsApproximateFloat64()); n < least {
			least, why = n, fmt.Sprintf(
				"%s: %s needed, %s of %s free", name, Amount(name, need), Amount(name, positive(free)), Amount(name, has),
			)
		}
	}
	return least, why
}

// times returns how often the need fits into what is free.
func times(free, need float64) int {
	const slack = 1e-9 // tenths of a CPU have no exact representation
	return max(int(math.Floor(free/need+slack)), 0)
}

func sortedNames(list corev1.ResourceList) []corev1.ResourceName {
	names := make([]corev1.ResourceName, 0, len(list))
	for name := range list {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Reason is one reason why nodes take no more Pods, with the nodes' names.
type Reason struct {
	Why   string
	Nodes []string
}

// Reasons groups the nodes that take no more Pods by reason, the most frequent reason first.
func (a *Answer) Reasons() []Reason {
	var all []Reason
	for _, node := range a.Nodes {
		if node.Fits > 0 {
			continue
		}
		at := slices.IndexFunc(all, func(r Reason) bool { return r.Why == node.Why })
		if at < 0 {
			all, at = append(all, Reason{Why: node.Why}), len(all)
		}
		all[at].Nodes = append(all[at].Nodes, node.Name)
	}
	slices.SortStableFunc(all, func(a, b Reason) int { return len(b.Nodes) - len(a.Nodes) })
	return all
}

// Subject names the nodes if they are few, and otherwise counts them.
func (r Reason) Subject() string {
	const few = 3
	switch {
	case len(r.Nodes) == 1:
		return "node " + r.Nodes[0]
	case len(r.Nodes) <= few:
		return "nodes " + strings.Join(r.Nodes, ", ")
	}
	return fmt.Sprintf("%d nodes (%s, ...)", len(r.Nodes), strings.Join(r.Nodes[:few], ", "))
}
