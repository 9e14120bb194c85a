// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// sums maps the regular files of a tree, by slash-separated paths below its root.
type sums map[string]content

type content struct {
	sum      string
	size     int64 // if known, as modified
	modified time.Time
}

func sumReader(in io.Reader) (sum string, size int64, err error) {
	h := sha256.New()
	size, err = io.Copy(h, in)
	return sumOf(h), size, err
}

// largeFile is the size from which files are summed with Python, if the image has it. Python uses the processor's
// instructions and takes a fifth of the time of sha256sum, but is slow to start.
const largeFile = 32 << 20

// python returns the program that sums, or the empty string if it is not worth starting.
func python(worth bool) string {
	if worth {
		return compose(sumProgram)
	}
	return ""
}

// sumOfNothing is the sum of an empty file.
const sumOfNothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

// remoteSums returns the sums of the files in a directory of the container; none if it does not exist.
func (c *Copier) remoteSums(ctx context.Context, dir string) (sums, error) {
	return c.selectedSums(ctx, dir, selection{})
}

// selectedSums returns the sums of the files that are selected in a directory of the container.
func (c *Copier) selectedSums(ctx context.Context, dir string, selected selection) (sums, error) {
	script := compose(treeSumsScript, printTreeSumsScript)
	tellings := newSumParser()
	err := c.runSelected(ctx, selected, script, []string{argument(dir)}, tellings)
	return tellings.reported.files, err
}

// reportedSums are the sums that the other side reports: of files, and of an archive before them if it was able to
// compute that.
type reportedSums struct {
	archive string
	files   sums
}

// sumParser parses the output of tree_sums.sh, and the sum of an archive before it.
type sumParser struct {
	recordReader
	reported reportedSums
}

func newSumParser() *sumParser {
	t := &sumParser{reported: reportedSums{files: sums{}}}
	t.recordReader = recordReader{end: '\n', handle: t.line}
	return t
}

// line handles a line before the records.
func (t *sumParser) line(line string) {
	if line == "records" {
		t.recordReader.end, t.recordReader.handle = 0, t.record
		return
	}
	switch sum, name := parseSumLine(line); {
	case name == "":
		t.reported.archive = cmp.Or(t.reported.archive, sum)
	case strings.HasPrefix(name, "./"):
		t.reported.files[name[2:]] = content{sum: sum}
	}
}

func (t *sumParser) record(record string) {
	sum, name := sumOfNothing, record
	if !strings.HasPrefix(record, "./") {
		sum, name = parseSumLine(record)
	}
	if below, found := strings.CutPrefix(name, "./"); found {
		t.reported.files[below] = content{sum: sum}
	}
}

// parseSumLine parses a line of sha256sum. The name of the standard input is a hyphen, and omitted.
func parseSumLine(text string) (sum, name string) {
	sum, name, found := strings.Cut(text, "  ")
	if !found || len(sum) != hex.EncodedLen(sha256.Size) {
		return "", ""
	}
	return sum, strings.TrimPrefix(name, "-")
}

// without returns the files that are not equal in the other tree, sorted.
func (s sums) without(other sums) []string {
	var all []string
	for name, want := range s {
		if got, found := other[name]; !found || got.sum != want.sum {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}

// differError returns the error for files that were copied incorrectly.
func differError(names []string) error {
	return fmt.Errorf("%w: %s (%d in all): copy again", errDiffers, names[0], len(names))
}
