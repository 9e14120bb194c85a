// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/sdk"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

func lifecycleTools() []definition {
	return []definition{
		{
			name: toolCreate, title: "Create a sandbox", changes: true,
			description: "Create a sandbox and wait until it is ready. A sandbox is an isolated Linux container with its own " +
				"file system. Claims of a template or a pool usually take less than a second, new ones take longer.",
			add: tool((*request).create, limitCreation),
		},
		{
			name: "suspend_sandbox", title: "Suspend a sandbox", changes: true, destroys: true,
			description: "Stop a sandbox that this session created. Its processes end and files outside of volumes are lost; " +
				"volumes, name and settings stay.",
			add: tool((*request).suspend, nil),
		},
		{
			name: "resume_sandbox", title: "Resume a sandbox", changes: true,
			description: "Start a suspended sandbox that this session created again, and wait until it is ready.",
			add:         tool((*request).resume, nil),
		},
		{
			name: toolExtend, title: "Extend the life of a sandbox", changes: true,
			description: "Let a sandbox that this session created live longer. Its time is counted from now and never becomes " +
				"shorter.",
			add: tool((*request).extend, func(s *Server, schema *jsonschema.Schema) { s.limitMinutes(schema) }),
		},
		{
			name: "delete_sandbox", title: "Delete a sandbox", changes: true, destroys: true,
			description: "Delete a sandbox that this session created, with everything in it.",
			add:         tool((*request).remove, nil),
		},
	}
}

type creation struct {
	Name     string            `json:"name,omitempty" jsonschema:"name of the new sandbox; generated if it is left out"`
	Template string            `json:"template,omitempty" jsonschema:"template to create it from"`
	Pool     string            `json:"pool,omitempty" jsonschema:"pool of warm sandboxes to take it from"`
	Image    string            `json:"image,omitempty" jsonschema:"container image to create it from"`
	Env      map[string]string `json:"env,omitempty" jsonschema:"environment variables; a sandbox with them is a new one"`
	Minutes  int               `json:"minutes,omitempty" jsonschema:"after how many minutes it is deleted"`
}

type created struct {
	Sandbox string   `json:"sandbox" jsonschema:"name of the sandbox"`
	From    string   `json:"from" jsonschema:"what it was created from"`
	Ends    string   `json:"ends" jsonschema:"when it is deleted, unless it is extended"`
	Remarks []string `json:"remarks,omitempty" jsonschema:"what the cluster could not do as asked"`
}

// limitCreation limits what sandboxes may be created from.
func limitCreation(s *Server, schema *jsonschema.Schema) {
	o := &s.options
	s.limitMinutes(schema)
	for name, values := range map[string][]string{"template": o.Templates, "pool": o.Pools, "image": o.Images} {
		if len(values) > 0 {
			oneOf(schema, name, values)
		} else if o.restricted() || name == "image" {
			delete(schema.Properties, name)
			schema.PropertyOrder = slices.DeleteFunc(schema.PropertyOrder, func(p string) bool { return p == name })
		}
	}
}

func (s *Server) limitMinutes(schema *jsonschema.Schema) {
	between(schema, "minutes", 1, int(s.options.TTL/time.Minute))
	property(schema, "minutes").Description += fmt.Sprintf("; at most, and by default, %d", int(s.options.TTL/time.Minute))
}

// lifetime returns how long a sandbox may live from now. The schema has limited the argument.
func (s *Server) lifetime(minutes int) time.Duration {
	if minutes == 0 {
		return s.options.TTL
	}
	return min(time.Duration(minutes)*time.Minute, s.options.TTL)
}

// source returns the Spec for what the sandbox is created from: what the agent says or, if it says nothing, the first
// source that the user has permitted.
func (s *Server) source(in *creation) (spec sdk.Spec, from string, err error) {
	given, all := 0, [...]struct {
		kind, value string
		permitted   []string
		field       *string
	}{
		{"template", in.Template, s.options.Templates, &spec.Template},
		{"pool", in.Pool, s.options.Pools, &spec.Pool},
		{"image", in.Image, s.options.Images, &spec.Image},
	}
	for _, one := range all {
		if one.value == "" {
			continue
		}
		given++
		free := !s.options.restricted() && one.kind != "image"
		if !free && !slices.Contains(one.permitted, one.value) {
			return spec, "", fmt.Errorf("this session may not create sandboxes from %s %s", one.kind, quote(one.value))
		}
		*one.field, from = one.value, one.kind+"/"+one.value
	}
	for _, one := range all {
		if given == 0 && from == "" && len(one.permitted) > 0 {
			*one.field, from = one.permitted[0], one.kind+"/"+one.permitted[0]
		}
	}
	switch {
	case given > 1:
		return spec, "", errors.New("give only one of template, pool and image")
	case from == "":
		return spec, "", errors.New("say which template or pool to create the sandbox from: list_templates lists them")
	}
	if spec.Image != "" {
		spec.Command = []string{"sleep", "infinity"}
	}
	return spec, from, nil
}

