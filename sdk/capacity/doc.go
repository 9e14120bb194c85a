// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package capacity calculates how many more Pods of a kind fit on the nodes, and why no more of them do.
//
// Invariants:
//   - an Answer is a pure function of the objects, and the same objects give the same text;
//   - rules of the scheduler that this package does not evaluate are named in Answer.Unchecked;
//   - Pods that could be evicted to make room still count.
package capacity
