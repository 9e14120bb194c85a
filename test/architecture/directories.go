// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package architecture

import "slices"

// layers are the directories that hold Go code. A new one needs an entry here and a rule of depguard in .golangci.yaml,
// which says what it may import.
var layers = []string{
	"apis", "cmd", "examples", "hack", "operator", "plugin", "router", "runtime", "sdk", "test", "tools", "tui",
}

// directories finds Go code outside the layers, where no rule about imports would judge it.
func directories(tree *Tree) []Finding {
	var found []Finding
	for _, file := range tree.Files {
		if file.Syntax != nil && !slices.Contains(layers, file.top()) {
			found = append(found, Finding{Path: file.Path, What: "is in no directory that test/architecture lists as a layer"})
		}
	}
	return found
}