func (r *request) create(ctx context.Context, in creation) (created, error) {
	s := r.server
	spec, from, err := s.source(&in)
	if err != nil {
		return created{}, err
	}
	if spec.Name, err = sandboxName(in.Name); err != nil {
		return created{}, err
	}
	spec.Env, spec.TTL = in.Env, s.lifetime(in.Minutes)
	spec.Labels = map[string]string{apis.LabelMCPSession: s.identity}
	_, client, err := s.cluster.connect()
	if err != nil {
		return created{}, err
	}
	if err := s.table.reserve(ctx, client, spec.Name); err != nil {
		return created{}, err
	}
	progress := r.progress()
	stop := s.cluster.waiting.listen(spec.Name, progress)
	// The clock of the cluster decides; this is the time that is requested.
	ends := s.factory.Clock().Now().Add(spec.TTL).Truncate(time.Second)
	box, err := client.Create(ctx, spec)
	stop()
	progress.finish()
	if err != nil {
		if !errors.Is(err, sdk.ErrOrphaned) { // what may still exist keeps its place
			s.table.release()
		}
		return created{}, err
	}
	ref := resolve.Ref{Kind: resolve.KindClaim, Name: spec.Name}
	if spec.Image != "" {
		ref.Kind = resolve.KindSandbox
	}
	s.table.add(&entry{ref: ref, own: true, from: from, box: box, ends: ends})
	s.addLog(spec.Name)
	return created{Sandbox: spec.Name, From: from, Ends: timestamp(ends), Remarks: box.Remarks()}, nil
}

// suffixLength is the number of random characters in a generated name.
const suffixLength = 5

// sandboxName checks a name, or generates one. Names are also labels, so that they are valid for all kinds.
func sandboxName(name string) (string, error) {
	if name == "" {
		return "mcp-" + rand.String(suffixLength), nil
	}
	if problems := validation.IsDNS1123Label(name); len(problems) > 0 {
		return "", fmt.Errorf("%s cannot be the name of a sandbox: %s", quote(name), strings.Join(problems, "; "))
	}
	return name, nil
}

// minutes returns a duration for people.
func minutes(d time.Duration) string { return fmt.Sprintf("%d minutes", int(d/time.Minute)) }

func timestamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// own returns the entry of a sandbox that the session created.
func (s *Server) own(name string) (*entry, error) {
	e, err := s.table.find(name)
	if err == nil && !e.own {
		err = fmt.Errorf("sandbox %s was not created by this session, which may only work in it", e.ref.Name)
	}
	return e, err
}

// state is the result of tools that change the state of a sandbox.
type state struct {
	Sandbox string `json:"sandbox" jsonschema:"name of the sandbox"`
	State   string `json:"state" jsonschema:"its state now"`
	Ends    string `json:"ends,omitempty" jsonschema:"when it is deleted, unless it is extended"`
}

func (r *request) suspend(ctx context.Context, in targeted) (state, error) {
	return r.change(ctx, in, "suspended", (*sdk.Sandbox).Suspend)
}

func (r *request) resume(ctx context.Context, in targeted) (state, error) {
	return r.change(ctx, in, "ready", (*sdk.Sandbox).Resume)
}

func (r *request) change(
	ctx context.Context, in targeted, to string, change func(*sdk.Sandbox, context.Context) error,
) (state, error) {
	e, err := r.server.own(in.Sandbox)
	if err != nil {
		return state{}, err
	}
	progress := r.progress()
	defer progress.finish()
	defer r.server.cluster.waiting.listen(e.ref.Name, progress)()
	if err := change(e.box, ctx); err != nil {
		return state{}, err
	}
	return state{Sandbox: e.ref.Name, State: to, Ends: timestamp(e.shutdown())}, nil
}

func (r *request) remove(ctx context.Context, in targeted) (state, error) {
	e, err := r.server.own(in.Sandbox)
	if err != nil {
		return state{}, err
	}
	if err := e.box.Close(ctx); err != nil {
		return state{}, err
	}
	r.server.table.remove(e)
	r.server.removeLog(e.ref.Name)
	return state{Sandbox: e.ref.Name, State: "deleted"}, nil
}
