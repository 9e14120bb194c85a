// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package mcpserver is a server of the Model Context Protocol, through which an agent creates and uses sandboxes.
// docs/adr/0017 describes its design.
//
// Invariants:
//   - a session reaches the sandboxes that it created and those that the user named, and no others;
//   - at any time, the cluster deletes within Options.TTL what the session created, even if both processes are killed;
//   - the session deletes what it created when it ends, unless the user keeps it;
//   - no more than Options.Max of its sandboxes exist at once;
//   - what comes from a sandbox is a value in a result: it becomes no command, instruction or description;
//   - a copy touches nothing on this machine outside of Options.LocalDir;
//   - nothing but the protocol is written to the output, and listing the tools needs no cluster.
package mcpserver
