// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
)

// uploadDirectory copies a local directory to the target.
func (c *Copier) uploadDirectory(ctx context.Context, local, target string) error {
	if c.measure {
		c.progress.start(sizeBelow(local, c.filter(".")), 0)
	}
	return c.uploadTree(ctx, target, identityOf(local, target), func(archive *packer, root string, own bool) error {
		return archive.tree(local, root, own)
	})
}

// uploadTree copies a packed tree to the target: first under a temporary name, then, once it is complete and verified,
// under its own.
func (c *Copier) uploadTree(ctx context.Context, target, identity string, pack packFunc) error {
	seen, has, err := c.probe(ctx, "", target)
	if err != nil {
		return err
	}
	at := seen[0].kind
	if at == file || at == device {
		return fmt.Errorf("%s is a file in the sandbox: a directory cannot take its place", target)
	}
	if !has.shell {
		err := c.sendPlain(ctx, target, func(archive *packer, root string) error {
			return pack(archive, root, at != directory && root != ".")
		})
		if stream.Missing(err) {
			return ErrNeedsTar
		}
		return err
	}
	if !has.tar {
		return ErrNeedsTar
	}
	parent := path.Dir(target)
	if at == directory {
		parent = target
	}
	left := c.newLeftover(identity)
	stage := path.Join(parent, left.name)
	have, err := c.resumed(ctx, parent, left, has)
	if err == nil {
		err = c.fillStage(ctx, stage, has, have, pack)
	}
	if err == nil && c.beforeMerge != nil {
		err = c.beforeMerge(ctx)
	}
	if err == nil {
		err = c.runSimpleScript(ctx, compose(mergeScript), stage, target)
	}
	if err != nil {
		return c.removePartial(ctx, err, stage, func() error { return c.runSimpleScript(ctx, compose(removeScript), stage) })
	}
	return nil
}

// filter returns what decides about entries of local trees, whose names it puts below the prefix.
func (c *Copier) filter(prefix string) treeFilter {
	admit := func(name string, isDir bool) bool { return !c.exclude.excludes(name, isDir) }
	return treeFilter{admit: admit, prefix: prefix, allFilesystems: c.allFilesystems}
}

// packFunc fills an archive whose names begin with root. With own, the archive contains the root itself.
type packFunc func(archive *packer, root string, own bool) error

func (c *Copier) runSimpleScript(ctx context.Context, script string, paths ...string) error {
	command := []string{"sh", "-c", script, "sh"}
	for _, p := range paths {
		command = append(command, argument(p))
	}
	return c.run(ctx, command, nil)
}

// resumed returns what an earlier copy has left in the stage; nil if the stage must be created.
func (c *Copier) resumed(ctx context.Context, parent string, left partialName, has imageTools) (sums, error) {
	stage := path.Join(parent, left.name)
	if c.resume && has.sum && has.find {
		found, err := c.adoptRemote(ctx, parent, left)
		if err == nil && found {
			// Links and empty directories are copied again: those that the source no longer has must not stay.
			err = c.runSimpleScript(ctx, compose(cleanStageScript), stage)
		}
		if err != nil {
			return nil, err
		}
		if found {
			return c.remoteSums(ctx, stage)
		}
	}
	return nil, nil
}

func (c *Copier) fillStage(ctx context.Context, stage string, has imageTools, have sums, pack packFunc) error {
	sent, directories := sums{}, map[string]bool{}
	command := []string{"tar", "-xpof", "-", "-C", argument(stage)}
	if have == nil { // one command for both: starting it takes as long as copying hundreds of small files
		command = []string{"sh", "-c", `rm -rf "$1" && mkdir -p "$1" && exec tar -xpof - -C "$1"`, "sh", argument(stage)}
	}
	err := c.pack(ctx, true, command, func(archive *packer) error {
		archive.existing, archive.sums, archive.directories = have, sent, directories
		return pack(archive, ".", true)
	})
	if err != nil || !has.sum || !has.find {
		return err
	}
	arrived, err := c.remoteSums(ctx, stage)
	if err != nil {
		return err
	}
	if wrong := sent.without(arrived); len(wrong) > 0 {
		return differError(wrong)
	}
	return c.removeGone(ctx, stage, have, sent, directories)
}

// removeGone removes from the stage the files of an earlier copy that the source no longer has, and directories that
// become empty.
func (c *Copier) removeGone(ctx context.Context, stage string, have, sent sums, directories map[string]bool) error {
	const most = 200 // arguments of one command
	var names, parents []string
	for name := range have {
		if _, found := sent[name]; found {
			continue
		}
		names = append(names, name)
		for dir := path.Dir(name); dir != "." && !directories[dir]; dir = path.Dir(dir) {
			parents = append(parents, "./"+dir)
		}
	}
	c.warnEach(names, "deleted at the source since the copy was cut")
	slices.Sort(parents)
	parents = slices.Compact(parents)
	slices.Reverse(parents) // the innermost first
	for i := range names {
		names[i] = "./" + names[i]
	}
	for some := range slices.Chunk(names, most) {
		if err := c.runSimpleScript(ctx, `cd "$1" && shift && rm -f "$@"`, append([]string{stage}, some...)...); err != nil {
			return err
		}
	}
	for some := range slices.Chunk(parents, most) {
		if err := c.runSimpleScript(ctx, `cd "$1" && shift && rmdir "$@"`, append([]string{stage}, some...)...); err != nil {
			return err
		}
	}
	return nil
}

// sendPlain unpacks an archive in a container without a shell, directly at the target. Its names are complete paths, so
// tar creates the directories above the target.
func (c *Copier) sendPlain(ctx context.Context, target string, fill func(archive *packer, root string) error) error {
	command := []string{"tar", "-xpof", "-"}
	root := path.Clean(target)
	if path.IsAbs(root) {
		command = append(command, "-C", "/")
		root = strings.TrimPrefix(root, "/")
	}
	if root == ".." || strings.HasPrefix(root, "../") {
		return fmt.Errorf("%s leads out of the working directory: give an absolute path", target)
	}
	return c.pack(ctx, false, command, func(archive *packer) error { return fill(archive, root) })
}

// pack sends an archive to the input of a command.
func (c *Copier) pack(ctx context.Context, shell bool, command []string, fill func(archive *packer) error) error {
	reader, writer := io.Pipe()
	packed := make(chan error, 1)
	go func() {
		buffered := newBufferedWriter(writer)
		archive := &packer{
			Writer: tar.NewWriter(buffered), buffered: buffered, warn: c.warn, progress: c.progress, filter: c.filter("."),
		}
		err := fill(archive)
		c.warnMounts(archive.mounts)
		if err == nil {
			err = archive.finish()
		}
		writer.CloseWithError(err)
		packed <- err
	}()
	err := c.sendInput(ctx, shell, command, reader, nil)
	_ = reader.CloseWithError(errStopped) // ends the packer if the command has ended first
	if local := <-packed; local != nil && !errors.Is(local, errStopped) {
		return local
	}
	return err
}
