// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
)

// localTree is what a local directory contains.
type localTree struct {
	entries listing
	mounts  []string
}

// listLocal lists a local directory, without what is excluded and what interrupted copies have left. It returns nil if
// there is none.
func (c *Copier) listLocal(root string) (*localTree, error) {
	info, err := os.Stat(root)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !info.IsDir():
		return nil, fmt.Errorf("%s is no directory: 'cp' copies single files", root)
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return nil, err
	}
	filter, device := c.filter("."), deviceOfRoot(root)
	tree := &localTree{entries: listing{}}
	err = filepath.WalkDir(root, func(at string, entry fs.DirEntry, err error) error {
		if at == root || errors.Is(err, fs.ErrNotExist) {
			if at == root {
				return err
			}
			return nil // it was removed meanwhile
		}
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, at)
		if err != nil {
			return err
		}
		if !filter.admits(relative, entry.IsDir()) || strings.HasPrefix(entry.Name(), tempPrefix) {
			return skipped(entry)
		}
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		name := filepath.ToSlash(relative)
		if filter.crosses(info, device) {
			tree.mounts = append(tree.mounts, name)
			return fs.SkipDir
		}
		tree.entries[name], err = listLocalEntry(at, info)
		return err
	})
	return tree, err
}

func listLocalEntry(at string, info fs.FileInfo) (listed, error) {
	one := listed{mode: info.Mode().Perm(), modified: info.ModTime().Unix(), nanos: int64(info.ModTime().Nanosecond())}
	switch {
	case info.Mode().IsRegular():
		one.kind, one.size = entryFile, info.Size()
	case info.IsDir():
		one.kind, one.modified, one.nanos = entryDirectory, 0, 0 // it changes with every name
	case info.Mode()&fs.ModeSymlink != 0:
		link, err := os.Readlink(at)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return one, err
		}
		one.kind, one.link = entryLink, filepath.ToSlash(link)
	}
	return one, nil
}

// remoteTree is what a directory of the container contains.
type remoteTree struct {
	entries   listing
	mounts    []string
	leftovers []string // of interrupted copies, directly in the directory
	missing   bool
	has       imageTools
}

func (t *remoteTree) hasLeftover(shared string) bool {
	for _, name := range t.leftovers {
		if strings.HasPrefix(name, shared) {
			return true
		}
	}
	return false
}

// listAttempts is how often a directory is listed in which files disappear at the same time.
const listAttempts = 3

// listRemote lists a directory of the container, without what is excluded and what interrupted copies have left. It
// returns an error unless the list is complete.
func (c *Copier) listRemote(ctx context.Context, remote string) (tree *remoteTree, err error) {
	for range listAttempts {
		tree, err = c.listRemoteOnce(ctx, remote)
		if _, failed := errors.AsType[*commandError](err); !failed {
			break
		}
	}
	return tree, err
}

func (c *Copier) listRemoteOnce(ctx context.Context, remote string) (*remoteTree, error) {
	parser := newListingParser()
	script := compose(mountsScript, probeScript, listEntriesScript)
	words := []string{c.mountWords(), argument(remote)}
	err := c.runSelected(ctx, selection{exclude: c.exclude}, script, words, parser)
	if err == nil {
		err = parser.err
	}
	seen, has := parseProbe(parser.said.String())
	switch {
	case len(seen) == 0 && stream.Missing(err):
		return nil, errors.New("the image has no shell, which comparing directories needs: copy with 'cp'")
	case len(seen) > 0 && seen[0].kind == directory && (!has.find || !has.stat):
		return nil, errors.New("the image lacks find or stat, which comparing directories needs: copy with 'cp'")
	case err != nil:
		return nil, err
	case len(seen) == 0:
		return nil, errIncompleteList
	case seen[0].kind == missing:
		return &remoteTree{entries: listing{}, missing: true, has: has}, nil
	case seen[0].kind != directory:
		return nil, fmt.Errorf("%s is no directory in the sandbox: 'cp' copies single files", remote)
	case !parser.complete:
		return nil, errIncompleteList
	}
	tree := &remoteTree{entries: listing{}, mounts: seen[0].mounts, has: has}
	for name, entry := range parser.entries {
		if strings.HasPrefix(name, tempPrefix) && !strings.Contains(name, "/") {
			tree.leftovers = append(tree.leftovers, name)
		}
		if !leftover(name) && !c.exclude.excludes(name, entry.kind == entryDirectory) {
			tree.entries[name] = entry
		}
	}
	return tree, nil
}

