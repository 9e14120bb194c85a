// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package claim reconciles SandboxClaims. Each claim gets one Sandbox: a warm one from a pool if there is one, or else
// a new one.
//
// Reconcile observes the cluster, calls nextStep, a pure function that returns one of a closed set of steps, executes
// the step, and reports the result in one write of the status.
//
// Invariants:
//   - A claim's status names one Sandbox, and no other one while that one exists. It is written with the claim's
//     resource version. What this process adopted is remembered until the cache shows it, and no other Sandbox is tried
//     meanwhile. A second Sandbox, adopted by an operator that ran at the same time, was named by no status and is
//     deleted.
//   - A Sandbox never has two owners. It changes hands in one write that carries the resource version in which the pool
//     owned it.
//   - A member is forgotten only after the API server confirmed that the claim can no longer own it.
//   - A reconcile that loses a member does not try another one.
//   - A claim whose volumes outlived its Sandbox gets a new Sandbox under the same name, which reattaches the volumes.
//     It never gets an empty Sandbox instead.
//   - An error does not clear status.sandbox.name.
//   - An edit of the claim does not change the template label of its Sandbox. The template that the Sandbox was made
//     from decides.
//   - A claim whose Sandbox exists gets no other one. If somebody removes the owner reference, the claim adopts the
//     Sandbox again.
//   - The Pod spec of a claimed Sandbox does not follow its template. Only labels and annotations do, and the claim's
//     own win.
package claim
