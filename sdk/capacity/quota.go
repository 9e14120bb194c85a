// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"fmt"
	"math"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apiresource "k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/component-helpers/resource"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
)

// hasScopes reports whether a quota counts only some Pods.
func hasScopes(q *corev1.ResourceQuota) bool {
	return len(q.Spec.Scopes) > 0 || q.Spec.ScopeSelector != nil
}

// quotaRoom returns how many more Pods with such volumes a quota has room for, and which resource is the scarcest.
func quotaRoom(
	q *corev1.ResourceQuota, pod *corev1.Pod, needs corev1.ResourceList, volumes []corev1.PersistentVolumeClaimSpec,
) (fits int, why string) {
	fits = math.MaxInt32
	if hasScopes(q) {
		return fits, ""
	}
	limits := resource.PodLimits(pod, resource.PodResourcesOptions{})
	for _, name := range sortedNames(q.Status.Hard) {
		need, counted, missing := quotaUsage(string(name), needs, limits, volumes)
		if missing {
			return 0, fmt.Sprintf("quota %s admits only Pods that say their %s", q.Name, name)
		}
		if !counted || need.IsZero() {
			continue
		}
		hard := q.Status.Hard[name]
		free := hard.DeepCopy()
		free.Sub(q.Status.Used[name])
		if n := times(free.AsApproximateFloat64(), need.AsApproximateFloat64()); n < fits {
			fits = n
			why = fmt.Sprintf(
				"quota %s: %s: %s needed, %s of %s free", q.Name, name, Amount(name, need), Amount(name, positive(free)),
				Amount(name, hard),
			)
		}
	}
	return fits, why
}

// WithinQuotas reports whether the quotas have room for the Pod and the volumes of a Sandbox that exists already.
func WithinQuotas(pod *corev1.Pod, volumes []corev1.PersistentVolumeClaimSpec, quotas []corev1.ResourceQuota) bool {
	for i := range quotas {
		q := quotas[i].DeepCopy()
		delete(q.Status.Hard, sandboxes)
		if room, _ := quotaRoom(q, pod, Requests(pod), volumes); room < 1 {
			return false
		}
	}
	return true
}

// sandboxes is the name of our own objects in quotas.
const sandboxes = "count/" + apis.ResourceSandboxes + "." + apis.GroupAgents

// quotaUsage returns how much of a quota's resource one more Pod uses. missing reports that the quota requires an
// amount that the Pod does not specify.
func quotaUsage(
	name string, needs, limits corev1.ResourceList, volumes []corev1.PersistentVolumeClaimSpec,
) (need apiresource.Quantity, counted, missing bool) {
	one := *apiresource.NewQuantity(1, apiresource.DecimalSI)
	switch name {
	case "pods", "count/pods", sandboxes:
		return one, true, false
	case "persistentvolumeclaims", "count/persistentvolumeclaims":
		return *apiresource.NewQuantity(int64(len(volumes)), apiresource.DecimalSI), true, false
	case "requests.storage":
		var sum apiresource.Quantity
		for i := range volumes {
			sum.Add(volumes[i].Resources.Requests[corev1.ResourceStorage])
		}
		return sum, true, false
	}
	from, of := needs, corev1.ResourceName(strings.TrimPrefix(name, "requests."))
	if rest, isLimit := strings.CutPrefix(name, "limits."); isLimit {
		from, of = limits, corev1.ResourceName(rest)
	}
	need, counted = from[of]
	required := slices.Contains([]corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory}, of)
	return need, counted, required && !counted
}

func positive(q apiresource.Quantity) apiresource.Quantity {
	if q.Sign() < 0 {
		return apiresource.Quantity{}
	}
	return q
}

const (
	mebi = 1 << 20
	gibi = 1 << 30
)

// Amount formats a quantity for people: bytes in Mi or Gi.
func Amount(name corev1.ResourceName, q apiresource.Quantity) string {
	bytes := strings.HasSuffix(string(name), "memory") || strings.Contains(string(name), "storage") ||
		strings.Contains(string(name), "hugepages")
	switch value := q.Value(); {
	case !bytes || value < mebi:
		return q.String()
	case value < gibi:
		return fmt.Sprintf("%dMi", value/mebi)
	default:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", math.Floor(float64(value)/gibi*10)/10), ".0") + "Gi"
	}
}

// Amounts formats the quantities of a list, sorted by name.
func Amounts(list corev1.ResourceList) string {
	var all []string
	for _, name := range sortedNames(list) {
		all = append(all, fmt.Sprintf("%s %s", name, Amount(name, list[name])))
	}
	if len(all) == 0 {
		return "nothing"
	}
	return strings.Join(all, ", ")
}
