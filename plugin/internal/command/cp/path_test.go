// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package cp

import (
	"testing"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

func TestParse(t *testing.T) {
	remote := func(kind resolve.Kind, name, path string) side {
		return side{Remote: true, Ref: resolve.Ref{Kind: kind, Name: name}, Path: path}
	}
	local := func(path string) side { return side{Path: path} }
	tests := map[string]struct {
		text, goos string
		want       side
		refused    bool
	}{
		"a name before a colon is a sandbox":    {text: "dev:/work", want: remote("", "dev", "/work")},
		"a path in the sandbox may be relative": {text: "dev:work", want: remote("", "dev", "work")},
		"a path in the sandbox may have colons": {text: "dev:/a:b", want: remote("", "dev", "/a:b")},
		"a kind before the name says it outright": {
			text: "claim/dev:/work", want: remote(resolve.KindClaim, "dev", "/work"),
		},
		"a Pod can be named": {
			text: "pod/dev-1:/work", want: remote(resolve.KindPod, "dev-1", "/work"),
		},
		"without a colon it is local":                     {text: "main.py", want: local("main.py")},
		"a hyphen is standard input or output":            {text: "-", want: local("-")},
		"after a dot and a slash a colon is only a colon": {text: "./a:b", want: local("./a:b")},
		"after a slash a colon is only a colon":           {text: "/a:b", want: local("/a:b")},
		"a drive letter is local on Windows":              {text: `C:\work`, goos: "windows", want: local(`C:\work`)},
		"so it is with slashes":                           {text: "c:/work", goos: "windows", want: local("c:/work")},
		"elsewhere it is the name of a sandbox":           {text: "c:/work", goos: "linux", want: remote("", "c", "/work")},
		"a longer name is a sandbox on Windows too": {
			text: "dev:/work", goos: "windows", want: remote("", "dev", "/work"),
		},
		"a relative Windows path with a colon is local":  {text: `a\b:c`, goos: "windows", want: local(`a\b:c`)},
		"nothing is no path":                             {text: "", refused: true},
		"nothing after the colon is no path":             {text: "dev:", refused: true},
		"nothing before the colon is no name":            {text: ":/work", refused: true},
		"kubectl's namespace before the name is no kind": {text: "default/dev:/work", refused: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := parse(test.text, test.goos)
			if (err != nil) != test.refused || got != test.want {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}
