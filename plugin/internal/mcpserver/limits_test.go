// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package mcpserver_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/mcpserver"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

func TestTheNumberOfSandboxesIsLimited(t *testing.T) {
	w := newWorld(t)
	s := w.start(t, mcpserver.Options{Max: 2})
	first := s.newBox()
	s.newBox()
	s.refused("create_sandbox", map[string]any{"template": "python"}, "2 sandboxes at once")
	s.must("delete_sandbox", map[string]any{"sandbox": first})
	second := s.newBox()
	s.refused("create_sandbox", map[string]any{"template": "python"}, "2 sandboxes at once")
	// Its time is over.
	if err := w.Sandboxes.ExtensionsV1beta1().SandboxClaims("default").Delete(
		t.Context(), second, metav1.DeleteOptions{},
	); err != nil {
		t.Fatal(err)
	}
	w.eventually(t, "the end of its Sandbox", func() bool {
		_, err := w.Sandboxes.AgentsV1beta1().Sandboxes("default").Get(t.Context(), second, metav1.GetOptions{})
		return err != nil
	})
	s.newBox()
}

func TestSandboxesThatCannotBeReadyTakeNoPlace(t *testing.T) {
	w := newWorld(t)
	s := w.start(t, mcpserver.Options{Max: 1})
	s.refused("create_sandbox", map[string]any{"template": "python", "name": "Not_A_Name"}, "cannot be the name")
	w.neverReady.Store(true)
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan struct{})
	go func() {
		defer close(over)
		_, _ = s.CallTool(ctx, &mcp.CallToolParams{ // it is cancelled
			Name: "create_sandbox", Arguments: map[string]any{"template": "python"},
		})
	}()
	w.eventually(t, "the claim", func() bool { return len(w.left(t)) == 1 })
	cancel()
	<-over
	w.eventually(t, "the deletion", func() bool { return len(w.left(t)) == 0 })
	w.neverReady.Store(false)
	w.eventually(t, "the place", func() bool {
		_, _, failed := s.call("create_sandbox", map[string]any{"template": "python"})
		return !failed
	})
}

func TestALifeIsExtendedToTheLimitAndNeverShortened(t *testing.T) {
	w := newWorld(t)
	s := w.start(t, mcpserver.Options{TTL: 20 * time.Minute})
	made := s.must("create_sandbox", map[string]any{"template": "python", "minutes": 5})
	name := fmt.Sprint(made["sandbox"])
	end := func() time.Time {
		claim, err := w.Sandboxes.ExtensionsV1beta1().SandboxClaims("default").Get(t.Context(), name, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return claim.Spec.Lifecycle.ShutdownTime.Time
	}
	if left := time.Until(end()); left > 5*time.Minute {
		t.Errorf("%s are left", left)
	}
	if ran := s.must("run_command", map[string]any{"command": "true"}); !strings.Contains(
		fmt.Sprint(ran["note"]), "extend_sandbox",
	) {
		t.Errorf("there is no warning: %v", ran)
	}
	s.must("extend_sandbox", nil)
	before := end()
	if left := time.Until(before); left > 20*time.Minute || left < 18*time.Minute {
		t.Errorf("%s are left", left)
	}
	s.must("extend_sandbox", map[string]any{"minutes": 1})
	if after := end(); after.Before(before) {
		t.Errorf("the end moved from %s to %s", before, after)
	}
	s.refused("extend_sandbox", map[string]any{"minutes": 21}, "maximum")
	s.refused("create_sandbox", map[string]any{"template": "python", "minutes": 21}, "maximum")
}

func TestSuspendAndResume(t *testing.T) {
	w := newWorld(t)
	s := w.start(t, mcpserver.Options{})
	s.newBox()
	if got := s.must("suspend_sandbox", nil); got["state"] != "suspended" {
		t.Errorf("got %v", got)
	}
	s.refused("run_command", map[string]any{"command": "true"}, "suspended")
	if got := s.must("resume_sandbox", nil); got["state"] != "ready" {
		t.Errorf("got %v", got)
	}
	s.must("run_command", map[string]any{"command": "true"})
}

func TestWhatSandboxesCanBeCreatedFromIsListed(t *testing.T) {
	template := builders.Template("python")
	pool := builders.Pool("warm", "python")
	s := newWorld(t, template, builders.Template("secret"), pool).start(
		t, mcpserver.Options{Templates: []string{"python"}},
	)
	found := s.must("list_templates", nil)
	if all, _ := found["templates"].([]any); !slices.Equal(all, []any{"python"}) || found["pools"] != nil {
		t.Errorf("got %v", found)
	}
	s = newWorld(t, template, pool).start(t, mcpserver.Options{})
	found = s.must("list_templates", nil)
	if pools, _ := found["pools"].([]any); len(pools) != 1 || pools[0].(map[string]any)["template"] != "python" {
		t.Errorf("got %v", found)
	}
}
