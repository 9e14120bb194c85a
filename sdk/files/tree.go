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
	"strings"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
)

// uploadDirectory makes the target a copy of a local directory.
func (c *Copier) uploadDirectory(ctx context.Context, local, target string) error {
	if c.progress != nil {
		c.progress.start(sizeBelow(local), 0)
	}
	return c.landTree(ctx, target, identityOf(local, target), func(archive *packer, root string, own bool) error {
		return archive.tree(local, root, own)
	})
}

// landTree makes the target a copy of the tree that is packed: first under another name, then, when it is complete and
// verified, under its own.
func (c *Copier) landTree(ctx context.Context, target, identity string, pack packing) error {
	seen, has, err := c.look(ctx, false, target)
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
	stage := path.Join(path.Dir(target), mark+identity)
	if at == directory {
		stage = path.Join(target, mark+identity)
	}
	have, err := c.prepare(ctx, stage, has)
	if err == nil {
		err = c.fillStage(ctx, stage, has, have, pack)
	}
	if err != nil {
		if !resumable(ctx, err) {
			_ = c.script(ctx, `rm -rf "$1"`, stage) // the first error matters
		}
		return err
	}
	return c.script(ctx, merge, stage, target)
}

// packing fills an archive; its names begin with the root. With own, the root itself is in it.
type packing func(archive *packer, root string, own bool) error

func (c *Copier) script(ctx context.Context, script string, paths ...string) error {
	command := []string{"sh", "-c", script, "sh"}
	for _, p := range paths {
		command = append(command, argument(p))
	}
	return c.run(ctx, command, nil)
}

// prepare makes the stage, and says what an earlier copy left in it.
func (c *Copier) prepare(ctx context.Context, stage string, has tools) (sums, error) {
	if c.resume && has.sum && has.find {
		have, err := c.remoteSums(ctx, stage)
		if err != nil || len(have) > 0 {
			return have, err
		}
	}
	return nil, c.script(ctx, `rm -rf "$1" && mkdir -p "$1"`, stage)
}

func (c *Copier) fillStage(ctx context.Context, stage string, has tools, have sums, pack packing) error {
	sent := sums{}
	err := c.pack(ctx, true, []string{"tar", "-xpof", "-", "-C", argument(stage)}, func(archive *packer) error {
		archive.have, archive.sums = have, sent
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
		return differ(wrong)
	}
	return nil
}

// merge moves what is in $1 to $2. Directories that are there already stay and get the mode and time of the new ones, all
// but $2 itself; a file takes the place of a file or link.
const merge = `if [ ! -e "$2" ] && [ ! -L "$2" ]; then mv "$1" "$2"; exit; fi
merge() {
  set -- "$1" "$2" "$3" "$(stat -c %a "$1" 2>/dev/null)" "$(stat -c %Y "$1" 2>/dev/null)"
  for f in "$1"/* "$1"/.[!.]* "$1"/..?*; do
    [ -d "$f" ] && [ ! -L "$f" ] || continue
    if [ -d "$2/${f##*/}" ] && [ ! -L "$2/${f##*/}" ]; then merge "$f" "$2/${f##*/}" inner || return 1
    else mv -f "$f" "$2/" || return 1; fi
  done
  if command -v find >/dev/null 2>&1; then
    find "$1" -maxdepth 1 ! -type d -exec sh -c 'mv -f "$@" "$0/"' "$2" {} + || return 1
  else
    for f in "$1"/* "$1"/.[!.]* "$1"/..?*; do
      if [ -e "$f" ] || [ -L "$f" ]; then [ -d "$f" ] && [ ! -L "$f" ] || mv -f "$f" "$2/" || return 1; fi
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
		buffered := bulky(writer)
		archive := &packer{Writer: tar.NewWriter(buffered), buffered: buffered, warn: c.warn, progress: c.progress}
		err := fill(archive)
		if err == nil {
			err = archive.finish()
		}
		writer.CloseWithError(err)
		packed <- err
	}()
	err := c.feed(ctx, shell, command, reader, nil)
	_ = reader.CloseWithError(errStopped) // the packer stops if the command did before it
	if local := <-packed; local != nil && !errors.Is(local, errStopped) {
		return local
	}
	return err
}
