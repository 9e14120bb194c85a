// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"context"
	"io"

	corev1 "k8s.io/api/core/v1"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

const (
	defaultLines = 200
	maxLines     = 10_000
)

type logLines struct {
	targeted

	Lines    int  `json:"lines,omitempty" jsonschema:"how many of the last lines to return"`
	Previous bool `json:"previous,omitempty" jsonschema:"whether to read the logs from before the last restart"`
}

type logText struct {
	Sandbox string `json:"sandbox" jsonschema:"name of the sandbox"`
	Log     output `json:"log" jsonschema:"the lines"`
	Note    string `json:"note,omitempty" jsonschema:"what else to know"`
}

// text implements texter.
func (l logText) text() string {
	text := l.Log.Text
	if text == "" {
		text = "the log is empty\n"
	}
	if l.Log.Output != "" {
		text += "\nread_output with " + l.Log.Output + " returns all of these lines\n"
	}
	return text
}

func (r *request) logs(ctx context.Context, in logLines) (logText, error) {
	e, err := r.server.table.find(in.Sandbox)
	if err != nil {
		return logText{}, err
	}
	lines := int64(in.Lines)
	if lines < 1 {
		lines = defaultLines
	}
	stream, err := r.server.openLog(ctx, e, min(lines, maxLines), in.Previous)
	if err != nil {
		return logText{}, err
	}
	defer stream.Close()
	out := r.server.outputs.capture(nil)
	if _, err := io.Copy(out, stream); err != nil {
		out.finish()
		return logText{}, err
	}
	return logText{Sandbox: e.ref.Name, Log: out.finish(), Note: r.server.expiryNote(e)}, nil
}

// openLog requests the logs of the default container.
func (s *Server) openLog(ctx context.Context, e *entry, lines int64, previous bool) (io.ReadCloser, error) {
	clients, _, err := s.cluster.connect()
	if err != nil {
		return nil, err
	}
	t, err := clients.Resolver.Objects(ctx, clients.Namespace, e.ref)
	if err != nil {
		return nil, err
	}
	if e.own {
		if err := s.checkOwn(t); err != nil {
			return nil, err
		}
	}
	if t.Pod == nil {
		return nil, resolve.CheckRunning(t, s.factory.Clock().Now())
	}
	container, err := resolve.Container(t.Pod, "")
	if err != nil {
		return nil, err
	}
	return clients.Kubernetes.CoreV1().Pods(t.Pod.Namespace).GetLogs(t.Pod.Name, &corev1.PodLogOptions{
		Container: container, TailLines: &lines, Previous: previous,
	}).Stream(ctx)
}
