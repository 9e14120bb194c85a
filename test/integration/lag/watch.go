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

// event is one frame of a watch in JSON, with its type and its object's UID.
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

// delayWatch returns a body with the same events, delayed and possibly reordered.
func (p *Proxy) delayWatch(body io.ReadCloser) io.ReadCloser {
	reader, writer := io.Pipe()
	events := make(chan event)
	ended := make(chan struct{})
	go func() {
		defer close(events)
		frames := json.NewDecoder(body)
		for {
			var e event
			if frames.Decode(&e) != nil {
				return // the server may end a watch at any time
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
			batch := p.gatherBatch(events)
			if len(batch) == 0 {
				break
			}
			err = p.writeBatch(batch, writer)
		}
		_ = writer.CloseWithError(err)
	}()
	return &delayedBody{PipeReader: reader, server: body}
}

// gatherBatch waits for an event and for those that arrive during its delay. It returns none when the watch has ended.
func (p *Proxy) gatherBatch(events <-chan event) []event {
	first, open := <-events
	if !open {
		return nil
	}
	batch := []event{first}
	over := time.After(p.randomDuration(p.options.WatchDelay))
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

func (p *Proxy) writeBatch(batch []event, to io.Writer) error {
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

// reorder swaps random neighbours whose order Kubernetes does not guarantee, and returns the number of swaps.
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

// delayedBody is the delayed body. Closing it also closes the server's body.
type delayedBody struct {
	*io.PipeReader

	server io.Closer
}

func (b *delayedBody) Close() error {
	_ = b.PipeReader.Close()
	return b.server.Close()
}
