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
)

// UploadAll copies local files and directories into a directory of the container.
func (c *Copier) UploadAll(ctx context.Context, locals []string, directory string) error {
	sources, alone, err := c.localSources(locals)
	if err != nil {
		return err
	}
	target := remotePaths().join(directory)
	if len(sources) > 0 {
		err = c.withRetries(ctx, func() error { return c.uploadSources(ctx, sources, target) })
	}
	if errors.Is(err, ErrNeedsTar) { // files can still be copied one by one
		for _, source := range sources {
			alone = append(alone, source.path)
		}
		err = nil
	}
	for _, local := range alone {
		if err == nil {
			err = named(local, c.Upload(ctx, local, directory+"/"))
		}
	}
	return err
}

// localSource is one of several local files and directories that are copied together.
type localSource struct {
	path, name string
	info       fs.FileInfo
}

// localSources returns the sources that are not excluded: those that are copied together, and those whose content is
// copied.
func (c *Copier) localSources(locals []string) (sources []localSource, contents []string, err error) {
	names := copyNames{}
	for _, local := range locals {
		info, err := os.Stat(local)
		if err != nil {
			return nil, nil, err
		}
		name := localPaths().name(local)
		switch {
		case !info.IsDir() && !info.Mode().IsRegular():
			return nil, nil, fmt.Errorf("%s is neither a file nor a directory", local)
		case name == "":
			contents = append(contents, local)
			continue
		case c.exclude.excludes(name, info.IsDir()):
			continue
		}
		if err := names.add(name, local); err != nil {
			return nil, nil, err
		}
		sources = append(sources, localSource{path: local, name: name, info: info})
	}
	return sources, contents, nil
}

func (c *Copier) uploadSources(ctx context.Context, sources []localSource, target string) error {
	words := []any{target}
	for _, source := range sources {
		words = append(words, source.path)
		if c.measure {
			c.progress.start(sizeBelow(source.path, c.filter(source.name)), 0)
		}
	}
	return c.uploadTree(ctx, target, identityOf(words...), func(archive *packer, root string, _ bool) error {
		for _, source := range sources {
			if err := c.packSource(archive, source, path.Join(root, source.name)); err != nil {
				return named(source.path, err)
			}
		}
		return nil
	})
}

func (c *Copier) packSource(archive *packer, source localSource, name string) error {
	if !source.info.IsDir() {
		return archive.regular(&treeEntry{path: source.path, info: source.info}, name)
	}
	archive.filter = c.filter(source.name)
	return archive.tree(source.path, name, true)
}

// DownloadAll copies files and directories of the container, also those that patterns match, into a local directory.
// The only source may be the copy's own name, if it is not a pattern that matches.
func (c *Copier) DownloadAll(ctx context.Context, sources []string, directory string) error {
	return c.copyMatches(ctx, sources, directory, matchCopy{
		alone: c.Download,
		together: func(ctx context.Context, group matchGroup) error {
			target := localPaths().join(directory)
			return c.withRetries(ctx, func() error {
				selected, has, err := c.selectGroup(ctx, group)
				if err != nil {
					return err
				}
				return c.downloadDirectory(ctx, group.base, target, selected, has, nil)
			})
		},
	})
}

// RelayAll copies files and directories of this container, also those that patterns match, into a directory of another
// one.
func (c *Copier) RelayAll(ctx context.Context, sources []string, to *Copier, directory string) error {
	return c.copyMatches(ctx, sources, directory, matchCopy{
		alone: func(ctx context.Context, source, target string) error { return c.Relay(ctx, source, to, target) },
		together: func(ctx context.Context, group matchGroup) error {
			target := remotePaths().join(directory)
			return to.withRetries(ctx, func() error {
				selected, has, err := c.selectGroup(ctx, group)
				if err != nil {
					return err
				}
				return c.relayTree(ctx, group.base, selected, has, to, target)
			})
		},
	})
}

// matchCopy says how to copy one source, and several from one directory.
type matchCopy struct {
	alone    func(ctx context.Context, source, target string) error
	together func(ctx context.Context, group matchGroup) error
}

func (c *Copier) copyMatches(ctx context.Context, sources []string, directory string, by matchCopy) error {
	matches, err := c.expand(ctx, sources...)
	if err != nil {
		return err
	}
	if len(sources) == 1 && len(matches) == 1 && matches[0].path == argument(sources[0]) {
		return by.alone(ctx, sources[0], directory)
	}
	alone, groups, err := groupMatches(matches, c.exclude)
	if err != nil {
		return err
	}
	for _, group := range groups {
		err := by.together(ctx, group)
		if errors.Is(err, ErrNeedsTar) { // files can still be copied one by one
			alone = append(alone, group.paths...)
			err = nil
		}
		if err != nil {
			return err
		}
	}
	for _, source := range alone {
		if err := named(source, by.alone(ctx, source, directory+"/")); err != nil {
			return err
		}
	}
	return nil
}

// selectGroup finds out what is left out of a group.
func (c *Copier) selectGroup(ctx context.Context, group matchGroup) (selection, imageTools, error) {
	seen, has, err := c.probe(ctx, c.mountWords(), group.base)
	if err == nil && !has.tar {
		err = ErrNeedsTar
	}
	if err != nil {
		return selection{}, has, err
	}
	return c.leaveOut(selectRoots(group.roots), group.base, seen[0].mounts), has, nil
}

// named adds the source to an error.
func named(source string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", source, err)
}

// copyNames are the names of copies in one directory, with their sources.
type copyNames map[string]string

// add returns an error if another source has the name: one copy would replace the other.
func (n copyNames) add(name, source string) error {
	if other, found := n[name]; found && other != source {
		return fmt.Errorf("%s and %s would both be copied to %s: copy one of them to another directory",
			other, source, name)
	}
	n[name] = source
	return nil
}