// leftover reports whether a name belongs to what an interrupted copy has left.
func leftover(name string) bool {
	return strings.HasPrefix(name, tempPrefix) || strings.Contains(name, "/"+tempPrefix)
}

var errIncompleteList = errors.New("the sandbox did not list the directory completely: nothing was changed")

// listingParser parses the output of list_entries.sh.
type listingParser struct {
	recordReader
	said     limitedOutput
	entries  listing
	block    []string
	read     int  // records of the block
	root     bool // was listed
	complete bool
	err      error
}

func newListingParser() *listingParser {
	p := &listingParser{entries: listing{}}
	p.recordReader = recordReader{end: '\n', handle: p.line}
	return p
}

// line handles a line of probe.sh.
func (p *listingParser) line(line string) {
	if line == "entries" {
		p.recordReader.end, p.recordReader.handle = 0, p.name
		return
	}
	if _, err := p.said.Write([]byte(line + "\n")); err != nil {
		p.fail(err)
	}
}

func (p *listingParser) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

// name handles a name of a block, which an empty one ends.
func (p *listingParser) name(record string) {
	switch {
	case p.block == nil && record == "links":
		p.recordReader.handle = p.linkName
	case record != "":
		p.block = append(p.block, record)
	case p.block == nil:
		p.fail(errIncompleteList)
	default:
		p.read = 0
		p.recordReader.end, p.recordReader.handle = '\n', p.stat
	}
}

// stat handles what the image's stat says about a name of the block.
func (p *listingParser) stat(line string) {
	name := path.Clean(p.block[p.read])
	entry, err := parseStat(line)
	if err == nil && (path.IsAbs(name) || name == ".." || strings.HasPrefix(name, "../")) {
		err = fmt.Errorf("the image's find says %q", name)
	}
	if err != nil {
		p.fail(err)
	}
	if name == "." {
		p.root = true
	} else {
		p.entries[name] = entry
	}
	if p.read++; p.read == len(p.block) {
		p.block = nil
		p.recordReader.end, p.recordReader.handle = 0, p.name
	}
}

// linkName handles the name of a symbolic link.
func (p *listingParser) linkName(record string) {
	switch {
	case p.block == nil && record == "end":
		p.complete = p.root
	case record != "":
		p.block = append(p.block, record)
	case p.block == nil:
		p.fail(errIncompleteList)
	default:
		p.read = 0
		p.recordReader.handle = p.link
	}
}

// link handles the target of a link.
func (p *listingParser) link(record string) {
	name := path.Clean(p.block[p.read])
	if entry := p.entries[name]; entry.kind == entryLink {
		entry.link = record
		p.entries[name] = entry
	}
	if p.read++; p.read == len(p.block) {
		p.block = nil
		p.recordReader.handle = p.linkName
	}
}

// parseStat parses mode, size and time.
func parseStat(line string) (listed, error) {
	words := strings.Fields(line)
	if len(words) != 3 {
		return listed{}, fmt.Errorf("the image's stat says %q", line)
	}
	bits, err1 := strconv.ParseUint(words[0], 16, 32)
	size, err2 := strconv.ParseInt(words[1], 10, 64)
	modified, err3 := strconv.ParseInt(words[2], 10, 64)
	if err := errors.Join(err1, err2, err3); err != nil {
		return listed{}, fmt.Errorf("the image's stat says %q: %w", line, err)
	}
	mode := modeOf(uint32(bits))
	one := listed{mode: mode.Perm(), modified: modified}
	switch {
	case mode.IsRegular():
		one.kind, one.size = entryFile, size
	case mode.IsDir():
		one.kind, one.modified = entryDirectory, 0
	case mode&fs.ModeSymlink != 0:
		one.kind = entryLink
	}
	return one, nil
}
