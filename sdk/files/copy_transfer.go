// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
)

// tempPrefix is the prefix of the names of incomplete files. scripts/write_file.sh contains it too.
const tempPrefix = ".kubectl-sandbox-"

// destination is where a single file is written, on either side, first under a temporary name.
type destination interface {
	// existing returns how many bytes an earlier copy has left, and their sha256 if it can be computed.
	existing(ctx context.Context) (int64, string, error)
	// receive appends the input to the first n bytes. It returns the new size and the sha256 of the new bytes as
	// computed by the other side; -1 and empty if unknown.
	receive(ctx context.Context, n int64, in *io.PipeReader) (int64, string, error)
	// commit gives the file its name, mode and time.
	commit(ctx context.Context, about pathInfo) error
	// discard removes the temporary file, and path names it.
	discard(ctx context.Context) error
	path() string
}

// transfer copies one file. An interrupted copy leaves what has arrived for a resumed one.
func (c *Copier) transfer(ctx context.Context, from source, to destination) error {
	about := from.info()
	offset, err := c.resumeOffset(ctx, from, to)
	if err != nil {
		return err
	}
	c.progress.start(about.size, offset)
	counted := &counter{sum: sha256.New(), progress: c.progress}
	reader, writer := io.Pipe()
	type sent struct {
		sum string
		err error
	}
	result := make(chan sent, 1)
	go func() {
		buffered := newBufferedWriter(writer)
		sum, err := from.send(ctx, offset, io.MultiWriter(counted, buffered))
		if flushed := buffered.Flush(); err == nil { // data before an interruption is worth keeping
			err = flushed
		}
		writer.CloseWithError(err)
		result <- sent{sum, err}
	}()
	size, sum, err := to.receive(ctx, offset, reader)
	_ = reader.CloseWithError(errStopped)
	source := <-result
	switch {
	case source.err != nil && !errors.Is(source.err, errStopped):
		err = source.err
	case err == nil:
		err = counted.verify(offset, size, sum)
	}
	if err == nil {
		if err = counted.verifySource(offset+counted.n, about.size, source.sum); err != nil && from.changed(ctx) {
			c.warn("the file was written to while it was copied")
			err = nil
		}
	}
	if err == nil {
		err = to.commit(ctx, about)
	}
	if err != nil {
		return c.removePartial(ctx, err, to.path(), func() error { return to.discard(ctx) })
	}
	return nil
}

// resumeOffset returns how many bytes need not be sent again.
func (c *Copier) resumeOffset(ctx context.Context, from source, to destination) (int64, error) {
	size := from.info().size
	if !c.resume || size < 0 {
		return 0, nil
	}
	n, have, err := to.existing(ctx)
	if err != nil || n <= 0 || n > size {
		return 0, err
	}
	want, err := from.prefix(ctx, n)
	switch {
	case err != nil:
		return 0, err
	case have != "" && want != "" && have != want:
		c.warn("what an earlier copy left is not the beginning of the file: all is copied again")
		return 0, nil
	}
	return n, nil
}

// resumable reports whether a copy can be resumed later: the data that has arrived is correct.
func resumable(ctx context.Context, err error) bool {
	var lost *stream.LostError
	return ctx.Err() != nil || errors.As(err, &lost)
}

// counter counts data and computes its sum.
type counter struct {
	sum      hash.Hash
	n        int64
	progress *Progress
}

// Write implements io.Writer.
func (c *counter) Write(p []byte) (int, error) {
	c.n += int64(len(p))
	c.progress.add(len(p))
	return c.sum.Write(p)
}

var errDiffers = errors.New("the copy differs from the file")

// verify compares what was sent with what arrived.
func (c *counter) verify(offset, arrived int64, sum string) error {
	switch total := offset + c.n; {
	case arrived >= 0 && arrived != total:
		return fmt.Errorf("%w: %d bytes arrived of %d", errDiffers, arrived, total)
	case sum != "" && sum != sumOf(c.sum):
		return fmt.Errorf("%w: what arrived has another sha256 than what was sent", errDiffers)
	}
	return nil
}

// verifySource compares what was sent with the source's size and sum.
func (c *counter) verifySource(total, expected int64, sum string) error {
	switch {
	case expected >= 0 && total < expected:
		return fmt.Errorf("%w: it has %d of %d bytes", errDiffers, total, expected)
	case sum != "" && sum != sumOf(c.sum):
		return fmt.Errorf("%w: its sha256 is another", errDiffers)
	}
	return nil
}
