// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/printing"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/diagnose"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

func statusTools() []definition {
	return []definition{
		{
			name: "list_templates", title: "List what sandboxes can be created from",
			description: "List the templates, the pools of warm sandboxes and the images that create_sandbox may use.",
			add:         tool((*request).templates, nil),
		},
		{
			name: "list_sandboxes", title: "List sandboxes",
			description: "List the sandboxes of this session with their states and when they are deleted.",
			add:         tool((*request).list, nil),
		},
		{
			name: "sandbox_status", title: "Diagnose a sandbox",
			description: "Say whether a sandbox is ready, and if not, what keeps it from it and what to do.",
			add:         tool((*request).status, nil),
		},
		{
			name: toolReadLogs, title: "Read the logs of a sandbox",
			description: "Read the last lines that the main process of a sandbox has printed, without the outputs of commands.",
			add: tool((*request).logs, func(_ *Server, schema *jsonschema.Schema) {
				between(schema, "lines", 1, maxLines)
				property(schema, "lines").Description += fmt.Sprintf("; by default %d", defaultLines)
			}),
		},
	}
}

type nothing struct{}

type pool struct {
	Name     string `json:"name"`
	Template string `json:"template"`
	Ready    int32  `json:"ready" jsonschema:"how many sandboxes it can hand out at once"`
}

type sources struct {
	Templates []string `json:"templates,omitempty" jsonschema:"templates"`
	Pools     []pool   `json:"pools,omitempty" jsonschema:"pools of warm sandboxes"`
	Images    []string `json:"images,omitempty" jsonschema:"container images"`
}

func (r *request) templates(ctx context.Context, _ nothing) (sources, error) {
	o := &r.server.options
	found := sources{Images: o.Images}
	clients, _, err := r.server.cluster.connect()
	if err != nil {
		return found, err
	}
	permitted := func(name string, list []string) bool { return !o.restricted() || slices.Contains(list, name) }
	api := clients.Sandboxes.ExtensionsV1beta1()
	if !o.restricted() || len(o.Templates) > 0 {
		all, err := api.SandboxTemplates(clients.Namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return found, err
		}
		for i := range all.Items {
			if permitted(all.Items[i].Name, o.Templates) {
				found.Templates = append(found.Templates, all.Items[i].Name)
			}
		}
	}
	if o.restricted() && len(o.Pools) == 0 {
		return found, nil
	}
	all, err := api.SandboxWarmPools(clients.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return found, err
	}
	for i := range all.Items {
		if one := &all.Items[i]; permitted(one.Name, o.Pools) {
			found.Pools = append(found.Pools, pool{
				Name: one.Name, Template: one.Spec.TemplateRef.Name, Ready: one.Status.ReadyReplicas,
			})
		}
	}
	return found, nil
}

type listed struct {
	Sandbox string `json:"sandbox" jsonschema:"name of the sandbox"`
	State   string `json:"state" jsonschema:"Ready, Starting, Blocked, Suspended and so on, or Gone"`
	Cause   string `json:"cause,omitempty" jsonschema:"what keeps it from being ready"`
	From    string `json:"from,omitempty" jsonschema:"what this session created it from"`
	Own     bool   `json:"own" jsonschema:"whether this session created it"`
	Ends    string `json:"ends,omitempty" jsonschema:"when it is deleted, unless it is extended"`
}

type list struct {
	Sandboxes []listed `json:"sandboxes"`
	Max       int      `json:"max" jsonschema:"how many this session may create at once"`
}

func (r *request) list(ctx context.Context, _ nothing) (list, error) {
	all := list{Sandboxes: []listed{}, Max: r.server.options.Max}
	for _, e := range r.server.table.all() {
		one := listed{Sandbox: e.ref.Name, Own: e.own, From: e.from, Ends: timestamp(e.shutdown())}
		switch d, err := r.diagnose(ctx, e); {
		case isGone(err):
			one.State, one.Ends = "Gone", ""
		case err != nil:
			one.State, one.Cause = "Unknown", r.server.cluster.explain(err).Error()
		default:
			one.State, one.Cause = string(d.Verdict), printable.Line(d.Obstacle)
		}
		all.Sandboxes = append(all.Sandboxes, one)
	}
	return all, nil
}

type step struct {
	Text    string `json:"text" jsonschema:"what to do"`
	Command string `json:"command,omitempty" jsonschema:"the command with which the user does it"`
}

type diagnosis struct {
	Sandbox  string             `json:"sandbox" jsonschema:"name of the sandbox"`
	State    string             `json:"state" jsonschema:"Ready, Starting, Blocked, Suspended and so on"`
	Cause    string             `json:"cause,omitempty" jsonschema:"what keeps it from being ready"`
	Lasting  bool               `json:"lasting,omitempty" jsonschema:"whether waiting alone does not help"`
	Operator string             `json:"operator,omitempty" jsonschema:"why nothing manages the sandbox"`
	Findings []diagnose.Finding `json:"findings,omitempty" jsonschema:"what was found out"`
	Next     []step             `json:"next,omitempty" jsonschema:"what to do"`
	Ends     string             `json:"ends,omitempty" jsonschema:"when it is deleted, unless it is extended"`
	Note     string             `json:"note,omitempty" jsonschema:"what else to know"`
}

func (r *request) status(ctx context.Context, in targeted) (diagnosis, error) {
	s := r.server
	e, err := s.table.find(in.Sandbox)
	if err != nil {
		return diagnosis{}, err
	}
	d, err := r.diagnose(ctx, e)
	if err != nil {
		return diagnosis{}, err
	}
	clients, _, err := s.cluster.connect()
	if err != nil {
		return diagnosis{}, err
	}
	result := diagnosis{
		Sandbox: e.ref.Name, State: string(d.Verdict), Cause: d.Obstacle, Lasting: d.Lasting,
		Operator: s.cluster.operatorWarning(ctx, clients),
		Findings: slices.Concat(d.Conditions, d.Scheduling, d.Containers),
		Ends:     timestamp(e.shutdown()), Note: s.expiryNote(e),
	}
	for _, next := range d.Next {
		one := step{Text: next.Text}
		if next.Command != "" {
			one.Command = printing.SuggestedCommand(next.Command, s.factory)
		}
		result.Next = append(result.Next, one)
	}
	printable.Object(&result)
	return result, nil
}

func (r *request) diagnose(ctx context.Context, e *entry) (d diagnose.Diagnosis, err error) {
	box, err := r.server.box(ctx, e)
	if err != nil {
		return d, err
	}
	return box.Status(ctx)
}

// isGone reports whether the error means that the sandbox was deleted.
func isGone(err error) bool {
	return resolve.Is(err, resolve.NotFound) || resolve.Is(err, resolve.Deleting) || isDeleted(err)
}
