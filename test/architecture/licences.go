// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package architecture

import "strings"

const (
	copyright = "Copyright 2026 The kubectl-sandbox Authors."
	licence   = "SPDX-License-Identifier: Apache-2.0"
)

// licences finds scripts and generated Go files without the header of CONTRIBUTING.md, and a LICENSE that is not the
// whole text. The linter goheader judges the other Go files.
func licences(tree *Tree) []Finding {
	var found []Finding
	whole := false
	for _, file := range tree.Files {
		switch {
		case file.Path == "LICENSE":
			whole = strings.Contains(string(file.Text), "Apache License") && file.lines() > 190
		case file.Generated:
			header, _, _ := strings.Cut(string(file.Text), "\npackage ")
			if !strings.Contains(header+"\n", "// "+copyright+"\n// "+licence+"\n") {
				found = append(found, Finding{Path: file.Path, What: "lacks the licence header of CONTRIBUTING.md"})
			}
		case script(file), file.Path == "Dockerfile":
			if !strings.Contains(string(file.Text), "# "+copyright+"\n# "+licence+"\n") {
				found = append(found, Finding{Path: file.Path, What: "lacks the licence header of CONTRIBUTING.md"})
			}
		}
	}
	if !whole {
		found = append(found, Finding{Path: "LICENSE", What: "is missing or not the whole text of the Apache License 2.0"})
	}
	return found
}

func script(file File) bool {
	return strings.HasSuffix(file.Path, ".sh") || strings.HasPrefix(file.Path, ".ci/") || file.Path == "Makefile"
}
