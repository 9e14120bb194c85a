// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package logs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
)

const (
	// maxFollowed is how many sandboxes are followed at the same time: each is a connection to the API server.
	maxFollowed = 50
	// maxBuffered is how much of a line is kept until its end arrives. A longer line is split.
	maxBuffered = 256 << 10
)

// several prints the logs of the sandboxes: one after the other, or with --follow at the same time. One that fails does
// not stop the others.
func (o *Options) several(
	ctx context.Context, f factory.Factory, a *factory.Clients, objects []cli.Selected, streams genericiooptions.IOStreams,
) error {
	if o.Follow && len(objects) > maxFollowed {
		return fmt.Errorf("%d sandboxes are selected, and --follow is limited to %d: select fewer", len(objects), maxFollowed)
	}
	errs := make([]error, len(objects))
	var outLock sync.Mutex
	var running sync.WaitGroup
	for i, object := range objects {
		show := func() {
			lines := &prefixedLines{lock: &outLock, out: streams.Out, prefix: o.prefix(object)}
			own := streams
			own.Out = lines
			errs[i] = errors.Join(o.one(ctx, f, a, object, own), lines.flush())
		}
		if o.Follow {
			running.Go(show)
		} else if ctx.Err() == nil {
			show()
		}
	}
	running.Wait()
	return errors.Join(errs...)
}

// prefix returns what begins each line of a sandbox.
func (o *Options) prefix(object cli.Selected) []byte {
	name := object.Ref.String()
	if o.Selection.AllNamespaces {
		name = object.Namespace + "/" + name
	}
	if o.NoPrefix {
		return nil
	}
	return []byte("[" + printable.Line(name) + "] ")
}

// prefixedLines passes on whole lines, each with the prefix, so that those of several sandboxes do not mix.
type prefixedLines struct {
	lock   *sync.Mutex // of out
	out    io.Writer
	prefix []byte
	begun  []byte // a line whose end has not arrived
}

// Write implements io.Writer.
func (p *prefixedLines) Write(data []byte) (int, error) {
	p.begun = append(p.begun, data...)
	end := bytes.LastIndexByte(p.begun, '\n') + 1
	if end == 0 && len(p.begun) < maxBuffered {
		return len(data), nil
	}
	if end == 0 {
		return len(data), p.flush()
	}
	err := p.print(p.begun[:end])
	p.begun = append(p.begun[:0], p.begun[end:]...)
	return len(data), err
}

// flush ends and prints a line that has begun.
func (p *prefixedLines) flush() error {
	if len(p.begun) == 0 {
		return nil
	}
	err := p.print(append(p.begun, '\n'))
	p.begun = p.begun[:0]
	return err
}

// print prints whole lines at once.
func (p *prefixedLines) print(lines []byte) error {
	var text bytes.Buffer
	for line := range bytes.Lines(lines) {
		text.Write(p.prefix)
		text.Write(line)
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	_, err := text.WriteTo(p.out)
	return err
}
