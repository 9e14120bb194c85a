// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package v1beta1 contains the Go types of SandboxClaim, SandboxTemplate and SandboxWarmPool. The API server also
// serves the same schema as v1alpha1.
//
// +kubebuilder:object:generate=true
// +groupName=extensions.agents.x-k8s.io
package v1beta1
