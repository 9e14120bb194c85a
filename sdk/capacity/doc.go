// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package capacity says how many more Pods of a kind fit on the nodes as they are, and why no more of them do.
//
// Invariants:
//   - an Answer is a pure function of the objects it was made from, and the same objects give the same text;
//   - what the scheduler looks at and this package does not is named in Answer.Unchecked;
//   - nothing is assumed about Pods that could be evicted to make room.
package capacity
