// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package template reconciles SandboxTemplate objects: each has one NetworkPolicy, shared by all of its Sandboxes. Changes of
// the blueprint itself are followed by pools and claims, which watch templates too. What a template leaves behind a Remover takes away.
//
// A pass is observe -> decide (a pure function to a step) -> apply; a template has no status to report.
//
// Invariants (what must never happen):
//   - a NetworkPolicy that is not a template's, by its annotation, is changed or deleted, whatever its name;
//   - a template goes and takes its policy from Pods that still run, or a policy stays for ever that selects none;
//   - the policy selects by a label that the Pods do not carry: it would protect nobody;
//   - a template's first policy is refused and its Pods are left open: rules that no API server takes are replaced by none.
package template
