// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package architecture

// Law is one rule over the whole tree.
type Law struct {
	Name  string
	Check func(*Tree) []Finding
}

// Laws returns all of them.
func Laws() []Law {
	return []Law{
		{"Go code is in the layers", directories},
		{"names say what a thing is", names},
		{"files stay short", sizes},
		{"programs have short mains", mains},
		{"the wire vocabulary is spelled once, in apis", vocabulary},
		{"commands print foreign text with its printer", printing},
		{"scripts and generated files have the licence header", licences},
		{"no package registry is named", registries},
		{"files for one platform have a counterpart for the others", platforms},
	}
}
