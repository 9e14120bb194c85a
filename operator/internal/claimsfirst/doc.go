// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package claimsfirst holds work that nobody waits for while claims wait: the API server has no time for both.
//
// How long a piece of work holds depends on its age, which counts from when it first asked:
//
//	claims wait        | age          | holds until
//	-------------------|--------------|----------------------------------------------------------------
//	no                 | any          | the next slot at the fast rate: usually now
//	for under 200 ms   | any          | it asks again after 230 ms: single claims leave gaps
//	for longer         | under 2 s    | the next slot at the fast rate in which its age is at least 2 s
//	for longer         | 2 s to 10 s  | the next slot at the slow rate
//	any                | 10 s or more | now
//
// Refill and the status of members need no slots while no claim waits. All other kinds of work share the slots. A
// slot is reserved for the work that asked, so works that return at their time do not compete for one, and each asks
// a few times at most. Work that held for claims has slots of its own: those that were given for later do not delay
// what asks while no claim waits.
//
// These things must never happen:
//   - Work holds for more than 10 s, even if claims never stop arriving.
//   - A claim that nobody serves holds work for more than 10 s.
//   - What never comes back, work or claim, is remembered for longer than it takes the next caller to come after a
//     minute.
package claimsfirst
