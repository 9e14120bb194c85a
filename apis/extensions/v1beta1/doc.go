// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package v1beta1 holds the Go types of SandboxClaim, SandboxTemplate and SandboxWarmPool. The API server serves the same schema as v1alpha1 too.
//
// +kubebuilder:object:generate=true
// +groupName=extensions.agents.x-k8s.io
package v1beta1
