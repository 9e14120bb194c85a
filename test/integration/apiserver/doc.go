// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package apiserver runs a real kube-apiserver and etcd for the tests of one package, without a scheduler, kubelet or
// controllers.
//
//	var server *apiserver.Server
//
//	func TestMain(m *testing.M) { os.Exit(apiserver.Run(m, func(s *apiserver.Server) { server = s })) }
//
// Invariants:
//   - a test never passes because the binaries are missing: Run fails and says how to get them;
//   - no process and no file is left behind, even when the test process is killed;
//   - tests share the server, so each uses its own namespace.
package apiserver
