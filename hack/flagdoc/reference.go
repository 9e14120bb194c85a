// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"strings"

	"github.com/agent-sandbox/kubectl-sandbox/operator/manager"
)

const preface = `# Flags of the operator

Generated from the flags by ` + "`make generate`" + `.

A flag for a list can be repeated, or take comma-separated values. Durations have the form ` + "`1m30s`" + `.
The operator reports all invalid flags at once and exits.
`

// reference returns the page.
func reference() []byte {
	line := manager.CommandLine{Config: manager.Defaults()}
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	line.AddFlags(flags)
	var page bytes.Buffer
	page.WriteString(preface)
	documented := map[string]bool{}
	for _, section := range line.Sections() {
		fmt.Fprintf(&page, "\n## %s\n\n| flag | default | what it does | why this default |\n|---|---|---|---|\n",
			section.Title)
		for _, f := range section.Flags {
			documented[f.Name] = true
			fmt.Fprintf(&page, "| `--%s` | %s | %s | %s |\n", f.Name, value(flags.Lookup(f.Name)), cell(f.Usage),
				cell(f.DefaultReason))
		}
	}
	page.WriteString("\n## Log and version\n\n| flag | default | what it does |\n|---|---|---|\n")
	flags.VisitAll(func(f *flag.Flag) {
		if !documented[f.Name] {
			fmt.Fprintf(&page, "| `--%s` | %s | %s |\n", f.Name, value(f), cell(f.Usage))
		}
	})
	return page.Bytes()
}

func value(f *flag.Flag) string { return "`" + cmp.Or(f.DefValue, `""`) + "`" }

// cell escapes text for a cell of a table.
func cell(text string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "|", `\|`)
}
