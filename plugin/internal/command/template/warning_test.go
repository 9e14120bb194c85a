// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package template_test

import (
	"strings"
	"testing"

	"github.com/agent-sandbox/kubectl-sandbox/test/fakecluster"
)

func TestATemplateWithoutAMemoryLimitIsCreatedWithOneWarning(t *testing.T) {
	const said = "Warning: Template t sets no memory limit: unless a LimitRange of the namespace does, its programs " +
		"can use up the memory of the node; "
	tests := map[string]struct{ line, want string }{
		"from an image":              {"create t --image x", said + "--memory sets one\n"},
		"from an image with a limit": {"create t --image x --memory 1Gi", ""},
		"from a file":                {"create t -f -", said + "resources.limits.memory sets one\n"},
		"of which only a dry run is made on the client": {"create t --image x --dry-run=client", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, errOut, err := run(t, fakecluster.New(), strings.ReplaceAll(file, "NAME", "t"), tt.line)
			if err != nil || errOut != tt.want {
				t.Errorf("%v, %q", err, errOut)
			}
		})
	}
}
