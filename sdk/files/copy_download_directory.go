// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
)

// downloadDirectory copies what is selected of a remote directory to the target: first under a temporary name, then,
// once it is complete and verified, under its own. The archive may already be arriving.
func (c *Copier) downloadDirectory(
	ctx context.Context, remote, target string, selected selection, has imageTools, archive *remoteArchive,
) error {
	if err := selected.possible(has); err != nil {
		return err
	}
	info, err := os.Stat(target)
	fresh := errors.Is(err, os.ErrNotExist)
	switch {
	case err == nil && !info.IsDir():
		return fmt.Errorf("%s is no directory here, and one in the sandbox", target)
	case err != nil && !fresh:
		return err
	}
	// The stage is on the target's file system, so that it can be renamed atomically.
	parent, place := filepath.Dir(target), filepath.Base(target)
	if !fresh {
		parent, place = target, "."
	}
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return err
	}
	root, err := os.OpenRoot(parent)
	if err != nil {
		return err
	}
	defer root.Close()
	stage := c.newLeftover(identityOf(c.container, remote, target, selected.roots))
	unpacked := &unpacker{selection: selected, ownsRoot: fresh, warn: c.warn, progress: c.progress}
	release, err := c.fillLocalStage(ctx, remote, root, stage, unpacked, has, archive)
	defer release()
	if err == nil && c.beforeMerge != nil {
		err = c.beforeMerge(ctx)
	}
	if err == nil {
		err = c.moveIntoPlace(root, stage.name, place, fresh)
	}
	if err != nil {
		return c.removePartial(
			ctx, err, filepath.Join(parent, stage.name), func() error { return root.RemoveAll(stage.name) },
		)
	}
	final, err := root.OpenRoot(place)
	if err != nil {
		return err
	}
	defer final.Close()
	return unpacked.finish(final)
}

// moveIntoPlace moves the stage to its place.
func (c *Copier) moveIntoPlace(root *os.Root, stage, place string, fresh bool) error {
	if fresh {
		err := root.Rename(stage, place)
		if !errors.Is(err, os.ErrExist) {
			return err
		} // another copy was faster
	}
	if err := mergeLocally(root, stage, place); err != nil {
		return err
	}
	return root.RemoveAll(stage)
}

// fillLocalStage fills the stage. Until release is called, no other copy adopts it.
func (c *Copier) fillLocalStage(
	ctx context.Context,
	remote string,
	root *os.Root,
	stage partialName,
	unpacked *unpacker,
	has imageTools,
	archive *remoteArchive,
) (release func(), err error) {
	release = func() {}
	resume := c.resume && has.sum && has.find && stage.adopt(root)
	if err := root.Mkdir(stage.name, 0o777); err != nil && !errors.Is(err, os.ErrExist) {
		return release, err
	}
	if held, err := lock(root, stage.name); err == nil {
		release = func() { _ = held.Close() } // it was read from
	}
	if unpacked.root, err = root.OpenRoot(stage.name); err != nil {
		return release, err
	}
	defer unpacked.root.Close()
	var rest *remainder
	switch {
	case !has.shell:
		return release, c.unpackPlain(ctx, remote, unpacked)
	case resume:
		if rest, err = c.remainderOf(ctx, remote, unpacked.root, unpacked.selection); err != nil {
			return release, err
		}
		if len(rest.selection.names) == 0 {
			return release, rest.verify(unpacked.root)
		}
		archive = c.fetchArchive(ctx, remote, rest.selection)
		defer archive.close()
	case archive == nil:
		archive = c.fetchArchive(ctx, remote, unpacked.selection)
		defer archive.close()
	}
	told, err := c.unpack(archive, unpacked.unpack)
	if err == nil {
		err = c.verify(ctx, remote, unpacked.sums, told, has)
	}
	if err == nil && rest != nil {
		err = rest.verify(unpacked.root)
	}
	return release, err
}

// unpackPlain serves images with tar but without a shell, which cannot compute sums.
func (c *Copier) unpackPlain(ctx context.Context, remote string, unpacked *unpacker) error {
	err := c.receive(ctx, []string{"tar", "-cf", "-", "-C", argument(remote), "."}, nil, unpacked.unpack)
	if stream.Missing(err) {
		return ErrNeedsTar
	}
	return err
}

// checkDiffering distinguishes files that changed while they were copied from files that were copied incorrectly.
func (c *Copier) checkDiffering(ctx context.Context, remote string, names []string, copied sums) error {
	const most = 500 // arguments of one command
	for len(names) > 0 {
		some := names[:min(most, len(names))]
		names = names[len(some):]
		paths := make([]string, 0, len(some))
		for _, name := range some {
			paths = append(paths, path.Join(remote, name))
		}
		now, _, err := c.probe(ctx, "", paths...)
		if err != nil {
			return err
		}
		for i, name := range some {
			if now[i].kind != missing && now[i].modified.Unix() == copied[name].modified.Unix() {
				return differError(some[i:])
			}
			c.warnChanged(name)
		}
	}
	return nil
}
