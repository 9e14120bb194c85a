// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tunnel_test

import (
	"strings"
	"testing"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/tunnel"
)

func TestPorts(t *testing.T) {
	named := func(name string) (int32, bool) { return 8000, name == "http" }
	tests := map[string]struct {
		text string
		want tunnel.Port
		err  string // empty: valid
	}{
		"one number is both ports":                  {text: "8080", want: tunnel.Port{Local: 8080, Remote: 8080}},
		"two numbers are local and remote":          {text: "9000:8080", want: tunnel.Port{Local: 9000, Remote: 8080}},
		"nothing before the colon is any free port": {text: ":8080", want: tunnel.Port{Local: 0, Remote: 8080}},
		"0 before the colon is any free port":       {text: "0:8080", want: tunnel.Port{Local: 0, Remote: 8080}},
		"a name is a container's port":              {text: "http", want: tunnel.Port{Local: 8000, Remote: 8000}},
		"a name may have another local port":        {text: "9000:http", want: tunnel.Port{Local: 9000, Remote: 8000}},
		"a name may have any free local port":       {text: ":http", want: tunnel.Port{Local: 0, Remote: 8000}},
		"a name that no container has is refused":   {text: "nope", err: `no container has a port called "nope"`},
		"nothing is no port":                        {text: "", err: "is no port"},
		"nothing after the colon is no port":        {text: "8080:", err: "is no port"},
		"three numbers are no port":                 {text: "1:2:3", err: "is no port"},
		"the remote port is not 0":                  {text: "8080:0", err: "remote port"},
		"the remote port is at most 65535":          {text: "65536", err: "remote port"},
		"the remote port is not negative":           {text: "-1", err: "remote port"},
		"the local port is a number":                {text: "http:80", err: "local port"},
		"the local port is at most 65535":           {text: "65536:80", err: "local port"},
		"the largest port is a port":                {text: "65535", want: tunnel.Port{Local: 65535, Remote: 65535}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			ask, err := tunnel.ParsePort(test.text)
			var got tunnel.Port
			if err == nil {
				got, err = ask.Resolve(named)
			}
			switch {
			case test.err == "" && (err != nil || got != test.want):
				t.Errorf("got %v, %v, want %v", got, err, test.want)
			case test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)):
				t.Errorf("got %v, want %q", err, test.err)
			}
		})
	}
}

func TestAddresses(t *testing.T) {
	for address, valid := range map[string]bool{
		"localhost": true, "0.0.0.0": true, "::1": true, "example.com": false, "": false,
	} {
		if err := tunnel.CheckAddress(address); (err == nil) != valid {
			t.Errorf("%q: %v", address, err)
		}
	}
}
