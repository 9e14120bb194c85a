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
	"strings"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
)

// downloadDirectory makes the target a copy of a remote directory: first under another name, then, when it is complete and
// verified, under its own. The archive may be on its way already.
func (c *Copier) downloadDirectory(ctx context.Context, remote, target string, has tools, archive *arriving) error {
	info, err := os.Stat(target)
	fresh := errors.Is(err, os.ErrNotExist)
	switch {
	case err == nil && !info.IsDir():
		return fmt.Errorf("%s is no directory here, and one in the sandbox", target)
	case err != nil && !fresh:
		return err
	}
	// Where it stays within one file system: then names can be given at once.
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
	stage := mark + identityOf(c.container, remote, target)
	unpacked := &unpacker{own: fresh, warn: c.warn, progress: c.progress}
	if err := c.fillLocally(ctx, remote, root, stage, unpacked, has, archive); err != nil {
		if !resumable(ctx, err) {
			_ = root.RemoveAll(stage) // the first error matters
		}
		return err
	}
	if err := c.settle(root, stage, place, fresh); err != nil {
		return err
	}
	final, err := root.OpenRoot(place)
	if err != nil {
		return err
	}
	defer final.Close()
	return unpacked.finish(final)
}

// settle moves the stage to its place.
func (c *Copier) settle(root *os.Root, stage, place string, fresh bool) error {
	if fresh {
		return root.Rename(stage, place)
	}
	if err := mergeLocally(root, stage, place); err != nil {
		return err
	}
	return root.RemoveAll(stage)
}

func (c *Copier) fillLocally(ctx context.Context, remote string, root *os.Root, stage string, unpacked *unpacker, has tools, archive *arriving) error {
	var have sums
	if c.resume && has.sum && has.find {
		have = localSums(root, stage)
	}
	if len(have) == 0 {
		if err := root.RemoveAll(stage); err != nil {
			return err
		}
	}
	if err := root.Mkdir(stage, 0o777); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	var err error
	if unpacked.root, err = root.OpenRoot(stage); err != nil {
		return err
	}
	defer unpacked.root.Close()
	switch {
	case !has.shell:
		return c.unpackPlain(ctx, remote, unpacked)
	case len(have) > 0:
		list, err := c.rest(ctx, remote, have)
		if err != nil {
			return err
		}
		archive = c.fetch(ctx, remote, strings.NewReader(list), "--no-recursion", "-T", "-")
		defer archive.close()
	case archive == nil:
		archive = c.fetch(ctx, remote, nil, ".")
		defer archive.close()
	}
	told, err := c.unpack(archive, unpacked)
	if err != nil {
		return err
	}
	return c.verify(ctx, remote, unpacked.sums, told, has)
}

// unpackPlain serves images that have tar and no shell: nothing there can say a sum.
func (c *Copier) unpackPlain(ctx context.Context, remote string, unpacked *unpacker) error {
	err := c.receive(ctx, []string{"tar", "-cf", "-", "-C", argument(remote), "."}, nil, unpacked.all)
	if stream.Missing(err) {
		return ErrNeedsTar
	}
	return err
}

// rest is the list of what is not here yet, for tar.
func (c *Copier) rest(ctx context.Context, remote string, have sums) (string, error) {
	there, err := c.remoteSums(ctx, remote)
	if err != nil {
		return "", err
	}
	var names strings.Builder
	if err := c.run(ctx, []string{"sh", "-c", `cd "$1" && find . ! -type f`, "sh", argument(remote)}, &names); err != nil {
		return "", err
	}
	for _, name := range there.without(have) {
		names.WriteString("./" + name + "\n")
	}
	for name, same := range have {
		if there[name].sum == same.sum {
			c.progress.add(int(same.size))
		}
	}
	return names.String(), nil
}

// judge tells files that changed while they were copied from files that were copied wrongly.
func (c *Copier) judge(ctx context.Context, remote string, names []string, copied sums) error {
	const most = 500 // on one command line
	for len(names) > 0 {
		some := names[:min(most, len(names))]
		names = names[len(some):]
		paths := make([]string, 0, len(some))
		for _, name := range some {
			paths = append(paths, path.Join(remote, name))
		}
		now, _, err := c.look(ctx, false, paths...)
		if err != nil {
			return err
		}
		for i, name := range some {
			if now[i].kind != missing && now[i].modified.Unix() == copied[name].modified.Unix() {
				return differ(some[i:])
			}
			c.writtenTo(name)
		}
	}
	return nil
}

// localSums are the sums of the files below a directory.
func localSums(root *os.Root, dir string) sums {
	all := sums{}
	below, err := root.OpenRoot(dir)
	if err != nil {
		return all
	}
	defer below.Close()
	_ = fs.WalkDir(below.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() || strings.HasPrefix(entry.Name(), mark) {
			return nil // what cannot be read is copied again
		}
		in, err := below.Open(filepath.FromSlash(name))
		if err != nil {
			return nil // the same
		}
		defer in.Close()
		if sum, size, err := sumOfAll(in); err == nil {
			all[name] = content{sum: sum, size: size}
		}
		return nil
	})
	return all
}

// mergeLocally moves what is in one directory below the root into another. Directories that are there stay; a file takes
// the place of a file or link, and nothing that of a directory.
func mergeLocally(root *os.Root, from, to string) error {
	entries, err := fs.ReadDir(root.FS(), filepath.ToSlash(from))
	if err != nil {
		return err
	}
	for _, entry := range entries {
		source, target := filepath.Join(from, entry.Name()), filepath.Join(to, entry.Name())
		info, err := root.Lstat(target)
		switch {
		case err == nil && info.IsDir() && entry.IsDir():
			err = mergeLocally(root, source, target)
		case err == nil && info.IsDir():
			err = fmt.Errorf("%s is a directory here, and none in the sandbox", target)
		case err == nil && entry.IsDir():
			err = fmt.Errorf("%s is no directory here, and one in the sandbox", target)
		case err == nil || errors.Is(err, fs.ErrNotExist):
			err = root.Rename(source, target)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
