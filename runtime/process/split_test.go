// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build linux

package process

import (
	"errors"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/kballard/go-shellquote"
)

func TestCommandsAreSplitAsAShellDoes(t *testing.T) {
	t.Parallel()
	for command, want := range map[string][]string{
		`echo a  b`:                       {"echo", "a", "b"},
		"a\tb  c":                         {"a", "b", "c"},
		`echo 'a  b' "c  d" e\ f`:         {"echo", "a  b", "c  d", "e f"},
		`python3 -c "print('a\nb')"`:      {"python3", "-c", `print('a\nb')`},
		`echo "\$HOME \"x\" \\ \z"`:       {"echo", `$HOME "x" \ \z`},
		`echo '' "" x`:                    {"echo", "", "", "x"},
		`a'b'"c"\d`:                       {"abcd"},
		`echo '\'`:                        {"echo", `\`},
		"echo a\\\nb":                     {"echo", "ab"},
		`echo ä 'ö' "ü"`:                  {"echo", "ä", "ö", "ü"},
		"printf '%s' 'two\nlines'":        {"printf", "%s", "two\nlines"},
		`sh -c 'echo $HOME | wc > f; #x'`: {"sh", "-c", "echo $HOME | wc > f; #x"},
	} {
		got, err := Split(command)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v; want %q", command, got, err, want)
		}
		printed, err := exec.Command("/bin/sh", "-c", "printf '%s|' "+command).Output()
		if err != nil || string(printed) != strings.Join(want, "|")+"|" {
			t.Errorf("%q: a shell has %q, %v", command, printed, err)
		}
	}
}

func TestNothingInACommandIsExpanded(t *testing.T) {
	t.Parallel()
	command := "echo $HOME `id` $(id) *.go ~ a|b ; x && y > f # z {1,2}\nA=b"
	if got, err := Split(command); err != nil || !slices.Equal(got, strings.Fields(command)) {
		t.Errorf("%q, %v", got, err)
	}
}

func TestWhatCannotBeSplitIsSaid(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"echo 'a": "single quote", `echo "a`: "double quote", `echo \`: "backslash", `echo "a\`: "double quote",
		"": ErrEmpty.Error(), " \t\n": ErrEmpty.Error(),
	} {
		if got, err := Split(command); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %q, %v", command, got, err)
		}
	}
}

func FuzzSplit(f *testing.F) {
	for _, seed := range []string{
		"echo a b", `'a' "b" \c`, `"`, `'`, `\`, "a\x00b", "\xff\xfe", `"\$\x"`, "\\\n", "' \n'", "ä\\ö", `''''`, "$(`|;&#",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, command string) {
		words, err := Split(command)
		if err != nil {
			return
		}
		if len(words) == 0 {
			t.Fatalf("%q has no words and no error", command)
		}
		again, err := Split(shellquote.Join(words...))
		if err != nil || !slices.Equal(again, words) {
			t.Errorf("%q: %q is read as %q, %v", command, words, again, err)
		}
		if whole, err := Split("x " + command + " y"); err != nil || len(whole) != len(words)+2 {
			t.Errorf("%q: %d words become %q, %v", command, len(words), whole, err)
		}
	})
}

func TestAnEmptyCommandHasItsOwnError(t *testing.T) {
	t.Parallel()
	if _, err := Split(" "); !errors.Is(err, ErrEmpty) {
		t.Error(err)
	}
}
