// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package prerequisites

import (
	"slices"
	"testing"
)

func TestMissingNamesThePackages(t *testing.T) {
	list := []requirement{{program: "ip", pkg: "iproute2"}, {file: "/usr/include/seccomp.h", pkg: "libseccomp-dev"}}
	got := missing(list, func(one requirement) bool { return one.program == "ip" })
	if !slices.Equal(got, []string{"libseccomp-dev"}) {
		t.Errorf("got %v", got)
	}
}

func TestFound(t *testing.T) {
	tests := map[string]struct {
		requirement requirement
		want        bool
	}{
		"a program on the path":         {requirement{program: "go"}, true},
		"a program that nobody has":     {requirement{program: "no-such-program"}, false},
		"a pattern that matches a file": {requirement{file: "/proc/self/sta*"}, true},
		"a pattern that matches none":   {requirement{file: "/proc/self/none*"}, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := found(test.requirement); got != test.want {
				t.Errorf("found: %v", got)
			}
		})
	}
}
