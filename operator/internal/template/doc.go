// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package template reconciles SandboxTemplates. Each template has one NetworkPolicy, which all of its Sandboxes share.
// Pools and claims watch templates too and follow changes of the rest of the spec. A Remover deletes the policy of a
// deleted template.
//
// Reconcile observes the policy, calls decide, a pure function that returns a step, and applies the step. Templates
// have no status.
//
// Invariants:
//   - A NetworkPolicy that is not a template's, by its annotation, is neither changed nor deleted, whatever its name
//     is.
//   - The deletion of a template does not delete its policy while Pods run that it selects, and no policy stays that
//     selects none.
//   - The policy selects by a label that the Pods have.
//   - A router in a tenant's namespace is let in only by the policies of that namespace.
//   - If the API server rejects the rules of a new policy, the policy is created without rules, which denies all
//     traffic.
package template
