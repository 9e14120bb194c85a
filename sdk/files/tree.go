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

// uploadDirectory makes the target a copy of a local directory.
func (c *Copier) uploadDirectory(ctx context.Context, local, target string) error {
	if c.measure {
		c.progress.start(sizeBelow(local), 0)
	}
	return c.uploadTree(ctx, target, identityOf(local, target), func(archive *packer, root string, own bool) error {
		return archive.tree(local, root, own)
	})
}

// uploadTree makes the target a copy of the tree that is packed: first under another name, then, when it is complete and
// verified, under its own.
func (c *Copier) uploadTree(ctx context.Context, target, identity string, pack packFunc) error {
	seen, has, err := c.probe(ctx, false, target)
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
	if err == nil {
		err = c.runSimpleScript(ctx, merge, stage, target)
	}
	if err != nil {
		return c.removePartial(ctx, err, stage, func() error { return c.runSimpleScript(ctx, remove, stage) })
	}
	return nil
}

// packFunc fills an archive; its names begin with the root. With own, the root itself is in it.
type packFunc func(archive *packer, root string, own bool) error

func (c *Copier) runSimpleScript(ctx context.Context, script string, paths ...string) error {
	command := []string{"sh", "-c", script, "sh"}
	for _, p := range paths {
		command = append(command, argument(p))
	}
	return c.run(ctx, command, nil)
}

// resumed says what an earlier copy left in the stage; nil where the stage is to be made anew.
func (c *Copier) resumed(ctx context.Context, parent string, left partialName, has imageTools) (sums, error) {
	stage := path.Join(parent, left.name)
	if c.resume && has.sum && has.find {
		found, err := c.adoptRemote(ctx, parent, left)
		if err == nil && found {
			// Links come again, and empty directories: what is not at the source any more must not stay.
			err = c.runSimpleScript(ctx, `cd "$1" && find . ! -type d ! -type f -exec rm -f {} + && find . -depth -type d ! -name . -exec rmdir {} + 2>/dev/null; :`, stage)
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
	if have == nil { // one command for both: the start of each takes as long as hundreds of small files
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

// removeGone removes files from a stage that an earlier copy brought and that are at the source no more, and the directories that are empty then.
func (c *Copier) removeGone(ctx context.Context, stage string, have, sent sums, directories map[string]bool) error {
	const most = 200 // on one command line
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

// merge moves what is in $1 to $2. Directories that are there already stay and get the mode and time of the new ones, all
// but $2 itself; a file takes the place of a file or link. A link that leads nowhere goes first: not every mv can replace one that leads to itself.
const merge = `if [ ! -e "$2" ] && [ ! -L "$2" ]; then
  mv "$1" "$2" || exit
  [ -d "$2/${1##*/}" ] || exit 0
  set -- "$2/${1##*/}" "$2" # another copy was faster
fi
merge() {
  set -- "$1" "$2" "$3" "$(stat -c %a "$1" 2>/dev/null)" "$(stat -c %Y "$1" 2>/dev/null)"
  for f in "$1"/* "$1"/.[!.]* "$1"/..?*; do
    [ -d "$f" ] && [ ! -L "$f" ] || continue
    if [ -d "$2/${f##*/}" ] && [ ! -L "$2/${f##*/}" ]; then merge "$f" "$2/${f##*/}" inner || return 1
    elif mv -f "$f" "$2/" 2>/dev/null; then :
    elif [ -d "$2/${f##*/}" ] && [ -d "$f" ]; then merge "$f" "$2/${f##*/}" inner || return 1
    else mv -f "$f" "$2/" || return 1; fi
  done
  if command -v find >/dev/null 2>&1; then
    find "$1" -maxdepth 1 ! -type d -exec sh -c 'for f; do
      t=$0/${f##*/}
      if [ -L "$t" ] && [ ! -e "$t" ]; then rm -f "$t" || exit 1; fi
    done
    mv -f "$@" "$0/"' "$2" {} + || return 1
  else
    for f in "$1"/* "$1"/.[!.]* "$1"/..?*; do
      if [ -e "$f" ] || [ -L "$f" ]; then
        if [ -L "$2/${f##*/}" ] && [ ! -e "$2/${f##*/}" ]; then rm -f "$2/${f##*/}" || return 1; fi
        [ -d "$f" ] && [ ! -L "$f" ] || mv -f "$f" "$2/" || return 1
      fi
    done
  fi
  [ -n "$3" ] || return 0
  [ -n "$4" ] && chmod "$4" "$2"
  [ -n "$5" ] && touch -d "@$5" "$2" 2>/dev/null
  return 0
}
merge "$1" "$2" '' && rm -rf "$1"`

// sendPlain unpacks an archive in a container that has no shell, right where it belongs. Its names are whole paths, so tar makes
// the directories above the target.
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

// pack gives an archive to a command.
func (c *Copier) pack(ctx context.Context, shell bool, command []string, fill func(archive *packer) error) error {
	reader, writer := io.Pipe()
	packed := make(chan error, 1)
	go func() {
		buffered := newBufferedWriter(writer)
		archive := &packer{Writer: tar.NewWriter(buffered), buffered: buffered, warn: c.warn, progress: c.progress}
		err := fill(archive)
		if err == nil {
			err = archive.finish()
		}
		writer.CloseWithError(err)
		packed <- err
	}()
	err := c.sendInput(ctx, shell, command, reader, nil)
	_ = reader.CloseWithError(errStopped) // the packer stops if the command did before it
	if local := <-packed; local != nil && !errors.Is(local, errStopped) {
		return local
	}
	return err
}
