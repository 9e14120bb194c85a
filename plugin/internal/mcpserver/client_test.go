// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package mcpserver_test

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/mcpserver"
)

// session is a client that is connected to a server by pipes, as an agent is.
type session struct {
	*mcp.ClientSession
	t       *testing.T
	in      *io.PipeWriter // the server's input
	over    chan error     // what the server has returned
	errOut  *bytes.Buffer  // read it after the end
	updates chan string    // the progress
}

// newSession returns a server and a session that is not connected yet. The options get the defaults of the flags.
func (w *world) newSession(t *testing.T, o mcpserver.Options) (*session, *mcpserver.Server) {
	t.Helper()
	if o.Max == 0 {
		o.Max = mcpserver.DefaultMax
	}
	if o.TTL == 0 {
		o.TTL = mcpserver.DefaultTTL
	}
	if err := o.Validate(); err != nil {
		t.Fatal(err)
	}
	s := &session{t: t, over: make(chan error, 1), errOut: &bytes.Buffer{}, updates: make(chan string, 1000)}
	server, err := mcpserver.New(w.factory, o, s.errOut)
	if err != nil {
		t.Fatal(err)
	}
	return s, server
}

// start starts a server and connects a client with pipes.
func (w *world) start(t *testing.T, o mcpserver.Options) *session {
	t.Helper()
	s, server := w.newSession(t, o)
	requests, in := io.Pipe()
	answers, out := io.Pipe()
	s.in = in
	go func() {
		err := server.Run(context.WithoutCancel(t.Context()), requests, out)
		_ = out.Close() // as the end of a process does
		s.over <- err
	}()
	s.connect(&mcp.IOTransport{Reader: answers, Writer: in})
	return s
}

// startInMemory is start with the transport of the protocol's library for tests.
func (w *world) startInMemory(t *testing.T, o mcpserver.Options) *session {
	t.Helper()
	s, server := w.newSession(t, o)
	theirs, ours := mcp.NewInMemoryTransports()
	go func() { s.over <- server.Serve(context.WithoutCancel(t.Context()), theirs) }()
	s.connect(ours)
	return s
}

// connect connects the client.
func (s *session) connect(through mcp.Transport) {
	s.t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			s.updates <- r.Params.Message
		},
	})
	var err error
	if s.ClientSession, err = client.Connect(s.t.Context(), through, nil); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = s.Close() }) // it may be closed
}

// end ends the session as a client does, and returns the error of the server.
func (s *session) end() error {
	s.t.Helper()
	_ = s.Close() // the server's error matters
	return s.wait()
}

// wait waits for the end of the server.
func (s *session) wait() error {
	s.t.Helper()
	select {
	case err := <-s.over:
		return err
	case <-time.After(patience):
		s.t.Fatal("the server does not end")
		return nil
	}
}

// call calls a tool, and returns its result and the text of an error.
func (s *session) call(tool string, arguments map[string]any) (result map[string]any, text string, failed bool) {
	s.t.Helper()
	answer, err := s.CallTool(s.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return nil, err.Error(), true
	}
	var all strings.Builder
	for _, one := range answer.Content {
		if content, ok := one.(*mcp.TextContent); ok {
			all.WriteString(content.Text)
		}
	}
	result, _ = answer.StructuredContent.(map[string]any)
	return result, all.String(), answer.IsError
}

// must calls a tool that succeeds.
func (s *session) must(tool string, arguments map[string]any) map[string]any {
	s.t.Helper()
	result, text, failed := s.call(tool, arguments)
	if failed {
		s.t.Fatalf("%s %v: %s", tool, arguments, text)
	}
	return result
}

// refused calls a tool that fails with a message.
func (s *session) refused(tool string, arguments map[string]any, says string) {
	s.t.Helper()
	result, text, failed := s.call(tool, arguments)
	if !failed || !strings.Contains(text, says) {
		s.t.Errorf("%s %v: failed %v, %q, %v; want %q", tool, arguments, failed, text, result, says)
	}
}

// newBox creates a sandbox from the template python and returns its name.
func (s *session) newBox() string {
	s.t.Helper()
	name, _ := s.must("create_sandbox", map[string]any{"template": "python"})["sandbox"].(string)
	if name == "" {
		s.t.Fatal("the sandbox has no name")
	}
	return name
}
