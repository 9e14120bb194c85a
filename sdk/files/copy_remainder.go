// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// remainder is what an interrupted copy of a remote directory still lacks.
type remainder struct {
	// selection names what is lacking.
	selection selection
	// names are all files that the complete copy has.
	names []string
}

// remainderOf compares both sides of what is selected, and removes local files that differ.
func (c *Copier) remainderOf(
	ctx context.Context, remote string, stage *os.Root, selected selection,
) (*remainder, error) {
	have := localSums(stage)
	found, err := c.selectedSums(ctx, remote, selected)
	if err != nil {
		return nil, err
	}
	there := selected.places(found)
	const directories, files = 0, 1
	kinds, sources, kind := map[string]int{}, map[string]string{}, directories
	err = c.runSelected(ctx, selected, compose(listTreeScript), []string{argument(remote)}, &recordReader{
		handle: func(name string) {
			if name == "" {
				kind++
				return
			}
			name = path.Clean(name)
			if placed, copied := selected.place(name, kind == directories); copied {
				kinds[placed], sources[placed] = kind, name
			}
		},
	})
	if err != nil {
		return nil, err
	}
	r, wanted := &remainder{selection: selected}, []string{}
	keep := map[string]bool{}
	for name, kind := range kinds {
		same := kind == files && have[name].sum != "" && have[name].sum == there[name].sum
		keep[name] = same || kind == directories
		if same {
			c.progress.add(int(have[name].size))
		} else {
			wanted = append(wanted, sources[name])
		}
		if kind != directories {
			r.names = append(r.names, name)
		}
	}
	slices.Sort(wanted) // a directory precedes its content
	r.selection.names = wanted
	var gone []string
	for name := range have {
		if _, found := kinds[name]; !found {
			gone = append(gone, name)
		}
	}
	c.warnEach(gone, "deleted in the sandbox since the copy was cut")
	return r, prune(stage, ".", keep)
}

// warnEach warns about each name, or only counts them if there are many.
func (c *Copier) warnEach(names []string, what string) {
	const most = 10
	slices.Sort(names)
	for _, name := range names[:min(most, len(names))] {
		c.warn(name + " was " + what)
	}
	if more := len(names) - most; more > 0 {
		c.warn(fmt.Sprintf("%d more were %s", more, what))
	}
}

// verify returns an error if an expected file is missing: not every tar reports that it could not read a file.
func (r *remainder) verify(stage *os.Root) error {
	for _, name := range r.names {
		if _, err := stage.Lstat(filepath.FromSlash(name)); err != nil {
			return fmt.Errorf("%w: %s has not come: copy again", errDiffers, name)
		}
	}
	return nil
}

// unfinished is the mode of a file until it is complete and has its time. A resumed copy ignores such files.
const unfinished = 0o200

// localSums returns the sums of the files below a directory. Files that cannot be read are copied again.
func localSums(root *os.Root) sums {
	all := sums{}
	walk(root, ".", func(name string, entry fs.DirEntry) {
		info, err := entry.Info()
		if err != nil || !info.Mode().IsRegular() || info.Mode().Perm() == unfinished {
			return
		}
		in, err := root.Open(name)
		if err != nil {
			return
		}
		defer in.Close()
		if sum, size, err := sumReader(in); err == nil {
			all[filepath.ToSlash(name)] = content{sum: sum, size: size}
		}
	})
	return all
}

// walk visits everything below a directory that can be read. Unlike package fs it supports names that are not UTF-8.
func walk(root *os.Root, dir string, visit func(name string, entry fs.DirEntry)) {
	entries, _ := readDir(root, dir)
	for _, entry := range entries {
		name := filepath.Join(dir, entry.Name())
		visit(name, entry)
		if entry.IsDir() {
			walk(root, name, visit)
		}
	}
}

// readDir lists a directory.
func readDir(root *os.Root, dir string) ([]fs.DirEntry, error) {
	in, err := root.Open(dir)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return in.ReadDir(-1)
}

// prune removes everything that is not kept.
func prune(root *os.Root, dir string, keep map[string]bool) error {
	entries, err := readDir(root, dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		name := filepath.Join(dir, entry.Name())
		switch {
		case !keep[filepath.ToSlash(name)]:
			err = root.RemoveAll(name)
		case entry.IsDir():
			err = prune(root, name, keep)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
