// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package architecture

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strings"
)

// vague lists names that say nothing about what is in a package or file.
var vague = []string{"util", "utils", "common", "helper", "helpers", "misc", "base", "shared"}

// names finds packages, directories and files with vague names.
func names(tree *Tree) []Finding {
	var found []Finding
	for _, file := range tree.written() {
		words := append(strings.Split(path.Dir(file.Path), "/"), file.name(), file.Syntax.Name.Name)
		for _, word := range words {
			if slices.Contains(vague, strings.TrimSuffix(word, "_test")) {
				found = append(found, Finding{Path: file.Path, What: "is called " + word + ": name it after what it does"})
				break
			}
		}
	}
	return found
}

// domain is part of every label, annotation, finalizer and API group of ours.
const domain = "agents.x-k8s" + ".io"

// vocabulary finds keys of ours that are not constants of apis, and keys that apis spell twice. Tests spell keys out:
// they check the wire contract.
func vocabulary(tree *Tree) []Finding {
	var found []Finding
	spelled := map[string]Finding{}
	for _, file := range tree.written() {
		if file.test() || file.top() == "test" || file.top() == "tools" {
			continue
		}
		for literal := range literals(file) {
			here := Finding{Path: file.Path, Line: tree.line(literal.Pos())}
			if !strings.Contains(literal.Value, domain) {
				continue
			}
			first, twice := spelled[literal.Value]
			switch {
			case file.top() != "apis":
				here.What = literal.Value + " belongs in apis: use its constant"
				found = append(found, here)
			case twice:
				here.What = fmt.Sprintf("%s is spelled at %s:%d already", literal.Value, first.Path, first.Line)
				found = append(found, here)
			default:
				spelled[literal.Value] = here
			}
		}
	}
	return found
}

// literals yields the string literals of a file.
func literals(file File) func(yield func(*ast.BasicLit) bool) {
	return func(yield func(*ast.BasicLit) bool) {
		for node := range ast.Preorder(file.Syntax) {
			if literal, ok := node.(*ast.BasicLit); ok && literal.Kind == token.STRING && !yield(literal) {
				return
			}
		}
	}
}

// hosts are package registries. No file may name one, because each machine is configured for its own. They are spelled
// in two parts because the law judges this file too.
var hosts = []string{
	"proxy.golang" + ".org", "sum.golang" + ".org", "goproxy" + ".io", "goproxy" + ".cn",
	"pypi" + ".org", "pythonhosted" + ".org", "registry.npmjs" + ".org", "registry.yarnpkg" + ".com",
	"deb.debian" + ".org", "security.debian" + ".org", "archive.ubuntu" + ".com", "dl-cdn.alpinelinux" + ".org",
	"static.crates" + ".io", "index.crates" + ".io", "rubygems" + ".org", "repo1.maven" + ".org",
}

// registries finds names of package registries.
func registries(tree *Tree) []Finding {
	var found []Finding
	for _, file := range tree.Files {
		for _, host := range hosts {
			if at := bytes.Index(file.Text, []byte(host)); at >= 0 {
				line := 1 + bytes.Count(file.Text[:at], []byte("\n"))
				found = append(found, Finding{file.Path, line, "names the package registry " + host})
			}
		}
	}
	return found
}
