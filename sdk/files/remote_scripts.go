// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files

import (
	_ "embed" // for the programs
	"strings"
)

// The programs that run in containers. Each file says at its beginning what it does; compose removes that before
// sending.
var (
	//go:embed scripts/watchdog.sh
	watchdogScript string
	//go:embed scripts/stream_sums.sh
	streamSumsScript string
	//go:embed scripts/tree_sums.sh
	treeSumsScript string
	//go:embed scripts/print_tree_sums.sh
	printTreeSumsScript string
	//go:embed scripts/pack.sh
	packScript string
	//go:embed scripts/pack_tree.sh
	packTreeScript string
	//go:embed scripts/pack_probed.sh
	packProbedScript string
	//go:embed scripts/pack_list.sh
	packListScript string
	//go:embed scripts/walk.sh
	walkScript string
	//go:embed scripts/read_selection.sh
	readSelectionScript string
	//go:embed scripts/mounts.sh
	mountsScript string
	//go:embed scripts/list_entries.sh
	listEntriesScript string
	//go:embed scripts/delete_listed.sh
	deleteListedScript string
	//go:embed scripts/probe.sh
	probeScript string
	//go:embed scripts/list_directory.sh
	listDirectoryScript string
	//go:embed scripts/list_tree.sh
	listTreeScript string
	//go:embed scripts/expand.sh
	expandScript string
	//go:embed scripts/read_file.sh
	readFileScript string
	//go:embed scripts/sum_prefix.sh
	sumPrefixScript string
	//go:embed scripts/sum_part.sh
	sumPartScript string
	//go:embed scripts/write_file.sh
	writeFileScript string
	//go:embed scripts/rename.sh
	renameScript string
	//go:embed scripts/adopt.sh
	adoptScript string
	//go:embed scripts/clean_stage.sh
	cleanStageScript string
	//go:embed scripts/remove.sh
	removeScript string
	//go:embed scripts/merge.sh
	mergeScript string
	//go:embed scripts/run_draining.sh
	runDrainingScript string
	//go:embed scripts/sum.py
	sumProgram string
)

// packing returns the definition of the shell function pack, which archives a directory.
func packing() string { return compose(streamSumsScript, treeSumsScript, packScript) }

// compose joins the parts of a program, without the comments at the beginning of each.
func compose(parts ...string) string {
	var program strings.Builder
	for _, part := range parts {
		for strings.HasPrefix(part, "#") {
			_, part, _ = strings.Cut(part, "\n")
		}
		program.WriteString(strings.TrimPrefix(part, "\n"))
	}
	return program.String()
}
