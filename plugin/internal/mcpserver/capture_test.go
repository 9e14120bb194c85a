// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCapture(t *testing.T) {
	tests := map[string]struct {
		pieces  []string
		text    string // if it is short
		omitted int64
	}{
		"nothing":            {},
		"what is short":      {pieces: []string{"a", "b\n"}, text: "ab\n"},
		"a broken character": {pieces: []string{"a\xff"}, text: `a\xff`},
		"what just fits":     {pieces: []string{strings.Repeat("x", maxInline)}, text: strings.Repeat("x", maxInline)},
		"one byte more":      {pieces: []string{strings.Repeat("x", maxInline), "y"}, omitted: 1},
		"one long piece":     {pieces: []string{strings.Repeat("x", 3*maxInline)}, omitted: 2 * maxInline},
		"many pieces":        {pieces: strings.SplitAfter(strings.Repeat("line\n", maxInline), "\n"), omitted: 4 * maxInline},
		"characters of three bytes": {
			pieces: []string{strings.Repeat("€", maxInline)}, omitted: 2*maxInline + 4,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := &spool{limit: maxSpool}
			defer s.remove()
			c := s.capture(nil)
			for _, piece := range tt.pieces {
				if n, err := c.Write([]byte(piece)); n != len(piece) || err != nil {
					t.Fatal(n, err)
				}
			}
			got := c.finish()
			if got.Omitted != tt.omitted || tt.omitted == 0 && got.Text != tt.text || !utf8.ValidString(got.Text) {
				t.Errorf("omitted %d, %d bytes of text, %q", got.Omitted, len(got.Text), got.Text[:min(len(got.Text), 100)])
			}
			if tt.omitted == 0 {
				return
			}
			whole := strings.Join(tt.pieces, "")
			kept, size, err := s.read(got.Output, 0, len(whole)+1)
			if err != nil || string(kept) != whole || size != int64(len(whole)) {
				t.Errorf("%d of %d bytes are kept, %v", len(kept), len(whole), err)
			}
		})
	}
}

func TestTheOldestOutputsMakeRoomForNewOnes(t *testing.T) {
	s := &spool{limit: 3 * maxInline}
	long := bytes.Repeat([]byte("x"), 2*maxInline)
	outputs := make([]output, 3)
	for i := range outputs {
		c := s.capture(nil)
		_, _ = c.Write(long) // it never fails
		outputs[i] = c.finish()
	}
	if _, _, err := s.read(outputs[0].Output, 0, 1); err == nil {
		t.Error("the oldest output is still there")
	}
	if kept, _, err := s.read(outputs[2].Output, 0, len(long)); err != nil || !bytes.Equal(kept, long) {
		t.Errorf("%d bytes, %v", len(kept), err)
	}
	endless := s.capture(nil)
	for range 4 {
		_, _ = endless.Write(long) // it never fails
	}
	if got := endless.finish(); got.Omitted != 7*maxInline {
		t.Errorf("got %d", got.Omitted)
	}
	directory := s.directory
	s.remove()
	if _, err := os.Stat(directory); !os.IsNotExist(err) {
		t.Errorf("the files are still there: %v", err)
	}
}

func TestContentOf(t *testing.T) {
	tests := map[string]struct {
		bytes string
		limit int
		want  content
	}{
		"a text":                        {"abc", 10, content{Content: "abc", Encoding: "utf-8", Bytes: 3}},
		"a part":                        {"abcd", 3, content{Content: "abc", Encoding: "utf-8", Bytes: 3, More: true}},
		"a character that does not fit": {"ab€x", 3, content{Content: "ab", Encoding: "utf-8", Bytes: 2, More: true}},
		"no text":                       {"\xff\xfe", 10, content{Content: "//4=", Encoding: "base64", Bytes: 2}},
		"a NUL":                         {"a\x00", 10, content{Content: "YQA=", Encoding: "base64", Bytes: 2}},
		"nothing":                       {"", 10, content{Encoding: "utf-8"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := contentOf([]byte(tt.bytes), tt.limit); got != tt.want {
				t.Errorf("got %+v", got)
			}
		})
	}
}
