// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package terminal

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestEscape(t *testing.T) {
	tests := map[string]struct {
		typed, want string
		leaves      bool
	}{
		"Enter, tilde, dot leaves":                   {"ls\r~.rest", "ls\r", true},
		"so it does after a line feed":               {"ls\n~.", "ls\n", true},
		"so it does before anything else":            {"~.", "", true},
		"a tilde within a line is a tilde":           {"ls ~.\r", "ls ~.\r", false},
		"a tilde before another letter is a tilde":   {"\r~/bin\r", "\r~/bin\r", false},
		"two tildes are one":                         {"\r~~.", "\r~.", false},
		"a tilde before Enter is a tilde":            {"\r~\r", "\r~\r", false},
		"and the line after it may begin the escape": {"\r~\r~.", "\r~\r", true},
		"a tilde at the end of the input is kept":    {"\r~", "\r~", false},
		"Ctrl-P, Ctrl-C and all other bytes pass":    {"\x10\x11\x03\x04\x00\xff", "\x10\x11\x03\x04\x00\xff", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			for way, in := range map[string]io.Reader{
				"at once": strings.NewReader(tt.typed), "byte by byte": iotest.OneByteReader(strings.NewReader(tt.typed)),
				"with the end": iotest.DataErrReader(strings.NewReader(tt.typed)),
			} {
				leaves := false
				got, err := io.ReadAll(&escape{in: in, leave: func() { leaves = true }})
				if err != nil || string(got) != tt.want || leaves != tt.leaves {
					t.Errorf("%s: got %q, %v, leaves %v", way, got, err, leaves)
				}
			}
		})
	}
}

func TestEscapePassesOnWhyTheInputEnded(t *testing.T) {
	broken := errors.New("broken")
	if _, err := io.ReadAll(&escape{in: iotest.ErrReader(broken), leave: func() {}}); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}
