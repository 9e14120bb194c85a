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

func (c *Copier) startArchive(ctx context.Context, input, script string, words ...string) *remoteArchive {
	ctx, cancel := context.WithCancel(ctx)
	reader, writer := io.Pipe()
	a := &remoteArchive{
		in: bufio.NewReaderSize(reader, bufferSize), reader: reader, cancel: cancel, done: make(chan struct{}),
	}
	go func() {
		defer close(a.done)
		a.err = c.runScriptWithInput(ctx, input, script, words, writer, &stderrTail{})
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
		seen, has, err := c.probe(ctx, true, remote)
		if err != nil {
			return pathInfo{}, imageTools{}, nil, err
		}
		return seen[0], has, nil, nil
	}
	script := compose(watchdogScript, probeScript, packing(), packProbedScript)
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
		seen = []pathInfo{{size: -1}} // as probe does
	}
	return seen[0], has, a, nil
}

// fetchArchive starts the archive of a remote directory.
func (c *Copier) fetchArchive(ctx context.Context, remote string) *remoteArchive {
	return c.startArchive(ctx, "", compose(watchdogScript, packing(), packTreeScript), argument(remote))
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

// unpack unpacks what arrives and compares the sum of the archive.
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

// trailer reads what follows the archive's padding, which is part of the archive and consists of zeros.
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
