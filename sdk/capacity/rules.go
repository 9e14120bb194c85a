// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"fmt"
	"maps"
	"math"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/sets"
	schedulinghelpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/klog/v2"
)

// exclusion returns why the node takes no such Pod at all, however much room it has; empty if it does.
func exclusion(node *corev1.Node, pod *corev1.Pod, volumes []corev1.PersistentVolume) string {
	cordon := &corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule}
	if node.Spec.Unschedulable && !tolerates(pod, cordon) {
		return "it is cordoned"
	}
	if !ready(node) {
		return "it is not ready"
	}
	taint, found := schedulinghelpers.FindMatchingUntoleratedTaint(
		klog.Background(), node.Spec.Taints, pod.Spec.Tolerations, blocksNewPods, true,
	)
	if found {
		return fmt.Sprintf("its taint %s is not tolerated", taint.ToString())
	}
	for _, key := range slices.Sorted(maps.Keys(pod.Spec.NodeSelector)) {
		if has, want := node.Labels[key], pod.Spec.NodeSelector[key]; has != want {
			return fmt.Sprintf("it has not the label %s=%s of the nodeSelector", key, want)
		}
	}
	if matches, err := nodeaffinity.GetRequiredNodeAffinity(pod).Match(node); err != nil {
		return "its node affinity cannot be read: " + err.Error()
	} else if !matches {
		return "its labels do not match the required node affinity"
	}
	for i := range volumes {
		if !reaches(node, &volumes[i]) {
			return fmt.Sprintf("volume %s is not reached from it", volumes[i].Name)
		}
	}
	return ""
}

// blocksNewPods reports whether a taint affects Pods that are not on the node yet.
func blocksNewPods(taint *corev1.Taint) bool {
	return taint.Effect == corev1.TaintEffectNoSchedule || taint.Effect == corev1.TaintEffectNoExecute
}

func tolerates(pod *corev1.Pod, taint *corev1.Taint) bool {
	return schedulinghelpers.TolerationsTolerateTaint(klog.Background(), pod.Spec.Tolerations, taint, true)
}

func ready(node *corev1.Node) bool {
	for i := range node.Status.Conditions {
		if c := &node.Status.Conditions[i]; c.Type == corev1.NodeReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return true // the condition is missing
}

func reaches(node *corev1.Node, volume *corev1.PersistentVolume) bool {
	if volume.Spec.NodeAffinity == nil || volume.Spec.NodeAffinity.Required == nil {
		return true
	}
	selector, err := nodeaffinity.NewNodeSelector(volume.Spec.NodeAffinity.Required)
	return err == nil && selector.Match(node)
}

// spreadLimit returns how many more of the Pods fit beside each other and beside those on the node: a host port is
// usable once, and anti-affinity keeps Pods apart.
func spreadLimit(node *corev1.Node, pod *corev1.Pod, on *load) (most int, why string) {
	if wanted := hostPorts(pod); len(wanted) > 0 {
		for _, other := range on.pods {
			if taken := wanted.Intersection(hostPorts(other)); len(taken) > 0 {
				return 0, "its host port " + sets.List(taken)[0] + " is taken by Pod " + other.Namespace + "/" + other.Name
			}
		}
		most, why = 1, "host port "+sets.List(wanted)[0]+" can be had once on a node"
	} else {
		most, why = math.MaxInt32, "nothing is in the way: the Pod requests nothing"
	}
	for _, selector := range antiAffinitySelectors(pod) {
		for _, other := range on.pods {
			if other.Namespace == pod.Namespace && selector.Matches(labels.Set(other.Labels)) {
				return 0, "Pod " + other.Namespace + "/" + other.Name + " is on it, which the anti-affinity refuses"
			}
		}
		if selector.Matches(labels.Set(pod.Labels)) && most > 1 {
			most, why = 1, "the anti-affinity allows one on a node"
		}
	}
	if _, named := node.Labels[corev1.LabelHostname]; !named && len(antiAffinitySelectors(pod)) > 0 {
		why += " (it has no hostname label)"
	}
	return most, why
}

func hostPorts(pod *corev1.Pod) sets.Set[string] {
	all := sets.New[string]()
	for i := range pod.Spec.Containers {
		for _, port := range pod.Spec.Containers[i].Ports {
			if port.HostPort > 0 {
				protocol := port.Protocol
				if protocol == "" {
					protocol = corev1.ProtocolTCP
				}
				all.Insert(fmt.Sprintf("%d/%s", port.HostPort, protocol))
			}
		}
	}
	return all
}

// antiAffinitySelectors select the Pods of the same namespace that the Pod may not share a node with.
func antiAffinitySelectors(pod *corev1.Pod) []labels.Selector {
	var all []labels.Selector
	for _, term := range antiAffinity(pod) {
		if term.TopologyKey != corev1.LabelHostname || len(term.Namespaces) > 0 || term.NamespaceSelector != nil {
			continue
		}
		if selector, err := metav1.LabelSelectorAsSelector(term.LabelSelector); err == nil {
			all = append(all, selector)
		}
	}
	return all
}

func antiAffinity(pod *corev1.Pod) []corev1.PodAffinityTerm {
	if pod.Spec.Affinity == nil || pod.Spec.Affinity.PodAntiAffinity == nil {
		return nil
	}
	return pod.Spec.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution
}

// unchecked returns the rules of the Pod that this package does not evaluate, and what may use the room first.
func unchecked(pod *corev1.Pod, f *Cluster) []string {
	var all []string
	if a := pod.Spec.Affinity; a != nil && a.PodAffinity != nil &&
		len(a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution) > 0 {
		all = append(all, "affinity to other Pods")
	}
	if len(antiAffinity(pod)) > len(antiAffinitySelectors(pod)) {
		all = append(all, "anti-affinity beyond one node or one namespace")
	}
	for _, spread := range pod.Spec.TopologySpreadConstraints {
		if spread.WhenUnsatisfiable == corev1.DoNotSchedule {
			all = append(all, "topology spread over "+spread.TopologyKey)
		}
	}
	if len(pod.Spec.ResourceClaims) > 0 {
		all = append(all, "devices of resource claims")
	}
	for i := range f.Quotas {
		if q := &f.Quotas[i]; hasScopes(q) {
			all = append(all, "quota "+q.Name+", which has scopes")
		}
	}
	waiting := 0
	for i := range f.Pods {
		if p := &f.Pods[i]; p.Spec.NodeName == "" && !ended(p) && p.UID != pod.UID {
			waiting++
		}
	}
	if waiting > 0 {
		all = append(all, fmt.Sprintf("%d other Pods that wait for a node", waiting))
	}
	return all
}
