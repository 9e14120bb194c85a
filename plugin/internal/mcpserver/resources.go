// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"context"
	"errors"
	"io"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The schemes of resources.
const (
	fileScheme   = "sandbox-file"
	logScheme    = "sandbox-log"
	outputScheme = "sandbox-output"
)

// maxResource is how large a resource may be.
const maxResource = 4 << 20

// addResources adds what clients can read without a tool. Each belongs to a tool, and is offered with it.
func (s *Server) addResources() {
	add := func(tool string, template *mcp.ResourceTemplate, read func(context.Context, *url.URL) ([]byte, error)) {
		if s.options.offersTool(tool) {
			s.protocol.AddResourceTemplate(template, s.resource(read))
		}
	}
	add(toolReadFile, &mcp.ResourceTemplate{
		Name: "sandbox file", Description: "A file of a sandbox of this session.",
		URITemplate: fileScheme + "://{sandbox}/{+path}",
	}, s.fileResource)
	add(toolReadLogs, &mcp.ResourceTemplate{
		Name: "sandbox log", Description: "The last lines that the main process of a sandbox has printed.",
		URITemplate: logScheme + "://{sandbox}", MIMEType: "text/plain",
	}, s.logResource)
	add(toolReadOutput, &mcp.ResourceTemplate{
		Name: "command output", Description: "An output that was too long for a result.",
		URITemplate: outputScheme + "://{output}",
	}, s.outputResource)
	for _, e := range s.table.all() {
		s.addLog(e.ref.Name)
	}
}

// resource returns the handler of a kind of resources. A resource that is no text is binary.
func (s *Server) resource(read func(context.Context, *url.URL) ([]byte, error)) mcp.ResourceHandler {
	return func(ctx context.Context, call *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		ctx, done, err := s.begin(ctx)
		if err != nil {
			return nil, err
		}
		defer done()
		uri, err := url.Parse(call.Params.URI)
		if err != nil {
			return nil, mcp.ResourceNotFoundError(call.Params.URI)
		}
		bytes, err := read(ctx, uri)
		if err != nil {
			return nil, s.cluster.explain(err)
		}
		contents := &mcp.ResourceContents{URI: call.Params.URI}
		if utf8.Valid(bytes) && !strings.Contains(string(bytes), "\x00") {
			contents.Text, contents.MIMEType = string(bytes), "text/plain"
		} else {
			contents.Blob, contents.MIMEType = bytes, "application/octet-stream"
		}
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{contents}}, nil
	}
}

var errTooLarge = errors.New("it is too large for a resource: read it in parts with the tools read_file or read_output")

func whole(bytes []byte, err error) ([]byte, error) {
	if err == nil && len(bytes) > maxResource {
		return nil, errTooLarge
	}
	return bytes, err
}

func (s *Server) fileResource(ctx context.Context, uri *url.URL) ([]byte, error) {
	e, err := s.table.named(uri.Host)
	if err != nil {
		return nil, err
	}
	return whole((&request{server: s}).readPart(ctx, e, uri.Path, 0, maxResource+1))
}

func (s *Server) logResource(ctx context.Context, uri *url.URL) ([]byte, error) {
	e, err := s.table.named(uri.Host)
	if err != nil {
		return nil, err
	}
	stream, err := s.openLog(ctx, e, defaultLines, false)
	if err != nil {
		return nil, err
	}
	defer stream.Close()
	return whole(io.ReadAll(io.LimitReader(stream, maxResource+1)))
}

func (s *Server) outputResource(_ context.Context, uri *url.URL) ([]byte, error) {
	bytes, _, err := s.outputs.read(uri.Host, 0, maxResource+1)
	return whole(bytes, err)
}

// addLog lists the log of a sandbox among the resources.
func (s *Server) addLog(name string) {
	if s.options.offersTool(toolReadLogs) {
		s.protocol.AddResource(&mcp.Resource{
			URI: logScheme + "://" + name, Name: "log of " + name, MIMEType: "text/plain",
		}, s.resource(s.logResource))
	}
}

func (s *Server) removeLog(name string) { s.protocol.RemoveResources(logScheme + "://" + name) }
