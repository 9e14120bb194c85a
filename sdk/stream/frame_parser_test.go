// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package stream

import (
	"bytes"
	"slices"
	"testing"
)

func TestPingsAreFoundWhereverThePiecesEnd(t *testing.T) {
	data := append([]byte{0, 0, 0, 3, 0, 0, 0, 5}, "hello"...)
	empty := []byte{0, 0, 0, 3, 1, 0, 0, 0}
	settings := []byte{0x80, 3, 0, 4, 0, 0, 0, 4, 0, 0, 0, 9}
	wire := slices.Concat(pingFrame(1), data, pingFrame(0x7fffffff), empty, settings, pingFrame(5), data)
	for size := 1; size <= len(wire); size++ {
		var f frameParser
		var got []uint32
		for piece := range slices.Chunk(wire, size) {
			f.parse(piece, func(number uint32) { got = append(got, number) })
		}
		if !slices.Equal(got, []uint32{1, 0x7fffffff, 5}) || !f.atBoundary() {
			t.Errorf("in pieces of %d: %v, between two frames: %t", size, got, f.atBoundary())
		}
		if f.parse(data[:len(data)-1], nil); f.atBoundary() {
			t.Errorf("in pieces of %d: a frame without its end counts as whole", size)
		}
	}
	if !bytes.Equal(pingFrame(258), []byte{0x80, 3, 0, 6, 0, 0, 0, 4, 0, 0, 1, 2}) {
		t.Errorf("%x", pingFrame(258))
	}
}
