// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"crypto/sha256"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/lru"
)

// sharedSpecs is how many different specs share their content. The specs of a pool's members are equal, and clusters
// have few templates beside their Sandboxes.
const sharedSpecs = 1024

// specs makes specs that are equal share their containers, volumes and all else behind pointers, because the Sandboxes
// of a template differ in little else than their names. Objects in the cache are never changed, so this is safe. It is
// safe for concurrent use.
type specs struct{ known *lru.Cache }

func newSpecs() *specs { return &specs{lru.New(sharedSpecs)} }

// share replaces a spec by an equal one, if there is one. The node may differ.
func (s *specs) share(spec *corev1.PodSpec) {
	node := spec.NodeName
	spec.NodeName = ""
	defer func() { spec.NodeName = node }()
	encoded, err := spec.Marshal()
	if err != nil {
		return // it is kept as it is
	}
	key := sha256.Sum256(encoded)
	known, _ := s.known.Get(key)
	if equal, ok := known.(*corev1.PodSpec); ok {
		*spec = *equal
		return
	}
	first := *spec
	s.known.Add(key, &first)
}
