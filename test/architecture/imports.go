// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package architecture

import (
	"path"
	"slices"
	"strings"
)

// layers says which of our directories a directory may import besides itself. Test files may import test as well.
var layers = map[string][]string{
	"apis":     {},
	"operator": {"apis"},
	"sdk":      {"apis"},
	"router":   {"apis"},
	"tui":      {"apis", "sdk"},
	"plugin":   {"apis", "sdk", "tui", "operator/install"}, // install: the embedded manifests
	"cmd":      {"apis", "operator", "sdk", "router", "tui", "plugin"},
	"test":     {"apis", "operator", "sdk", "router", "tui", "plugin"},
	"krew":     {"apis"},
	"docs":     {"apis", "sdk", "plugin"},
	"examples": {"apis", "sdk"},
	"hack":     {"apis", "operator", "sdk", "tui", "plugin"}, // generators read what everybody may import
	"tools":    {},
}

// imports: a lower layer knows nothing of a higher one, and nobody imports cmd or test.
func imports(tree *Tree) []Finding {
	var found []Finding
	for _, file := range tree.Files {
		if file.Syntax == nil {
			continue
		}
		allowed, known := layers[file.top()]
		if !known {
			found = append(found, Finding{Path: file.Path, What: "Go code lives in the directories that test/architecture lists as layers"})
			continue
		}
		for _, spec := range file.Syntax.Imports {
			target, ours := strings.CutPrefix(strings.Trim(spec.Path.Value, `"`), Module+"/")
			if ours && !mayImport(file, target, allowed) {
				found = append(found, Finding{file.Path, tree.line(spec.Pos()), file.top() + " must not import " + target})
			}
		}
	}
	return found
}

// commands holds one package for each command of the plugin.
const commands = "plugin/internal/command"

func mayImport(file File, target string, allowed []string) bool {
	dir := path.Dir(file.Path)
	switch {
	case within(target, "cmd"):
		return false
	case within(target, "test"):
		return file.test() || file.top() == "test"
	case file.test():
		return true
	case within(target, commands): // only the root of the plugin imports commands: no command depends on another
		return dir == "plugin" || dir == target
	}
	return within(target, file.top()) || slices.ContainsFunc(allowed, func(dir string) bool { return within(target, dir) })
}
