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

// archiveMarker is the line before an archive.
const archiveMarker = "archive\n"

// remoteArchive is the output of a remote command that writes an archive. The caller must close it.
type remoteArchive struct {
	in     *bufio.Reader
	reader *io.PipeReader
	cancel context.CancelFunc
	done   chan struct{}
	err    error // of the command; valid once done is closed
}

// startSelected runs a script that works on a selection.
func (c *Copier) startSelected(ctx context.Context, s selection, script string, words ...string) *remoteArchive {
	ctx, cancel := context.WithCancel(ctx)
	reader, writer := io.Pipe()
	a := &remoteArchive{
		in: bufio.NewReaderSize(reader, bufferSize), reader: reader, cancel: cancel, done: make(chan struct{}),
	}
	go func() {
		defer close(a.done)
		a.err = c.runSelected(ctx, s, script, words, writer)
		_ = writer.CloseWithError(readerError(a.err))
	}()
	return a
}

// close ends the command if it is still running. It may be called repeatedly, and on nil.
func (a *remoteArchive) close() {
	if a == nil {
		return
	}
	a.cancel()
	_ = a.reader.CloseWithError(errStopped)
	<-a.done
}

// open probes a remote path, and starts its archive at once if it is a directory to be copied from the start: most of
// the time of a small copy is spent on starting commands in the container.
func (c *Copier) open(ctx context.Context, remote string) (pathInfo, imageTools, *remoteArchive, error) {
	if c.resume {
		seen, has, err := c.probe(ctx, c.sourceWords(), remote)
		if err != nil {
			return pathInfo{}, imageTools{}, nil, err
		}
		return seen[0], has, nil, nil
	}
	a := c.startSelected(
		ctx, selection{exclude: c.exclude}, compose(mountsScript, probeScript, packing(), packProbedScript),
		c.sourceWords(), argument(remote),
	)
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
		seen = []pathInfo{{size: -1}} // as probe does
	}
	return seen[0], has, a, nil
}

// fetchArchive starts the archive of what is selected of a remote directory.
func (c *Copier) fetchArchive(ctx context.Context, remote string, selected selection) *remoteArchive {
	script := packing()
	if selected.names != nil {
		script += compose(packListScript)
	}
	return c.startSelected(ctx, selected, script+compose(packTreeScript), argument(remote))
}

// until returns the lines before a given line, and whether that line exists.
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

// unpack unpacks what arrives, one archive or several, and compares the sum of all.
func (c *Copier) unpack(a *remoteArchive, unpack func(*tar.Reader) error) (reportedSums, error) {
	sum := sha256.New()
	var said reportedSums
	var local error
	for more := true; more && local == nil; {
		if a.atMarker() {
			_, local = io.CopyN(sum, a.in, int64(len(archiveMarker)))
		}
		if local == nil {
			local = unpack(tar.NewReader(io.TeeReader(a.in, sum)))
		}
		if local == nil {
			said, more, local = a.trailer(sum)
		}
	}
	if local == nil && said.archive != "" && said.archive != sumOf(sum) {
		local = fmt.Errorf("%w: its archive arrived with another sha256 than it was sent with: copy again", errDiffers)
	}
	_ = a.reader.CloseWithError(local)
	<-a.done
	return said, c.copyError(a.err, local)
}

// atMarker reports whether the line before an archive comes next.
func (a *remoteArchive) atMarker() bool {
	next, _ := a.in.Peek(len(archiveMarker)) // an error comes back when the archive is read
	return string(next) == archiveMarker
}

// trailer reads what follows the archive's padding, which is part of the archive and consists of zeros: another
// archive, which it leaves, or sums.
func (a *remoteArchive) trailer(archive hash.Hash) (said reportedSums, more bool, err error) {
	for padding := 0; ; padding++ {
		b, err := a.in.ReadByte()
		if errors.Is(err, io.EOF) {
			return reportedSums{}, false, nil
		}
		if err != nil {
			return reportedSums{}, false, err
		}
		if padding > maxPadding {
			return reportedSums{}, false, errDataAfterArchive
		}
		if b == 0 {
			_, _ = archive.Write([]byte{0}) // it never fails
			continue
		}
		if err := a.in.UnreadByte(); err != nil {
			return reportedSums{}, false, err
		}
		break
	}
	if a.atMarker() {
		return reportedSums{}, true, nil
	}
	tellings := newSumParser()
	_, err = io.Copy(tellings, a.in)
	return tellings.reported, false, err
}

// verify compares what arrived with the sums that the other side reported.
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
