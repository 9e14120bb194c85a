// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package architecture reads the tree as text and syntax and finds where it breaks a law of the project that no linter
// checks: names, file lengths, the wire vocabulary, printing, scripts, licences of generated files. The other laws are
// rules of .golangci.yaml. The package compiles nothing, so it judges files of every build tag and module, and a tree
// that does not build.
//
// A law is a function from a tree to findings. A test runs each on small trees that break it.
package architecture
