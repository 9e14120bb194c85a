// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

func TestWhatIsSaidOfEachSteersNoTerminalAndErrorsKeepTheirOrder(t *testing.T) {
	var out strings.Builder
	refs := []resolve.Ref{{Name: "a"}, {Name: "b"}, {Name: "c"}, {Name: "silent"}}
	err := cli.ForEach(&out, refs, func(ref resolve.Ref) (string, error) {
		switch ref.Name {
		case "b":
			return ref.Name + " \x1b]0;owned\x07\u202e\u009b2J", nil
		case "silent":
			return "", nil
		}
		return "", errors.New(ref.Name + " failed")
	})
	if err == nil || err.Error() != "a failed\nc failed" {
		t.Errorf("errors: %v", err)
	}
	if said := out.String(); strings.Count(said, "\n") != 1 || !strings.Contains(said, "owned") ||
		strings.ContainsAny(said, "\x1b\x07\u202e\u009b") {
		t.Errorf("said %q", said)
	}
}

func TestWhatIsDeletedAfterItWasSelectedIsNoFailure(t *testing.T) {
	gone, notServed := &resolve.Error{Cause: resolve.NotFound}, &resolve.Error{Cause: resolve.NotInstalled}
	for name, tt := range map[string]struct {
		options cli.SelectionOptions
		err     error
		want    bool
	}{
		"selected by a label":            {cli.SelectionOptions{Selector: "team=research"}, gone, true},
		"named":                          {cli.SelectionOptions{Names: []string{"dev"}}, gone, false},
		"selected, but it is not served": {cli.SelectionOptions{All: true}, notServed, false},
		"selected and there":             {cli.SelectionOptions{All: true}, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			if err := tt.options.Validate(); err != nil {
				t.Fatal(err)
			}
			if got := tt.options.Vanished(tt.err); got != tt.want {
				t.Errorf("got %v", got)
			}
		})
	}
}
