// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package follow

import (
	"strings"
	"testing"
)

func TestEachLineIsWrittenOnceAcrossRequests(t *testing.T) {
	const one, same, two = "2026-01-02T03:04:05.1Z one\n", "2026-01-02T03:04:05.1Z same\n", "2026-01-02T03:04:05.2Z two\n"
	long := "2026-01-02T03:04:05.3Z " + strings.Repeat("x", 200_000) + "\n"
	tests := map[string]struct {
		requests []string
		want     string
	}{
		"one request is written without its times":        {[]string{one + two}, "one\ntwo\n"},
		"a request that repeats everything adds nothing":  {[]string{one + two, one + two}, "one\ntwo\n"},
		"lines of one time are counted":                   {[]string{one, one + same + two}, "one\nsame\ntwo\n"},
		"lines of one time are not written twice":         {[]string{one + same, one + same + two}, "one\nsame\ntwo\n"},
		"a line that was cut is completed":                {[]string{two[:25], two}, "two\n"},
		"a long line that was cut is completed":           {[]string{long[:100_000], long}, long[23:]},
		"a line that never ends is not repeated":          {[]string{strings.TrimSpace(two), strings.TrimSpace(two)}, "two"},
		"a line that ends only later gets its end":        {[]string{strings.TrimSpace(two), two}, "two\n"},
		"a cut line among those of its time is completed": {[]string{one + same[:24], one + same}, "one\nsame\n"},
		"a time that was cut is not written":              {[]string{one + two[:10], one + two}, "one\ntwo\n"},
		"a line without a time is written":                {[]string{"nothing\n"}, "nothing\n"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			l := &lines{out: &out}
			for _, request := range tt.requests {
				l.repeat()
				if err := l.copy(strings.NewReader(request)); err != nil {
					t.Fatal(err)
				}
			}
			if out.String() != tt.want {
				t.Errorf("got %.80q, want %.80q", out.String(), tt.want)
			}
		})
	}
}
