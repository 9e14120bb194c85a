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

// A sandbox writes what it likes, without an end too. These are the bounds of all that is kept in memory of it; the content of files
// passes, and is not kept.
const (
	// mostSaid is the answer of a command that tells a few facts.
	mostSaid = 1 << 20
	// mostNames is all names of one list or one archive, each with what is noted beside it.
	mostNames = 256 << 20
	// perName is what is noted beside a name: sums, times, and what a map takes.
	perName = 256
	// mostName is one of them. Linux's longest path has 4 KiB.
	mostName = 64 << 10
	// mostPadding is what may follow the end of an archive within it.
	mostPadding = 1 << 20
	// mostWords is what is kept of a standard error.
	mostWords = 2048
)

var (
	errTooMuch      = fmt.Errorf("the sandbox says more than %d KiB where little is expected: its programs are not what they should be", mostSaid>>10)
	errTooLong      = fmt.Errorf("the sandbox says a name of more than %d KiB: its programs are not what they should be", mostName>>10)
	errTooMany      = fmt.Errorf("the sandbox names too many files to be kept in %d MiB of memory: copy its directories one by one", mostNames>>20)
	errNoEnd        = errors.New("the archive from the sandbox goes on behind its end: its tar is not what it should be")
	excessesOfImage = []error{errTooMuch, errTooLong, errTooMany, errNoEnd}
)

// excess is the bound that an error is about, without what the connection's end adds to it; nil if it is about none.
func excess(err error) error {
	for _, bound := range excessesOfImage {
		if errors.Is(err, bound) {
			return bound
		}
	}
	return nil
}

// answer keeps what a command says that says little.
type answer struct{ text strings.Builder }

// Write implements io.Writer.
func (a *answer) Write(p []byte) (int, error) {
	if a.text.Len()+len(p) > mostSaid {
		return 0, errTooMuch
	}
	return a.text.Write(p)
}

// String is all of it.
func (a *answer) String() string { return a.text.String() }

// noted counts what is kept of names.
type noted int

func (n *noted) add(name int) error {
	*n += noted(name + perName)
	if *n > mostNames {
		return errTooMany
	}
	return nil
}

// records hands on each record of what is written to it. The function may change which byte ends the next.
type records struct {
	end   byte
	take  func(record string)
	begun []byte
	noted noted
}

// Write implements io.Writer.
func (r *records) Write(p []byte) (int, error) {
	n := len(p)
	for {
		i := bytes.IndexByte(p, r.end)
		if i < 0 {
			break
		}
		if len(r.begun)+i > mostName {
			return 0, errTooLong
		}
		r.begun = append(r.begun, p[:i]...)
		if err := r.noted.add(len(r.begun)); err != nil {
			return 0, err
		}
		r.take(string(r.begun))
		r.begun, p = r.begun[:0], p[i+1:]
	}
	if len(r.begun)+len(p) > mostName {
		return 0, errTooLong
	}
	r.begun = append(r.begun, p...)
	return n, nil
}

// pastEnd reads what an archive's padding may have behind its end.
func pastEnd(in io.Reader) error {
	n, err := io.Copy(io.Discard, io.LimitReader(in, mostPadding+1))
	if err == nil && n > mostPadding {
		err = errNoEnd
	}
	return err
}
