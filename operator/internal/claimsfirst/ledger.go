// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claimsfirst

import (
	"container/list"
	"iter"
	"time"
)

// ledger remembers since when each key is there, in the order in which they came: what is too old is at its front. Its
// methods take constant time, apart from what removeUntil removes.
type ledger[K comparable, V any] struct {
	byKey map[K]*list.Element
	order *list.List // of *entry[K, V]
}

type entry[K comparable, V any] struct {
	key   K
	since time.Time
	value V
}

func newLedger[K comparable, V any]() ledger[K, V] {
	return ledger[K, V]{byKey: map[K]*list.Element{}, order: list.New()}
}

// add returns the entry of the key. If there is none, it adds one that is there since now.
func (l ledger[K, V]) add(key K, now time.Time) *entry[K, V] {
	if found := l.get(key); found != nil {
		return found
	}
	element := l.order.PushBack(&entry[K, V]{key: key, since: now})
	l.byKey[key] = element
	return entryOf[K, V](element)
}

// get returns the entry of the key, and nil if there is none.
func (l ledger[K, V]) get(key K) *entry[K, V] {
	if element, ok := l.byKey[key]; ok {
		return entryOf[K, V](element)
	}
	return nil
}

// all yields the value of each key, in the order in which they came.
func (l ledger[K, V]) all() iter.Seq[V] {
	return func(yield func(V) bool) {
		for element := l.order.Front(); element != nil; element = element.Next() {
			if !yield(entryOf[K, V](element).value) {
				return
			}
		}
	}
}

func (l ledger[K, V]) remove(key K) {
	if element, ok := l.byKey[key]; ok {
		l.order.Remove(element)
		delete(l.byKey, key)
	}
}

// removeUntil removes what is there since the given time or longer.
func (l ledger[K, V]) removeUntil(latest time.Time) {
	for front := l.order.Front(); front != nil; front = l.order.Front() {
		oldest := entryOf[K, V](front)
		if oldest.since.After(latest) {
			return
		}
		l.remove(oldest.key)
	}
}

// newest returns since when the last key is there, and false if there is none.
func (l ledger[K, V]) newest() (time.Time, bool) {
	back := l.order.Back()
	if back == nil {
		return time.Time{}, false
	}
	return entryOf[K, V](back).since, true
}

// entryOf returns the entry of an element. The list holds nothing else.
func entryOf[K comparable, V any](element *list.Element) *entry[K, V] {
	e, _ := element.Value.(*entry[K, V])
	return e
}
