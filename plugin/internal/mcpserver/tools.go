// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// The names of tools that other code refers to.
const (
	toolCreate     = "create_sandbox"
	toolExtend     = "extend_sandbox"
	toolRunCommand = "run_command"
	toolRunCode    = "run_code"
	toolReadFile   = "read_file"
	toolReadLogs   = "read_logs"
	toolReadOutput = "read_output"
)

// definition describes one tool.
type definition struct {
	name, title, description string
	// changes reports that it changes a sandbox or the machine of the user.
	changes bool
	// destroys reports that something may be lost.
	destroys bool
	// local reports that it copies from or to the machine of the user.
	local bool
	// add adds the tool to the server of a session.
	add func(*Server, *definition) error
}

// definitions returns all tools.
func definitions() []definition {
	return slices.Concat(lifecycleTools(), statusTools(), commandTools(), fileTools(), copyTools(), portTools())
}

// ToolNames returns the names of all tools.
func ToolNames() []string {
	var names []string
	for _, d := range definitions() {
		names = append(names, d.name)
	}
	return names
}

// request is a call of a tool.
type request struct {
	server *Server
	call   *mcp.CallToolRequest
}

// texter is a result whose text for the model is not its JSON document.
type texter interface{ text() string }

// tool returns the function that adds a tool to a server. limit, if it is not nil, restricts the schema of the
// arguments as the options of the session say.
func tool[In, Out any](
	do func(*request, context.Context, In) (Out, error), limit func(*Server, *jsonschema.Schema),
) func(*Server, *definition) error {
	return func(s *Server, d *definition) error {
		schema, err := jsonschema.For[In](nil)
		if err != nil {
			return err
		}
		if limit != nil {
			limit(s, schema)
		}
		mcp.AddTool(s.protocol, &mcp.Tool{
			Name: d.name, Title: d.title, Description: d.description, InputSchema: schema,
			Annotations: &mcp.ToolAnnotations{
				Title: d.title, ReadOnlyHint: !d.changes, DestructiveHint: &d.destroys, OpenWorldHint: new(true),
			},
		}, func(ctx context.Context, call *mcp.CallToolRequest, in In) (*mcp.CallToolResult, Out, error) {
			out, err := answer(ctx, &request{server: s, call: call}, in, do)
			if err != nil {
				return nil, out, err
			}
			if of, ok := any(out).(texter); ok {
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: of.text()}}}, out, nil
			}
			return nil, out, nil
		})
		return nil
	}
}

// answer calls the function of a tool for as long as the session lives.
func answer[In, Out any](
	ctx context.Context, r *request, in In, do func(*request, context.Context, In) (Out, error),
) (out Out, err error) {
	ctx, done, err := r.server.begin(ctx)
	if err != nil {
		return out, err
	}
	defer done()
	if out, err = do(r, ctx, in); err != nil {
		if errors.Is(context.Cause(ctx), errEnded) {
			err = fmt.Errorf("%w: %w", errEnded, err)
		}
		return out, r.server.cluster.explain(err)
	}
	return out, nil
}

// targeted is the argument of tools that work on one sandbox.
type targeted struct {
	Sandbox string `json:"sandbox,omitempty" jsonschema:"name of the sandbox; may be left out if the session has only one"`
}

// property returns a property of a schema, which must exist.
func property(schema *jsonschema.Schema, name string) *jsonschema.Schema {
	found := schema.Properties[name]
	if found == nil {
		panic("the schema has no property " + name) // a mistake in this package, which every test would show
	}
	return found
}

// between limits an integer argument.
func between(schema *jsonschema.Schema, name string, least, most int) {
	p := property(schema, name)
	p.Minimum, p.Maximum = new(float64(least)), new(float64(most))
}

// oneOf limits a text argument to some values.
func oneOf(schema *jsonschema.Schema, name string, values []string) {
	p := property(schema, name)
	p.Enum = make([]any, len(values))
	for i, value := range values {
		p.Enum[i] = value
	}
}

func namesOf(use map[string]resolve.Ref) string {
	return strings.Join(slices.Sorted(maps.Keys(use)), ", ")
}
