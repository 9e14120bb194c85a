// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// A sandbox may write anything, and without an end. These limits bound what is kept in memory; the content of files is
// not kept.
const (
	// maxOutput limits the output of a command that reports little.
	maxOutput = 1 << 20
	// maxNameMemory limits all names of one list or archive, including nameOverhead for each.
	maxNameMemory = 256 << 20
	// nameOverhead is the memory beside a name: sums, times, and the map entry.
	nameOverhead = 256
	// maxNameLength limits one name. Linux's longest path has 4 KiB.
	maxNameLength = 64 << 10
	// maxPadding limits what may follow the end marker within an archive.
	maxPadding = 1 << 20
	// maxStderr limits what is kept of a standard error.
	maxStderr = 2048
)

var (
	errOutputTooLong = fmt.Errorf(
		"the sandbox says more than %d KiB where little is expected: its programs are not what they should be",
		maxOutput>>10,
	)
	errNameTooLong = fmt.Errorf(
		"the sandbox says a name of more than %d KiB: its programs are not what they should be", maxNameLength>>10,
	)
	errTooManyNames = fmt.Errorf(
		"the sandbox names too many files to be kept in %d MiB of memory: copy its directories one by one",
		maxNameMemory>>20,
	)
	errDataAfterArchive = errors.New(
		"the archive from the sandbox goes on behind its end: its tar is not what it should be",
	)
	limitErrors = []error{errOutputTooLong, errNameTooLong, errTooManyNames, errDataAfterArchive}
)

// limitError returns the limit that an error is about, without what the end of the connection added; nil if there is
// none.
func limitError(err error) error {
	for _, bound := range limitErrors {
		if errors.Is(err, bound) {
			return bound
		}
	}
	return nil
}

// limitedOutput keeps the output of a command that reports little.
type limitedOutput struct{ text strings.Builder }

// Write implements io.Writer.
func (a *limitedOutput) Write(p []byte) (int, error) {
	if a.text.Len()+len(p) > maxOutput {
		return 0, errOutputTooLong
	}
	return a.text.Write(p)
}

// String is all of it.
func (a *limitedOutput) String() string { return a.text.String() }

// nameMemory counts the memory used for names.
type nameMemory int

func (n *nameMemory) add(name int) error {
	*n += nameMemory(name + nameOverhead)
	if *n > maxNameMemory {
		return errTooManyNames
	}
	return nil
}

// recordReader passes each record of its input to a function, which may change the byte that ends the next one.
type recordReader struct {
	end     byte
	handle  func(record string)
	partial []byte
	memory  nameMemory
}

// Write implements io.Writer.
func (r *recordReader) Write(p []byte) (int, error) {
	n := len(p)
	for {
		i := bytes.IndexByte(p, r.end)
		if i < 0 {
			break
		}
		if len(r.partial)+i > maxNameLength {
			return 0, errNameTooLong
		}
		r.partial = append(r.partial, p[:i]...)
		if err := r.memory.add(len(r.partial)); err != nil {
			return 0, err
		}
		r.handle(string(r.partial))
		r.partial, p = r.partial[:0], p[i+1:]
	}
	if len(r.partial)+len(p) > maxNameLength {
		return 0, errNameTooLong
	}
	r.partial = append(r.partial, p...)
	return n, nil
}

// readPadding reads the padding behind an archive's end.
func readPadding(in io.Reader) error {
	n, err := io.Copy(io.Discard, io.LimitReader(in, maxPadding+1))
	if err == nil && n > maxPadding {
		err = errDataAfterArchive
	}
	return err
}
