// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package architecture reads the tree as text and syntax and says where it breaks a law of the project: who may import whom,
// what is spelled where, what a file may be called and how long it may be. It compiles nothing, so it judges files of every
// build tag and module, and a tree that does not build.
//
// A law is a function from a tree to findings. Each is tested on small trees that break it: a law that cannot fail holds nothing.
package architecture
