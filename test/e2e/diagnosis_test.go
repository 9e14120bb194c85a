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
	whole := h.Plugin("describe", "dev").Stdout
	if strings.Count(whole, "failed to pull and unpack image") > 1 {
		t.Errorf("describe shows the runtime's error more than once:\n%s", whole)
	}
	if brief := h.Plugin("status", "dev").Stdout; strings.Contains(brief, "failed to pull and unpack image") {
		t.Errorf("status shows the whole error of the runtime:\n%s", brief)
	}

	h.MustKubectl("patch", "sandboxtemplate/broken", "--type=json", "-p",
		`[{"op": "replace", "path": "/spec/podTemplate/spec/containers/0/image", "value": "`+harness.ImageShell+`"}]`)
	says([]string{"template broken was changed after it was made"}, "status", "dev")
	h.MustKubectl("delete", "sandboxtemplate/broken")
	says([]string{"template broken does not exist: create it", "template create broken --image IMAGE"}, "status", "dev")
	h.Must("create", "late", "--template", "broken", "--pool", "none")
	says([]string{"late: Blocked", "template broken does not exist: create it"}, "status", "late")
	if out := h.Plugin("status", "late").Stdout; strings.Contains(out, "delete late") {
		t.Errorf("the remedy deletes the claim:\n%s", out)
	}
}
