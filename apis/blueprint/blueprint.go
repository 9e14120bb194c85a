// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package blueprint tells whether a Sandbox was built from what its template says now.
//
// Invariants:
//   - two blueprints that equality.Semantic calls equal have one hash: nil or empty, 1Gi or 1024Mi makes no difference;
//   - a field that a later version of Kubernetes adds changes no hash while it is unset, so an upgrade of the operator
//     makes no member of a pool stale;
//   - metadata of the Pod is no part of it: labels and annotations reach a live Pod without a restart.
package blueprint

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	corev1 "k8s.io/api/core/v1"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
)

// hashLength of the hash: 64 bits, far beyond the number of blueprints that one pool ever sees.
const hashLength = 16

// blueprint is everything that a change of needs a new Pod, volume or Service for.
type blueprint struct {
	PodSpec              corev1.PodSpec                                `json:"podSpec"`
	VolumeClaimTemplates []agentsv1beta1.PersistentVolumeClaimTemplate `json:"volumeClaimTemplates"`
	Service              *bool                                         `json:"service"`
}

// Hash is a label value that is the same for blueprints that mean the same, and differs for those that do not. The order of
// lists counts: the first container is the default one, and init containers run in order.
func Hash(podSpec corev1.PodSpec, claims []agentsv1beta1.PersistentVolumeClaimTemplate, service *bool) string {
	return Digest(blueprint{PodSpec: podSpec, VolumeClaimTemplates: claims, Service: service})
}

// Digest is a label value that is the same for API values that mean the same.
func Digest(value any) string {
	raw, err := json.Marshal(canonical(value))
	if err != nil {
		panic("blueprint: a canonical form holds maps, lists, strings, booleans and integers only: " + err.Error())
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])[:hashLength]
}
