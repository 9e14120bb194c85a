// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build linux

// Package process runs programs for the runtime.
//
// Invariants: a program that is stopped takes its whole process group with it; a signal is sent to a group only while
// its leader is not reaped, so that it reaches no stranger with a recycled number; everything that a program wrote
// before it ended is delivered; no background process can hold up an answer for longer than settle.
package process
