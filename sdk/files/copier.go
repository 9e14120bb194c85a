// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
)

// ErrNeedsTar is the error for copying a directory with an image that has no tar.
var ErrNeedsTar = errors.New(
	"the image has no tar, which copying a directory needs: use an image that has it, or copy file by file",
)

// Options configure a Copier.
type Options struct {
	// Warn, if set, receives what could not be copied although the rest was.
	Warn func(string)
	// Progress, if set, is updated during a copy.
	Progress *Progress
	// Resume continues from what an earlier, interrupted copy of the same source has left.
	Resume bool
	// Exclude is what is not copied.
	Exclude Exclusions
	// AllFilesystems also copies what is on other file systems than the directory that is copied, such as /proc.
	AllFilesystems bool
	// Retry decides whether to continue a copy whose connection was lost, or could not be opened again. It receives the
	// error and the number of bytes copied since the last call. Nil never continues.
	Retry func(ctx context.Context, why error, done int64) bool
}

// Copier copies between this machine and one container, one copy at a time.
type Copier struct {
	network      stream.Network
	container    stream.Container
	warn         func(string)
	progress     *Progress
	measure      bool // the caller reads the progress
	resume       bool
	exclude      Exclusions
	retry        func(context.Context, error, int64) bool
	irreversible bool   // the data was passed on and cannot be sent again
	token        string // makes the names of temporary files unique
	partial      string

	allFilesystems, warnedMounts bool
	// beforeMerge, if set, is called when a complete tree is about to be moved to its place.
	beforeMerge func(ctx context.Context) error
}

// New returns a Copier.
func New(network stream.Network, container stream.Container, options Options) *Copier {
	c := &Copier{
		network: network, container: container, warn: options.Warn, progress: options.Progress, resume: options.Resume,
		retry: options.Retry, token: strings.ToLower(rand.Text()[:10]), exclude: options.Exclude,
		allFilesystems: options.AllFilesystems,
	}
	if c.warn == nil {
		c.warn = func(string) {}
	}
	if c.measure = c.progress != nil; !c.measure {
		c.progress = &Progress{}
	}
	return c
}

// Partial returns the path, on the destination's side, of what an interrupted copy has left for a resumed one; empty if
// there is nothing.
func (c *Copier) Partial() string { return c.partial }
