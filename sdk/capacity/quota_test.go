// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package capacity_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/capacity"
)

func TestAQuotaMayAdmitFewerThanTheNodesTake(t *testing.T) {
	quota := func(hard, used corev1.ResourceList) corev1.ResourceQuota {
		return corev1.ResourceQuota{
			ObjectMeta: metav1.ObjectMeta{Name: "q"},
			Status:     corev1.ResourceQuotaStatus{Hard: hard, Used: used},
		}
	}
	scoped := quota(list("pods", "0"), nil)
	scoped.Spec.Scopes = []corev1.ResourceQuotaScope{corev1.ResourceQuotaScopeBestEffort}
	volumes := []corev1.PersistentVolumeClaimSpec{
		{Resources: corev1.VolumeResourceRequirements{Requests: list("storage", "10Gi")}},
	}
	tests := map[string]struct {
		quota corev1.ResourceQuota
		fits  int
		why   string
	}{
		"of CPU": {
			quota(list("requests.cpu", "2"), list("requests.cpu", "1")), 2, "quota q: requests.cpu: 500m needed, 1 of 2 free",
		},
		"of Pods": {quota(list("pods", "5"), list("pods", "4")), 1, "quota q: pods: 1 needed, 1 of 5 free"},
		"of volumes": {
			quota(list("persistentvolumeclaims", "3"), nil), 3, "quota q: persistentvolumeclaims: 1 needed, 3 of 3 free",
		},
		"of storage": {
			quota(list("requests.storage", "25Gi"), nil), 2, "quota q: requests.storage: 10Gi needed, 25Gi of 25Gi free",
		},
		"that is used up": {quota(list("cpu", "1"), list("cpu", "2")), 0, "quota q: cpu: 500m needed, 0 of 1 free"},
		"that demands what is not": {
			quota(list("limits.cpu", "10"), nil), 0, "quota q admits only Pods that say their limits.cpu",
		},
		"that is large enough":      {quota(list("cpu", "100"), nil), 4, ""},
		"of what the Pod has not":   {quota(list("services", "0"), nil), 4, ""},
		"of some Pods is not known": {scoped, 4, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := capacity.Calculate(
				member("cpu", "500m"),
				volumes,
				&capacity.Cluster{Nodes: []corev1.Node{node("a")}, Quotas: []corev1.ResourceQuota{tt.quota}},
			)
			if got.Fits != tt.fits || got.Quota != tt.why {
				t.Errorf("got %d, %q", got.Fits, got.Quota)
			}
			if scoped := strings.Contains(
				strings.Join(got.Unchecked, "; "),
				"quota q, which has scopes",
			); scoped != (name == "of some Pods is not known") {
				t.Errorf("unchecked: %q", got.Unchecked)
			}
		})
	}
}
