// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
)

// Entry is one entry of a directory in a container.
type Entry struct {
	Name string
	// Size is in bytes.
	Size int64
	// Mode contains the type and the permissions. Symbolic links are not followed.
	Mode     fs.FileMode
	Modified time.Time
}

// List returns the entries of a directory in the container, sorted by name. The image needs a shell and stat.
func (c *Copier) List(ctx context.Context, remote string) ([]Entry, error) {
	var all []Entry
	var odd error
	err := c.run(ctx, []string{
		"sh", "-c", compose(listDirectoryScript), "sh", argument(remote),
	}, &recordReader{handle: func(record string) {
		entry, err := parseListEntry(record)
		if odd == nil && err != nil {
			odd = err
		}
		all = append(all, entry)
	}})
	switch {
	case stream.Missing(err):
		return nil, errors.New("the image has no shell, which listing a directory needs")
	case err != nil:
		return nil, err
	case odd != nil:
		return nil, odd
	}
	slices.SortFunc(all, func(a, b Entry) int { return cmp.Compare(a.Name, b.Name) })
	return all, nil
}

func parseListEntry(line string) (Entry, error) {
	words := strings.SplitN(line, " ", 4)
	if len(words) != 4 {
		return Entry{}, fmt.Errorf("the image's stat says %q", line)
	}
	size, err1 := strconv.ParseInt(words[0], 10, 64)
	modified, err2 := strconv.ParseInt(words[1], 10, 64)
	mode, err3 := strconv.ParseUint(words[2], 16, 32)
	if err := errors.Join(err1, err2, err3); err != nil {
		return Entry{}, fmt.Errorf("the image's stat says %q: %w", line, err)
	}
	return Entry{Name: words[3], Size: size, Modified: time.Unix(modified, 0), Mode: modeOf(uint32(mode))}, nil
}

// modeOf translates mode bits of Linux, which the container uses whatever this machine is.
func modeOf(bits uint32) fs.FileMode {
	mode := fs.FileMode(bits & 0o777)
	for bit, is := range map[uint32]fs.FileMode{0o4000: fs.ModeSetuid, 0o2000: fs.ModeSetgid, 0o1000: fs.ModeSticky} {
		if bits&bit != 0 {
			mode |= is
		}
	}
	return mode | map[uint32]fs.FileMode{
		0o040000: fs.ModeDir, 0o120000: fs.ModeSymlink, 0o010000: fs.ModeNamedPipe, 0o140000: fs.ModeSocket,
		0o060000: fs.ModeDevice, 0o020000: fs.ModeDevice | fs.ModeCharDevice,
	}[bits&0o170000]
}

// Exists reports whether a path exists in the container. Symbolic links are followed.
func (c *Copier) Exists(ctx context.Context, remote string) (bool, error) {
	seen, err := c.kindOf(ctx, remote)
	if err != nil {
		return false, err
	}
	if seen != unknown {
		return seen != missing, nil
	}
	err = c.run(ctx, []string{"sh", "-c", `[ -e "$1" ]`, "sh", argument(remote)}, nil)
	var ended *stream.ExitError
	switch {
	case stream.Missing(err):
		return false, errors.New("the image has neither test nor a shell: whether there is a file cannot be told")
	case errors.As(err, &ended):
		return false, nil
	}
	return err == nil, err
}
