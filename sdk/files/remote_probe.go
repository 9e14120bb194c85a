// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
)

// kind is the type of a remote path. Symbolic links are followed.
type kind int

const (
	unknown kind = iota // the image has neither a shell nor test
	missing
	file
	directory
	device // anything else: it can only be read or written
)

// pathInfo is what a probe found out about a remote path.
type pathInfo struct {
	kind kind
	// size is -1 if it is unknown. Otherwise mode and modified are known too. For a directory it is the size of its
	// content.
	size     int64
	mode     fs.FileMode
	modified time.Time
	// mounts are the directories below it on which something is mounted, if that was asked for.
	mounts []string
	// isPipe reports that a device is a pipe or a socket: reading it waits for a writer.
	isPipe bool
}

// imageTools are programs of the image.
type imageTools struct {
	shell bool
	// sum is sha256sum, and find passes it many files.
	sum, find bool
	tar, stat bool
}

// errPipeSource returns the error for a source that is a pipe or socket.
func errPipeSource(remote string) error {
	return fmt.Errorf("%s is neither a file nor a directory: 'cp' to - reads what is written to a pipe", remote)
}

// probe examines remote paths. Without a shell less is known. Words say what else to find out about directories.
func (c *Copier) probe(ctx context.Context, words string, paths ...string) ([]pathInfo, imageTools, error) {
	arguments := []string{words}
	for _, p := range paths {
		arguments = append(arguments, argument(p))
	}
	var out limitedOutput
	err := c.runScript(ctx, compose(watchdogScript, mountsScript, probeScript), arguments, &out, &stderrTail{})
	if stream.Missing(err) {
		all, err := c.probeWithoutShell(ctx, paths...)
		return all, imageTools{}, err
	}
	if err != nil {
		return nil, imageTools{}, err
	}
	all, t := parseProbe(out.String())
	for len(all) < len(paths) {
		all = append(all, pathInfo{size: -1}) // the script always prints it; this is for broken shells
	}
	return all, t, nil
}

// mountWords asks for what is mounted below a directory, if that matters.
func (c *Copier) mountWords() string {
	if c.allFilesystems {
		return ""
	}
	return "mounts"
}

// sourceWords asks for what matters about a source: also its size if the progress is read, for which a directory is
// walked through.
func (c *Copier) sourceWords() string {
	if c.measure {
		return "measure " + c.mountWords()
	}
	return c.mountWords()
}

func (c *Copier) probeWithoutShell(ctx context.Context, paths ...string) ([]pathInfo, error) {
	all := make([]pathInfo, len(paths))
	for i, p := range paths {
		var err error
		if all[i].kind, err = c.kindOf(ctx, p); err != nil {
			return nil, err
		}
		all[i].size = -1
	}
	return all, nil
}

func parseProbe(text string) ([]pathInfo, imageTools) {
	t := imageTools{shell: true}
	var all []pathInfo
	for line := range strings.Lines(text) {
		if mount, found := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "mount "); found && len(all) > 0 {
			all[len(all)-1].mounts = append(all[len(all)-1].mounts, mount)
			continue
		}
		words := strings.Fields(line)
		if len(words) < 2 {
			continue
		}
		if words[0] == "kind" {
			all = append(all, pathInfo{size: -1, isPipe: words[1] == "pipe", kind: map[string]kind{
				"directory": directory, "file": file, "device": device, "pipe": device, "missing": missing,
			}[words[1]]})
			continue
		}
		t.sum = t.sum || line == "has sha256sum\n"
		t.find = t.find || line == "has find\n"
		t.tar = t.tar || line == "has tar\n"
		t.stat = t.stat || line == "has stat\n"
		if len(all) > 0 {
			all[len(all)-1].parse(words)
		}
	}
	return all, t
}

func (f *pathInfo) parse(words []string) {
	number := func(text string, base int) int64 {
		n, err := strconv.ParseInt(text, base, 64)
		if err != nil {
			return -1
		}
		return n
	}
	switch {
	case words[0] == "kilobytes":
		f.size = 1024 * number(words[1], 10)
	case words[0] == "stat" && len(words) == 4:
		f.size = number(words[1], 10)
		f.mode = fs.FileMode(number(words[2], 8)).Perm()
		f.modified = time.Unix(number(words[3], 10), 0)
	}
}

// kindOf examines a remote path without a shell. Symbolic links are followed.
func (c *Copier) kindOf(ctx context.Context, remote string) (kind, error) {
	for _, look := range []struct {
		flag string
		kind kind
	}{{"-d", directory}, {"-e", file}} {
		err := c.run(ctx, []string{"test", look.flag, argument(remote)}, nil)
		var ended *stream.ExitError
		switch {
		case err == nil:
			return look.kind, nil
		case stream.Missing(err):
			return unknown, nil
		case errors.As(err, &ended):
			continue
		}
		return unknown, err
	}
	return missing, nil
}
