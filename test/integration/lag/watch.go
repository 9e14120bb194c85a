// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package lag

import (
	"encoding/json"
	"io"
	"math/rand/v2"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

// event is one frame of a watch in JSON, and what of it matters here.
type event struct {
	raw  json.RawMessage
	kind watch.EventType
	uid  types.UID
}

func (e *event) UnmarshalJSON(raw []byte) error {
	var frame struct {
		Type   watch.EventType              `json:"type"`
		Object metav1.PartialObjectMetadata `json:"object"`
	}
	if err := json.Unmarshal(raw, &frame); err != nil {
		return err
	}
	*e = event{raw: append(json.RawMessage(nil), raw...), kind: frame.Type, uid: frame.Object.UID}
	return nil
}

// late returns a body with the same events, later.
func (p *Proxy) late(body io.ReadCloser) io.ReadCloser {
	reader, writer := io.Pipe()
	events := make(chan event)
	ended := make(chan struct{})
	go func() {
		defer close(events)
		frames := json.NewDecoder(body)
		for {
			var e event
			if frames.Decode(&e) != nil {
				return // the server ends a watch when it likes
			}
			select {
			case events <- e:
			case <-ended:
				return
			}
		}
	}()
	go func() {
		defer close(ended)
		var err error
		for err == nil {
			batch := p.gather(events)
			if len(batch) == 0 {
				break
			}
			err = p.show(batch, writer)
		}
		_ = writer.CloseWithError(err)
	}()
	return &lateBody{PipeReader: reader, server: body}
}

// gather waits for an event, and then for those that come while it is held back. None: the watch has ended.
func (p *Proxy) gather(events <-chan event) []event {
	first, open := <-events
	if !open {
		return nil
	}
	batch := []event{first}
	over := time.After(p.within(p.options.Watch))
	for {
		select {
		case e, open := <-events:
			if !open {
				return batch
			}
			batch = append(batch, e)
		case <-over:
			return batch
		}
	}
}

func (p *Proxy) show(batch []event, to io.Writer) error {
	moved := 0
	if p.options.Reorder {
		p.mu.Lock()
		moved = reorder(p.random, batch)
		p.mu.Unlock()
	}
	p.count(func(c *Counts) {
		c.Delayed += len(batch)
		c.Reordered += moved
	})
	for _, e := range batch {
		if _, err := to.Write(append(e.raw, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// reorder swaps neighbours at random, several times over, where their order is no promise, and returns how often it did.
func reorder(random *rand.Rand, batch []event) int {
	const rounds = 4
	moved := 0
	for range rounds {
		for i := 1; i < len(batch); i++ {
			a, b := batch[i-1], batch[i]
			free := a.uid != "" && b.uid != "" && a.uid != b.uid && a.kind != watch.Bookmark && b.kind != watch.Bookmark
			if free && random.IntN(2) == 0 {
				batch[i-1], batch[i] = b, a
				moved++
			}
		}
	}
	return moved
}

// lateBody is closed on both sides.
type lateBody struct {
	*io.PipeReader

	server io.Closer
}

func (b *lateBody) Close() error {
	_ = b.PipeReader.Close()
	return b.server.Close()
}
