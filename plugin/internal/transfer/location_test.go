// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package transfer

import (
	"testing"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

func TestParse(t *testing.T) {
	remote := func(kind resolve.Kind, name, path string) Location {
		place := name
		if kind != "" {
			place = string(kind) + "/" + name
		}
		return Location{Remote: true, Place: place, Ref: resolve.Ref{Kind: kind, Name: name}, Path: path}
	}
	local := func(path string) Location { return Location{Path: path} }
	tests := map[string]struct {
		text, goos string
		want       Location
		refused    bool
	}{
		"a name before a colon is a sandbox":    {text: "dev:/work", want: remote("", "dev", "/work")},
		"a path in the sandbox may be relative": {text: "dev:work", want: remote("", "dev", "work")},
		"a path in the sandbox may have colons": {text: "dev:/a:b", want: remote("", "dev", "/a:b")},
		"a kind may precede the name":           {text: "claim/dev:/work", want: remote(resolve.KindClaim, "dev", "/work")},
		"a Pod can be named": {
			text: "pod/dev-1:/work", want: remote(resolve.KindPod, "dev-1", "/work"),
		},
		"without a colon it is local":                                {text: "main.py", want: local("main.py")},
		"a hyphen is standard input or output":                       {text: "-", want: local("-")},
		"a path that begins with a dot is local, with a colon too":   {text: "./a:b", want: local("./a:b")},
		"a path that begins with a slash is local, with a colon too": {text: "/a:b", want: local("/a:b")},
		"a drive letter is local on Windows": {
			text: `C:\work`, goos: "windows", want: local(`C:\work`),
		},
		"a drive letter with slashes is local on Windows": {
			text: "c:/work", goos: "windows", want: local("c:/work"),
		},
		"a drive letter is the name of a sandbox elsewhere": {
			text: "c:/work", goos: "linux", want: remote("", "c", "/work"),
		},
		"a longer name is a sandbox on Windows too": {
			text: "dev:/work", goos: "windows", want: remote("", "dev", "/work"),
		},
		"a relative Windows path with a colon is local":       {text: `a\b:c`, goos: "windows", want: local(`a\b:c`)},
		"an empty path is refused":                            {text: "", refused: true},
		"an empty path in the sandbox is refused":             {text: "dev:", refused: true},
		"the home directory of the container's user is known": {text: "dev:~/work", want: remote("", "dev", "~/work")},
		"the home directory of another user is refused":       {text: "dev:~root/work", refused: true},
		"an empty name is refused":                            {text: ":/work", refused: true},
		"a namespace may precede the name": {
			text: "team/dev:/work",
			want: Location{Remote: true, Place: "team/dev", Namespace: "team", Ref: resolve.Ref{Name: "dev"}, Path: "/work"},
		},
		"a namespace may precede the kind": {
			text: "team/pod/dev:/work",
			want: Location{
				Remote: true, Place: "team/pod/dev", Namespace: "team",
				Ref: resolve.Ref{Kind: resolve.KindPod, Name: "dev"}, Path: "/work",
			},
		},
		"what cannot be a namespace is refused": {text: "My Dir/dev:/work", refused: true},
		"too many words are refused":            {text: "a/pod/b/c:/work", refused: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := ParseLocation(test.text, test.goos)
			if (err != nil) != test.refused || got != test.want {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}
