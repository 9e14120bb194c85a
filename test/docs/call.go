// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Unknown replaces a part of a word that only the shell can evaluate, such as $NAME.
const Unknown = "unknown"

// Calls returns the words of each simple command in a shell script, including those in pipes, substitutions and
// functions.
func Calls(script string) ([][]string, error) {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(script), "")
	if err != nil {
		return nil, err
	}
	var calls [][]string
	syntax.Walk(file, func(node syntax.Node) bool {
		if call, ok := node.(*syntax.CallExpr); ok && len(call.Args) > 0 {
			words := make([]string, len(call.Args))
			for i, word := range call.Args {
				words[i] = text(word.Parts)
			}
			calls = append(calls, words)
		}
		return true
	})
	return calls, nil
}

// text returns a word without its quotes.
func text(parts []syntax.WordPart) string {
	out := &strings.Builder{}
	for _, part := range parts {
		switch part := part.(type) {
		case *syntax.Lit:
			out.WriteString(strings.ReplaceAll(part.Value, `\`, ""))
		case *syntax.SglQuoted:
			out.WriteString(part.Value)
		case *syntax.DblQuoted:
			out.WriteString(text(part.Parts))
		default:
			out.WriteString(Unknown)
		}
	}
	return out.String()
}
