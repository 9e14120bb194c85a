// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
)

// source is a single file to be copied, on either side.
type source interface {
	// info returns what is known about it.
	info() pathInfo
	// identity identifies the file, and its content if a change of that is visible.
	identity() string
	// prefix returns the sha256 of the first n bytes.
	prefix(ctx context.Context, n int64) (string, error)
	// send writes the data from an offset on, and returns the sha256 that the other side computes; empty if it computes
	// none.
	send(ctx context.Context, from int64, to io.Writer) (string, error)
	// changed reports whether the file has changed since info was read.
	changed(ctx context.Context) bool
}

// identityOf returns a name for partial files, so that only a copy of the same source resumes them.
func identityOf(words ...any) string {
	return naming.Hash(strings.TrimSpace(fmt.Sprintln(words...)))
}

func sumOf(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }

// localFile is a source on this machine.
type localFile struct {
	path string
	stat fs.FileInfo
}

func (l localFile) info() pathInfo {
	return pathInfo{kind: file, size: l.stat.Size(), mode: l.stat.Mode().Perm(), modified: l.stat.ModTime()}
}

func (l localFile) identity() string {
	return identityOf(l.path, l.stat.Size(), l.stat.ModTime().UnixNano())
}

func (l localFile) prefix(_ context.Context, n int64) (string, error) {
	in, err := os.Open(l.path)
	if err != nil {
		return "", err
	}
	defer in.Close()
	sum := sha256.New()
	_, err = io.CopyN(sum, in, n)
	return sumOf(sum), err
}

func (l localFile) send(_ context.Context, from int64, to io.Writer) (string, error) {
	in, err := os.Open(l.path)
	if err != nil {
		return "", err
	}
	defer in.Close()
	if _, err := in.Seek(from, io.SeekStart); err != nil {
		return "", err
	}
	_, err = io.CopyBuffer(writerOnly{to}, in, make([]byte, bufferSize))
	return "", err
}

func (l localFile) changed(context.Context) bool {
	now, err := os.Stat(l.path)
	return err == nil && (now.Size() != l.stat.Size() || !now.ModTime().Equal(l.stat.ModTime()))
}

// bufferSize is how much is read and written at once.
const bufferSize = 128 * 1024

// writerOnly hides ReadFrom, which would choose small buffers.
type writerOnly struct{ io.Writer }

// standardInput is a source that can be read once. Its token makes it differ from all others.
type standardInput struct {
	in    io.Reader
	token string
}

func (standardInput) info() pathInfo               { return pathInfo{kind: file, size: -1} }
func (standardInput) changed(context.Context) bool { return false }
func (s standardInput) identity() string           { return identityOf("standard input", s.token) }
func (standardInput) prefix(context.Context, int64) (string, error) {
	return "", nil
}

func (s standardInput) send(_ context.Context, _ int64, to io.Writer) (string, error) {
	_, err := io.CopyBuffer(writerOnly{to}, s.in, make([]byte, bufferSize))
	return "", err
}

// remoteFile is a source in a container.
type remoteFile struct {
	c      *Copier
	path   string
	probed pathInfo
	sum    bool
	shell  bool
}

func (r remoteFile) info() pathInfo { return r.probed }

func (r remoteFile) identity() string {
	return identityOf(r.c.container, r.path, r.probed.size, r.probed.modified.Unix())
}

func (r remoteFile) prefix(ctx context.Context, n int64) (string, error) {
	if !r.sum {
		return "", nil
	}
	var out limitedOutput
	err := r.c.runScript(
		ctx, compose(watchdogScript, sumPrefixScript), []string{argument(r.path), strconv.FormatInt(n, 10)}, &out,
		&stderrTail{},
	)
	return firstWord(out.String()), err
}

func (r remoteFile) send(ctx context.Context, from int64, to io.Writer) (string, error) {
	// Files that claim to be empty may be generated while they are read, as those in /proc.
	wanted := r.sum && r.probed.size > 0
	flag := ""
	if wanted {
		flag = "sum"
	}
	if !r.shell {
		return "", r.c.transferOutput(ctx, []string{"cat", argument(r.path)}, nil, to)
	}
	said := &stderrTail{}
	words := []string{argument(r.path), strconv.FormatInt(from+1, 10), flag, python(r.probed.size >= largeFile)}
	if err := r.c.runScript(ctx, compose(watchdogScript, readFileScript), words, to, said); err != nil {
		return "", err
	}
	if !wanted {
		return "", nil
	}
	for line := range strings.SplitSeq(said.String(), "; ") {
		if word := firstWord(line); len(word) == hex.EncodedLen(sha256.Size) {
			return word, nil
		}
	}
	return "", nil
}

func (r remoteFile) changed(ctx context.Context) bool {
	now, _, err := r.c.probe(ctx, "", r.path)
	return err == nil && (now[0].size != r.probed.size || !now[0].modified.Equal(r.probed.modified))
}

func firstWord(text string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	return word
}

// unix formats a time as touch expects it.
func unix(at time.Time) string { return strconv.FormatInt(at.Unix(), 10) }
