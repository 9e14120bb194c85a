// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"slices"
	"strings"
)

// kinds are the prefixes of the names of the constants that the page lists.
var kinds = [...]string{"Condition", "Reason", "Action", "Label", "Annotation"}

// kindOf returns the prefix of a constant's name, or "" if the page does not list it.
func kindOf(name string) string {
	for _, kind := range kinds {
		if strings.HasPrefix(name, kind) {
			return kind
		}
	}
	return ""
}

// read returns the sections for the groups of constants in the Go files of a directory, in the order of the page.
func read(directory fs.FS) ([]section, error) {
	files, values, err := load(directory)
	if err != nil {
		return nil, err
	}
	var sections []section
	for _, file := range files {
		for _, declaration := range file.Decls {
			group, ok := declaration.(*ast.GenDecl)
			if !ok || group.Tok != token.CONST {
				continue
			}
			s, err := newSection(group, values)
			if err != nil {
				return nil, err
			}
			if len(s.entries) > 0 {
				sections = append(sections, s)
			}
		}
	}
	slices.SortStableFunc(sections, func(a, b section) int { return order(a) - order(b) })
	return sections, nil
}

// order returns the position of a section's kind.
func order(s section) int {
	return slices.IndexFunc(kinds[:], func(kind string) bool { return strings.ToLower(kind) == s.kind })
}

// load parses the Go files of a directory, and returns the package, which has the values of the constants.
func load(directory fs.FS) ([]*ast.File, *types.Scope, error) {
	names, err := fs.Glob(directory, "*.go")
	if err != nil {
		return nil, nil, err
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := fs.ReadFile(directory, name)
		if err != nil {
			return nil, nil, err
		}
		file, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, nil, err
		}
		files = append(files, file)
	}
	// Imports are not followed. The errors about them do not matter: constants depend only on each other.
	config := types.Config{Error: func(error) {}}
	checked, _ := config.Check("apis", fset, files, nil)
	return files, checked.Scope(), nil
}

// newSection returns the section for a group of constants. It has no entries if the page does not list the group.
func newSection(group *ast.GenDecl, values *types.Scope) (section, error) {
	title, text, _ := strings.Cut(strings.Join(strings.Fields(group.Doc.Text()), " "), ". ")
	s := section{title: strings.TrimSuffix(title, "."), text: text}
	for _, spec := range group.Specs {
		spec, ok := spec.(*ast.ValueSpec)
		if !ok || kindOf(spec.Names[0].Name) == "" {
			continue
		}
		name := spec.Names[0].Name
		value, ok := values.Lookup(name).(*types.Const)
		if !ok || value.Val().Kind() != constant.String {
			return section{}, fmt.Errorf("%s is no string", name)
		}
		e, err := newEntry(name, constant.StringVal(value.Val()), spec.Doc.Text())
		if err != nil {
			return section{}, err
		}
		s.kind = strings.ToLower(kindOf(name))
		s.entries = append(s.entries, e)
	}
	if len(s.entries) == 0 {
		return s, nil
	}
	return s, s.check()
}
