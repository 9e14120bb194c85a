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
		{"imports follow the layers", imports},
		{"names say what a thing is", names},
		{"files and functions stay short", sizes},
		{"mains only start things", mains},
		{"the wire vocabulary is spelled once, in apis", vocabulary},
		{"time is an argument", clocks},
		{"packages keep no state", state},
		{"commands print foreign text with its printer", printing},
		{"tests neither skip nor sleep", tests},
		{"every file says its licence", licences},
		{"no package registry is named", registries},
	}
}
