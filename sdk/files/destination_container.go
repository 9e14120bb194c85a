// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"context"
	"io"
	"path"
	"strconv"
	"strings"
)

// inContainer is a file in a container with a shell.
type inContainer struct {
	c            *Copier
	left         partialName
	part, target string
	large        bool // worth starting Python for
}

func (c *Copier) inContainerAt(target string, from source) inContainer {
	left := c.newLeftover(identityOf(from.identity(), path.Base(target)))
	return inContainer{
		c: c, target: target, left: left, part: path.Join(path.Dir(target), left.name),
		large: from.info().size >= largeFile,
	}
}

func (l inContainer) command(script string, args ...string) []string {
	return append([]string{"sh", "-c", script, "sh", argument(l.part)}, args...)
}

func (l inContainer) script(ctx context.Context, script string, args ...string) error {
	return l.c.run(ctx, l.command(script, args...), &limitedOutput{})
}

func (l inContainer) existing(ctx context.Context) (int64, string, error) {
	found, err := l.c.adoptRemote(ctx, path.Dir(l.part), l.left)
	if err != nil || !found {
		return 0, "", err
	}
	var out limitedOutput
	err = l.c.runScript(ctx, compose(watchdogScript, sumPartScript), []string{argument(l.part)}, &out, &stderrTail{})
	n, sum := sizeAndSum(out.String())
	return n, sum, err
}

func (l inContainer) receive(ctx context.Context, n int64, in *io.PipeReader) (int64, string, error) {
	var out limitedOutput
	command := l.command(
		compose(streamSumsScript, writeFileScript), argument(path.Dir(l.part)), strconv.FormatInt(n, 10), python(l.large),
	)
	err := l.c.sendInput(ctx, true, command, in, &out)
	size, sum := sizeAndSum(out.String())
	return size, sum, err
}

func sizeAndSum(text string) (int64, string) {
	first, second, _ := strings.Cut(strings.TrimSpace(text), "\n")
	n, err := strconv.ParseInt(strings.TrimSpace(first), 10, 64)
	if err != nil {
		return -1, ""
	}
	return n, firstWord(second)
}

func (l inContainer) commit(ctx context.Context, about pathInfo) error {
	mode, at := "", ""
	if about.mode != 0 {
		mode = strconv.FormatUint(uint64(about.mode.Perm()), 8)
	}
	if !about.modified.IsZero() {
		at = unix(about.modified)
	}
	return l.script(ctx, compose(renameScript), argument(l.target), mode, at)
}

func (l inContainer) discard(ctx context.Context) error {
	return l.script(ctx, `rm -f "$1" "$1~"`)
}

func (l inContainer) path() string { return l.part }
