// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package mcpserver_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory/fake"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/mcpserver"
	"github.com/agent-sandbox/kubectl-sandbox/test/golden"
)

func TestListingNeedsNoCluster(t *testing.T) {
	tests := map[string]mcpserver.Options{
		"all": {LocalDir: t.TempDir()}, "restricted": {
			Templates: []string{"python", "node"}, Images: []string{"debian:12"}, TTL: 30 * time.Minute,
			Allow: []string{"create_sandbox", "run_command"},
		},
		"read-only": {Use: []string{"claim/dev"}, ReadOnly: true},
	}
	for name, o := range tests {
		t.Run(name, func(t *testing.T) {
			s := (&world{factory: &fake.Factory{}}).startInMemory(t, o)
			found, err := s.ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			var snapshot strings.Builder
			fmt.Fprintf(&snapshot, "%s\n", s.InitializeResult().Instructions)
			for _, tool := range found.Tools {
				tool.OutputSchema = nil // it follows from the results, which other tests check
				fmt.Fprintf(&snapshot, "%s\n", document(t, tool))
			}
			golden.Compare(t, "testdata/"+name+".txt", []byte(snapshot.String()))
			if err := s.end(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestASessionFromItsBeginningToItsEnd(t *testing.T) {
	w := newWorld(t)
	s := w.start(t, mcpserver.Options{})
	name := s.newBox()
	claim, err := w.Sandboxes.ExtensionsV1beta1().SandboxClaims("default").Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	left := time.Until(claim.Spec.Lifecycle.ShutdownTime.Time)
	if claim.Labels[apis.LabelMCPSession] == "" || left > time.Hour || left < 50*time.Minute ||
		claim.Spec.Lifecycle.ShutdownPolicy != "Delete" {
		t.Errorf("labels %v, lifecycle %+v", claim.Labels, claim.Spec.Lifecycle)
	}
	s.must("write_file", map[string]any{"path": w.dir + "/src/main.sh", "content": "echo \"6 * 7 = $((6 * 7))\"\n"})
	ran := s.must("run_command", map[string]any{"command": "sh src/main.sh; echo oops >&2; exit 3"})
	if ran["exit_code"] != 3.0 || stdout(ran) != "6 * 7 = 42\n" || ran["stderr"].(map[string]any)["text"] != "oops\n" {
		t.Errorf("got %v", ran)
	}
	read := s.must("read_file", map[string]any{"path": w.dir + "/src/main.sh", "offset": 5, "limit": 5})
	if read["content"] != "\"6 * " || read["more"] != true || read["encoding"] != "utf-8" {
		t.Errorf("got %v", read)
	}
	listed := s.must("list_files", map[string]any{"path": w.dir + "/src"})
	if entries := listed["entries"].([]any); len(entries) != 1 || entries[0].(map[string]any)["name"] != "main.sh" ||
		entries[0].(map[string]any)["type"] != "file" {
		t.Errorf("got %v", listed)
	}
	if status := s.must("sandbox_status", nil); status["state"] != "Ready" || status["sandbox"] != name {
		t.Errorf("got %v", status)
	}
	if err := s.end(); err != nil {
		t.Error(err)
	}
	if left := w.left(t); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}

func stdout(ran map[string]any) string {
	text, _ := ran["stdout"].(map[string]any)["text"].(string)
	return text
}

func TestWhatAClientThatDiesLeaves(t *testing.T) {
	busy := func(s *session) { // a call that runs until it is cancelled
		s.newBox()
		go s.call("run_command", map[string]any{"command": "echo $$ > busy; exec sleep 600"})
	}
	tests := map[string]struct {
		options mcpserver.Options
		do      func(*session, *world)
		left    int
	}{
		"nothing while a command runs": {do: func(s *session, w *world) { busy(s); w.has(s.t, "busy") }},
		"nothing while a sandbox is created": {do: func(s *session, w *world) {
			w.neverReady.Store(true)
			go s.call("create_sandbox", map[string]any{"template": "python"})
			w.eventually(s.t, "the claim", func() bool { return len(w.left(s.t)) == 1 })
		}},
		"nothing of a sandbox with an image": {
			options: mcpserver.Options{Images: []string{"debian:12"}},
			do:      func(s *session, _ *world) { s.must("create_sandbox", nil) },
		},
		"what it was told to keep, which ends by itself": {
			options: mcpserver.Options{Keep: true}, do: func(s *session, _ *world) { s.newBox() }, left: 1,
		},
		"what belongs to the user": {options: mcpserver.Options{Use: []string{"mine"}}, do: func(s *session, _ *world) {
			s.must("run_command", map[string]any{"sandbox": "mine", "command": "true"})
		}, left: 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			if len(tt.options.Use) > 0 {
				w = newWorld(t, running("mine")...)
			}
			s := w.start(t, tt.options)
			tt.do(s, w)
			_ = s.in.Close() // in the middle of what it does
			if err := s.wait(); err != nil {
				t.Error(err)
			}
			if left := w.left(t); len(left) != tt.left {
				t.Errorf("%v are left", left)
			}
			if tt.options.Keep && !strings.Contains(s.errOut.String(), "stays until") {
				t.Errorf("said %q", s.errOut)
			}
		})
	}
}

func TestWhatIsNotTheProtocolEndsTheSession(t *testing.T) {
	w := newWorld(t)
	for what, text := range map[string]string{
		"no JSON": "hello\n", "no message": "[1]\n", "half a message": `{"jsonrpc":`,
	} {
		t.Run(what, func(t *testing.T) {
			s := w.start(t, mcpserver.Options{})
			s.newBox()
			go s.call("run_command", map[string]any{"command": "exec sleep 600"})
			if _, err := io.WriteString(s.in, text); err != nil {
				t.Fatal(err)
			}
			_ = s.in.Close() // a pipe reports no error
			_ = s.wait()     // what is left matters
			if left := w.left(t); len(left) > 0 {
				t.Errorf("%v are left", left)
			}
		})
	}
}

func TestACancelledCommandIsEndedInTheSandbox(t *testing.T) {
	w := newWorld(t)
	s := w.start(t, mcpserver.Options{})
	s.newBox()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		_, _ = s.CallTool(ctx, &mcp.CallToolParams{ // it is cancelled
			Name: "run_command", Arguments: map[string]any{
				"command": "trap 'echo ended > ended' TERM; echo > busy; sleep 600 & wait",
			},
		})
	}()
	w.has(t, "busy")
	cancel()
	w.has(t, "ended")
	if ran := s.must("run_command", map[string]any{"command": "echo still there"}); stdout(ran) != "still there\n" {
		t.Errorf("got %v", ran)
	}
}

func TestACommandThatTakesTooLongIsEnded(t *testing.T) {
	w := newWorld(t)
	s := w.start(t, mcpserver.Options{})
	s.newBox()
	ran := s.must("run_command", map[string]any{
		"command": "trap 'echo ended > ended' TERM; echo begun; sleep 600 & wait", "timeout_seconds": 1,
	})
	if _, ended := ran["exit_code"]; ended || !strings.Contains(fmt.Sprint(ran["note"]), "longer than 1s") ||
		stdout(ran) != "begun\n" {
		t.Errorf("got %v", ran)
	}
	w.has(t, "ended")
}

func TestOutputIsStreamedToAClientThatAsksForIt(t *testing.T) {
	w := newWorld(t)
	s := w.start(t, mcpserver.Options{})
	s.newBox()
	params := &mcp.CallToolParams{Name: "run_command", Arguments: map[string]any{
		"command": "echo first; until [ -e go ]; do sleep 0.05; done; echo last",
	}}
	params.SetProgressToken("t")
	done := make(chan error, 1)
	go func() {
		_, err := s.CallTool(t.Context(), params)
		done <- err
	}()
	next := func() string {
		select {
		case message := <-s.updates:
			return message
		case <-time.After(patience):
			t.Fatal("there is no progress")
			return ""
		}
	}
	if got := next(); got != "first\n" {
		t.Errorf("got %q", got)
	}
	w.write(t, "go")
	if got := next(); got != "last\n" {
		t.Errorf("got %q", got)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// eventually waits until something is so.
func (w *world) eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	if err := wait.PollUntilContextTimeout(
		t.Context(), 10*time.Millisecond, patience, true, func(context.Context) (bool, error) { return is(), nil },
	); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}
