// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"archive/tar"
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// packer writes files to an archive that every tar can read.
type packer struct {
	*tar.Writer
	warn     func(string)
	progress *Progress
	// filter decides what of a tree is added.
	filter treeFilter
	// existing files are on the other side already: equal ones are left out.
	existing sums
	// sums and directories are recorded if they are not nil.
	sums        sums
	directories map[string]bool

	mounts   []string // directories of other file systems that were left out
	buffered *bufio.Writer
	links    map[fileID]string // the first name of each file that has several
}

// newBufferedWriter collects small writes, of which archives have many.
func newBufferedWriter(w io.Writer) *bufio.Writer { return bufio.NewWriterSize(w, bufferSize) }

func (p *packer) finish() error {
	if err := p.Close(); err != nil {
		return err
	}
	if p.buffered == nil {
		return nil
	}
	return p.buffered.Flush()
}

// tree adds the content of a directory below root, and with own the directory itself. If local is a symbolic link, it
// is followed; links below it are copied as links. Small files are read ahead.
func (p *packer) tree(local, root string, own bool) error {
	local, err := filepath.EvalSymlinks(local)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ahead := startReadAhead(ctx, local, p.filter)
	for item := range ahead.entries {
		if item.relative == "." && !own {
			continue
		}
		err := p.entry(item, path.Join(root, filepath.ToSlash(item.relative)))
		if errors.Is(err, fs.ErrNotExist) {
			p.warn(item.path + " was removed while its directory was copied")
			continue
		}
		if err != nil {
			return err
		}
	}
	for _, gone := range ahead.gone {
		p.warn(gone + " was removed while its directory was copied")
	}
	p.mounts = append(p.mounts, ahead.mounts...)
	return ahead.err
}

func (p *packer) entry(item *treeEntry, name string) error {
	switch info := item.info; {
	case info.Mode().IsRegular():
		return p.regular(item, name)
	case info.IsDir():
		p.recordDirectory(name)
		return p.header(name+"/", "", info)
	case info.Mode()&fs.ModeSymlink != 0:
		link, err := os.Readlink(item.path)
		if err != nil {
			return err
		}
		return p.header(name, filepath.ToSlash(link), info)
	}
	p.warn(fmt.Sprintf("%s is skipped: it is neither a file, a directory nor a symbolic link", item.path))
	return nil
}

func (p *packer) regular(item *treeEntry, name string) error {
	if id, several := hardLinkID(item.info); several {
		if first, found := p.links[id]; found {
			return p.hardLink(name, first, item.info)
		}
		if p.links == nil {
			p.links = map[fileID]string{}
		}
		p.links[id] = name
	}
	in, err := item.open()
	if err != nil {
		return err
	}
	defer in.Close()
	return p.content(name, item.path, item.info, in)
}

func (p *packer) hardLink(name, first string, info fs.FileInfo) error {
	h, err := plainHeader(info, "")
	if err != nil {
		return err
	}
	h.Name, h.Typeflag, h.Linkname, h.Size = name, tar.TypeLink, first, 0
	p.recordLink(name, first)
	return p.WriteHeader(h)
}

// file adds one local file.
func (p *packer) file(local, name string, info fs.FileInfo) error {
	in, err := os.Open(local)
	if err != nil {
		return err
	}
	defer in.Close()
	return p.content(name, local, info, in)
}

func (p *packer) content(name, local string, info fs.FileInfo, in io.ReadSeeker) error {
	below := strings.TrimPrefix(name, "./")
	if kept, err := p.alreadyThere(below, in); kept || err != nil {
		return err
	}
	if err := p.header(name, "", info); err != nil {
		return err
	}
	sum := sha256.New()
	to := io.Writer(p)
	if p.sums != nil {
		to = io.MultiWriter(p, sum)
	}
	to = writerOnly{io.MultiWriter(to, p.progress)}
	n, err := io.CopyBuffer(to, io.LimitReader(in, info.Size()), make([]byte, min(bufferSize, info.Size()+1)))
	if err == nil && n < info.Size() {
		// The header already has the size: the missing bytes are replaced with zeros, as tar does.
		p.warn(local + " became shorter while it was copied")
		_, err = io.CopyN(to, zeros{}, info.Size()-n)
	} else if more, _ := in.Read(make([]byte, 1)); err == nil && more > 0 {
		p.warn(local + " became longer while it was copied")
	}
	if err != nil {
		return fmt.Errorf("read %s, which had %d bytes: %w", local, info.Size(), err)
	}
	if p.sums != nil {
		p.sums[below] = content{sum: sumOf(sum)}
	}
	return nil
}

// zeros is an endless stream of zeros.
type zeros struct{}

// Read implements io.Reader.
func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func (p *packer) recordDirectory(name string) {
	if p.directories != nil {
		p.directories[path.Clean(name)] = true
	}
}

// recordLink records another name of a file.
func (p *packer) recordLink(name, first string) {
	if sum, found := p.sums[path.Clean(first)]; found {
		p.sums[path.Clean(name)] = sum
	}
}

// alreadyThere reports whether the other side has the same file. Reading it is cheaper than sending it.
func (p *packer) alreadyThere(below string, in io.ReadSeeker) (bool, error) {
	had, found := p.existing[below]
	if !found {
		return false, nil
	}
	sum := sha256.New()
	n, err := io.Copy(sum, in)
	if err != nil {
		return false, err
	}
	if sumOf(sum) == had.sum {
		p.progress.add(int(n))
		p.sums[below] = had
		return true, nil
	}
	_, err = in.Seek(0, io.SeekStart)
	return false, err
}

func (p *packer) header(name, link string, info fs.FileInfo) error {
	h, err := plainHeader(info, link)
	if err != nil {
		return err
	}
	h.Name = name
	return p.WriteHeader(h)
}

// plainHeader omits what is meaningful only on this machine (owners), and times that old formats cannot represent.
func plainHeader(info fs.FileInfo, link string) (*tar.Header, error) {
	h, err := tar.FileInfoHeader(info, link)
	if err != nil {
		return nil, err
	}
	h.Uid, h.Gid, h.Uname, h.Gname = 0, 0, "", ""
	h.ModTime = info.ModTime().Truncate(time.Second)
	h.AccessTime, h.ChangeTime = time.Time{}, time.Time{}
	h.Format = tar.FormatGNU
	return h, nil
}
