// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agent-sandbox/kubectl-sandbox/test/e2e/harness"
)

func TestAPoolThatCannotBeFilledNamesItsTemplateAndTheCause(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.CreateAll(h.NewTemplate("gone"), h.NewPool("full", "gone", 1))
	h.Must("template", "create", "broken", "--image", "localhost/none:v1")
	h.Must("pool", "create", "never", "--template", "broken", "--replicas", "2")
	h.Must("create", "dev", "--template", "broken", "--pool", "none")
	h.FullPool("full")
	h.MustKubectl("delete", "sandboxtemplate/gone")
	says := func(words []string, command ...string) {
		t.Helper()
		h.Eventually(strings.Join(command, " "), func() error {
			out := h.Plugin(command...).Stdout
			for _, word := range words {
				if !strings.Contains(out, word) {
					return fmt.Errorf("it does not say %q:\n%s", word, out)
				}
			}
			return nil
		})
	}
	says([]string{"template gone does not exist: what is claimed is not replaced",
		`template broken: cannot pull image "localhost/none:v1"`, "(2 not ready)"},
		"pool", "list")
	says([]string{"create the template", "template create gone"}, "pool", "describe", "full")
	says([]string{"Blocked", "correct the image in template broken", "kubectl edit sandboxtemplate broken"}, "pool",
		"describe", "never")
	says([]string{"dev: Blocked", "image localhost/none:v1 of template broken cannot be pulled",
		"correct the image in template broken"},
		"status", "dev")
	says([]string{"correct the image in template broken"}, "describe", "dev")
	says([]string{"template/broken", "Blocked", "cannot be pulled"}, "tree", "dev")
	says([]string{"Blocked", "of template broken"}, "list", "dev", "-o", "wide")
}
