// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package blueprint computes a hash that tells whether a Sandbox was built from the current content of its template.
//
// Invariants:
//   - Blueprints that are equal according to equality.Semantic have the same hash: nil and empty, or 1Gi and 1024Mi, do
//     not differ.
//   - A field that a later version of Kubernetes adds changes no hash while it is unset, so an upgrade of the operator
//     makes no member of a pool stale.
//   - The Pod's metadata is not included: labels and annotations are applied to a live Pod without a restart.
package blueprint

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	corev1 "k8s.io/api/core/v1"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
)

// hashLength is the number of hexadecimal digits of a hash. 64 bits are enough for the blueprints of one pool.
const hashLength = 16

// blueprint contains the fields whose change requires a new Pod, volume or Service.
type blueprint struct {
	PodSpec              corev1.PodSpec                                `json:"podSpec"`
	VolumeClaimTemplates []agentsv1beta1.PersistentVolumeClaimTemplate `json:"volumeClaimTemplates"`
	Service              *bool                                         `json:"service"`
}

// Hash returns a label value that is the same for blueprints with the same meaning, and differs for others. The order
// of lists matters: the first container is the default one, and init containers run in order.
func Hash(podSpec corev1.PodSpec, claims []agentsv1beta1.PersistentVolumeClaimTemplate, service *bool) string {
	return Digest(blueprint{PodSpec: podSpec, VolumeClaimTemplates: claims, Service: service})
}

// Digest returns a label value that is the same for API values with the same meaning.
func Digest(value any) string {
	raw, err := json.Marshal(canonical(value))
	if err != nil {
		panic("blueprint: the canonical form has a value that JSON cannot encode: " + err.Error())
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])[:hashLength]
}
