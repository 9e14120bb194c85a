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
	"hash"
	"io"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
)

// taps defines whether the image can take a sum from what passes.
const taps = `can() { command -v "$1" >/dev/null 2>&1; }
taps() { can sha256sum && can tee && [ "$({ echo x | tee /dev/fd/3 >/dev/null; } 3>&1 2>/dev/null)" = x ]; }
`

// pack defines what writes the archive of a directory $1, of what the other words tell tar to put into it. The archive's own sum
// follows it, taken from what passes, and the sums of the files that were written to since. Where the image cannot take a
// sum from what passes, the sums of all files follow. The kernel dates the directory of a process in /proc by its first
// use; all that needs to be seen of it is that files are newer.
const pack = taps + summed + `since=
[ -e /proc/$$/stat ] && since="-newer /proc/$$"
tarred() { tar -cf - -C "$d" "$@"; }
pack() {
  d=$1; shift
  if taps; then
    exec 4>&1
    told=$({ { { tarred "$@"; echo "$?" >&5; } | tee /dev/fd/3 >&4; } 3>&1 | sha256sum; } 5>&1)
    echo "$told"
    code=${told%%[!0-9]*}
  else
    since=
    tarred "$@"
    code=$?
  fi
  if can sha256sum && can find; then (cd "$d" && summed $since) 2>/dev/null; fi
  exit "${code:-1}"
}
`

// archiveMarker is the line before an archive.
const archiveMarker = "archive\n"

// remoteArchive is a remote command whose output has an archive. It is to be closed.
type remoteArchive struct {
	in     *bufio.Reader
	reader *io.PipeReader
	cancel context.CancelFunc
	done   chan struct{}
	err    error // how the command ended: valid when ended is closed
}

func (c *Copier) startArchive(ctx context.Context, input, script string, words ...string) *remoteArchive {
	ctx, cancel := context.WithCancel(ctx)
	reader, writer := io.Pipe()
	a := &remoteArchive{in: bufio.NewReaderSize(reader, bufferSize), reader: reader, cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(a.done)
		a.err = c.runScriptWithInput(ctx, input, script, words, writer, &stderrTail{})
		_ = writer.CloseWithError(readerError(a.err))
	}()
	return a
}

// close ends the command, if it has not ended. It may be called more than once, and on nil.
func (a *remoteArchive) close() {
	if a == nil {
		return
	}
	a.cancel()
	_ = a.reader.CloseWithError(errStopped)
	<-a.done
}

// open looks at a remote path, and if it is a directory that is copied from its beginning, lets its archive come: what costs
// most of the time of a small copy is to start a command in a container.
func (c *Copier) open(ctx context.Context, remote string) (pathInfo, imageTools, *remoteArchive, error) {
	if c.resume {
		seen, has, err := c.probe(ctx, true, remote)
		if err != nil {
			return pathInfo{}, imageTools{}, nil, err
		}
		return seen[0], has, nil, nil
	}
	script := look + "\n" + pack + `
[ -d "$p" ] && can tar || exit 0
echo archive
pack "$p" .`
	a := c.startArchive(ctx, "", script, c.measureWord(true), argument(remote))
	said, found, err := a.until(archiveMarker)
	if !found {
		a.close()
		if err == nil {
			err = a.err
		}
		a = nil
	}
	if stream.Missing(err) {
		seen, err := c.probeWithoutShell(ctx, remote)
		if err != nil {
			return pathInfo{}, imageTools{}, nil, err
		}
		return seen[0], imageTools{}, nil, nil
	}
	if err != nil {
		return pathInfo{}, imageTools{}, nil, err
	}
	seen, has := parseProbe(said)
	if len(seen) == 0 {
		seen = []pathInfo{{size: -1}} // as look does
	}
	return seen[0], has, a, nil
}

// fetchArchive lets the archive of a remote directory come.
func (c *Copier) fetchArchive(ctx context.Context, remote string) *remoteArchive {
	return c.startArchive(ctx, "", tended+pack+`pack "$1" .`, argument(remote))
}

// until returns the lines before a line, and whether there is that one.
func (a *remoteArchive) until(last string) (string, bool, error) {
	var said limitedOutput
	for {
		line, err := a.in.ReadSlice('\n')
		if err == nil && string(line) == last {
			return said.String(), true, nil
		}
		_, over := said.Write(line)
		switch {
		case over != nil:
			return "", false, over
		case errors.Is(err, io.EOF):
			<-a.done
			return said.String(), false, nil
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return "", false, err
		}
	}
}

// unpack writes what arrives. The archive is what was sent when its sum is the same.
func (c *Copier) unpack(a *remoteArchive, to *unpacker) (reportedSums, error) {
	sum := sha256.New()
	local := to.unpack(tar.NewReader(io.TeeReader(a.in, sum)))
	var said reportedSums
	if local == nil {
		said, local = a.trailer(sum)
	}
	if local == nil && said.archive != "" && said.archive != sumOf(sum) {
		local = fmt.Errorf("%w: its archive arrived with another sha256 than it was sent with: copy again", errDiffers)
	}
	_ = a.reader.CloseWithError(local)
	<-a.done
	return said, c.copyError(a.err, local)
}

// trailer reads what follows the padding of an archive, which belongs to the archive and has no other bytes than zeros.
func (a *remoteArchive) trailer(archive hash.Hash) (reportedSums, error) {
	for padding := 0; ; padding++ {
		b, err := a.in.ReadByte()
		if errors.Is(err, io.EOF) {
			return reportedSums{}, nil
		}
		if err != nil {
			return reportedSums{}, err
		}
		if padding > maxPadding {
			return reportedSums{}, errDataAfterArchive
		}
		if b == 0 {
			_, _ = archive.Write([]byte{0}) // it never fails
			continue
		}
		if err := a.in.UnreadByte(); err != nil {
			return reportedSums{}, err
		}
		break
	}
	tellings := newSumParser()
	_, err := io.Copy(tellings, a.in)
	return tellings.reported, err
}

// verify compares what arrived with what the other side told.
func (c *Copier) verify(ctx context.Context, remote string, copied sums, said reportedSums, has imageTools) error {
	if said.archive == "" {
		if !has.sum || !has.find {
			return nil
		}
		return c.checkDiffering(ctx, remote, copied.without(said.files), copied)
	}
	for _, name := range said.files.without(copied) {
		if _, found := copied[name]; found {
			c.warnChanged(name)
		}
	}
	return nil
}

func (c *Copier) warnChanged(name string) { c.warn(name + " was written to while it was copied") }
