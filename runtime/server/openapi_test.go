// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build linux

package server

import (
	"encoding/json"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/kube-openapi/pkg/spec3"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
	"k8s.io/kube-openapi/pkg/validation/validate"
	"sigs.k8s.io/yaml"
)

const document = "../../docs/reference/runtime.openapi.yaml"

// description is the OpenAPI document. The packages of kube-openapi read and apply it, because they are among the
// modules of the product already; kin-openapi would add six.
type description struct{ spec3.OpenAPI }

// describe reads the document. References are replaced first: the validator knows none.
func describe(t *testing.T) *description {
	t.Helper()
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	var whole map[string]any
	if err := yaml.UnmarshalStrict(text, &whole); err != nil {
		t.Fatal(err)
	}
	resolved, err := json.Marshal(resolve(t, whole, whole))
	if err != nil {
		t.Fatal(err)
	}
	var d description
	if err := json.Unmarshal(resolved, &d.OpenAPI); err != nil {
		t.Fatal(err)
	}
	return &d
}

func resolve(t *testing.T, node any, whole map[string]any) any {
	t.Helper()
	switch node := node.(type) {
	case map[string]any:
		if reference, ok := node["$ref"].(string); ok {
			var target any = whole
			for step := range strings.SplitSeq(strings.TrimPrefix(reference, "#/"), "/") {
				parent, _ := target.(map[string]any)
				if target, ok = parent[step]; !ok {
					t.Fatalf("%s leads nowhere", reference)
				}
			}
			return resolve(t, target, whole)
		}
		out := map[string]any{}
		for key, value := range node {
			out[key] = resolve(t, value, whole)
		}
		return out
	case []any:
		out := make([]any, len(node))
		for i, value := range node {
			out[i] = resolve(t, value, whole)
		}
		return out
	}
	return node
}

// operations maps methods and paths, as in "GET /list/{path}", to what is said about them.
func (d *description) operations() map[string]*spec3.Operation {
	all := map[string]*spec3.Operation{}
	for path, one := range d.Paths.Paths {
		for method, operation := range map[string]*spec3.Operation{
			http.MethodGet: one.Get, http.MethodPost: one.Post, http.MethodPut: one.Put, http.MethodDelete: one.Delete,
			http.MethodPatch: one.Patch, http.MethodHead: one.Head, http.MethodOptions: one.Options, http.MethodTrace: one.Trace,
		} {
			if operation != nil {
				all[method+" "+path] = operation
			}
		}
	}
	return all
}

// check returns how an answer differs from what the document says about its operation.
func (d *description) check(operation string, got answer) error {
	said, ok := d.operations()[operation]
	if !ok {
		return fmt.Errorf("there is no operation %s", operation)
	}
	response, ok := said.Responses.StatusCodeResponses[got.status]
	if !ok {
		response = said.Responses.Default
	}
	kind, _, err := mime.ParseMediaType(got.header.Get("Content-Type"))
	if err != nil {
		return err
	}
	media, ok := response.Content[kind]
	if !ok {
		return fmt.Errorf("%s has no content of type %s", operation, kind)
	}
	var values []string
	switch kind {
	case "application/json":
		values = []string{got.body}
	case "application/x-ndjson":
		values = slices.Collect(strings.Lines(got.body))
	}
	for _, text := range values {
		var value any
		if err := json.Unmarshal([]byte(text), &value); err != nil {
			return err
		}
		if err := validate.AgainstSchema(media.Schema, value, strfmt.Default); err != nil {
			return fmt.Errorf("%s: %w", text, err)
		}
	}
	return nil
}

func TestTheOpenAPIDocumentIsOne(t *testing.T) {
	t.Parallel()
	d := describe(t)
	// What the specification does not know is dropped when a document is read.
	again, err := json.Marshal(&d.OpenAPI)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	var whole, known map[string]any
	if err := yaml.Unmarshal(text, &whole); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(again, &known); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(resolve(t, whole, whole), any(known)); diff != "" {
		t.Errorf("the document has what OpenAPI does not know (-document +known):\n%s", diff)
	}
	for name, operation := range d.operations() {
		if operation.OperationId == "" || operation.Summary == "" || operation.Responses.Default == nil {
			t.Errorf("%s has no ID, no summary or no default answer", name)
		}
	}
}

func TestTheOpenAPIDocumentHasTheRoutesOfTheServer(t *testing.T) {
	t.Parallel()
	var want []string
	for _, one := range routes() {
		path := one.path
		if one.parameter() {
			path += "{path}"
		}
		want = append(want, one.method+" "+path)
	}
	slices.Sort(want)
	if got := slices.Sorted(maps.Keys(describe(t).operations())); !slices.Equal(got, want) {
		t.Errorf("the document has %q, the server %q", got, want)
	}
}

// TestTheOpenAPIDocumentDescribesTheAnswers causes every answer that the document lists.
func TestTheOpenAPIDocumentDescribesTheAnswers(t *testing.T) {
	t.Parallel()
	r := start(t)
	r.file("file", "0123456789")
	if err := os.Symlink("/etc", r.root+"/out"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(r.root+"/dir", 0o755); err != nil {
		t.Fatal(err)
	}
	huge := `{"command":"` + strings.Repeat("x", maxRequest) + `"}`
	part := func(text string) http.Header { return http.Header{"Range": {text}} }
	d := describe(t)
	missing := map[string]bool{}
	for name, operation := range d.operations() {
		for status := range operation.Responses.StatusCodeResponses {
			missing[fmt.Sprintf("%s %d", name, status)] = true
		}
	}
	for _, row := range []struct {
		operation, path string // path: if it is not that of the operation
		header          http.Header
		body            string
		upload          string // the name of a file
		status          int
	}{
		{operation: "GET /", status: 200},
		{operation: "POST /execute", body: `{"command":"echo hello"}`, status: 200},
		{operation: "POST /execute", body: `{"command":"no-such-program"}`, status: 200},
		{operation: "POST /execute", body: `{"command":`, status: 400},
		{operation: "POST /execute", body: huge, status: 413},
		{operation: "POST /execute/stream", body: `{"command":"sh -c 'echo out; echo err >&2; exit 3'"}`, status: 200},
		{operation: "POST /execute/stream", body: "{}", status: 400},
		{operation: "POST /execute/stream", body: huge, status: 413},
		{operation: "POST /upload", upload: "new", status: 200},
		{operation: "POST /upload", body: "text", status: 400},
		{operation: "POST /upload", upload: "../x", status: 403},
		{operation: "POST /upload", upload: "dir", status: 404},
		{operation: "GET /download/{path}", path: "/download/file", status: 200},
		{operation: "GET /download/{path}", path: "/download/file", header: part("bytes=2-4"), status: 206},
		{operation: "GET /download/{path}", path: "/download/file%00", status: 400},
		{operation: "GET /download/{path}", path: "/download/out%2Fpasswd", status: 403},
		{operation: "GET /download/{path}", path: "/download/nothing", status: 404},
		{operation: "GET /download/{path}", path: "/download/file", header: part("bytes=20-"), status: 416},
		{operation: "GET /list/{path}", path: "/list/.", status: 200},
		{operation: "GET /list/{path}", path: "/list/%00", status: 400},
		{operation: "GET /list/{path}", path: "/list/%2e%2e", status: 403},
		{operation: "GET /list/{path}", path: "/list/file", status: 404},
		{operation: "GET /exists/{path}", path: "/exists/file", status: 200},
		{operation: "GET /exists/{path}", path: "/exists/a%00", status: 400},
		{operation: "GET /exists/{path}", path: "/exists/../x", status: 403},
	} {
		method, path, _ := strings.Cut(row.operation, " ")
		if row.path != "" {
			path = row.path
		}
		if row.upload != "" {
			row.header, row.body = form(row.upload, "text")
		}
		got := r.must(method, path, row.header, strings.NewReader(row.body))
		if got.status != row.status {
			t.Errorf("%s: %v, want %d", row.operation, got, row.status)
		}
		if err := d.check(row.operation, got); err != nil {
			t.Errorf("%s: %v: %v", row.operation, got, err)
		}
		delete(missing, fmt.Sprintf("%s %d", row.operation, got.status))
	}
	if len(missing) > 0 {
		t.Errorf("no row causes %q", slices.Sorted(maps.Keys(missing)))
	}
}

func TestTheCheckOfAnswersFindsWhatIsWrong(t *testing.T) {
	t.Parallel()
	d := describe(t)
	json := http.Header{"Content-Type": {"application/json"}}
	lines := http.Header{"Content-Type": {"application/x-ndjson"}}
	for name, row := range map[string]struct {
		operation string
		got       answer
	}{
		"an unknown operation":         {"GET /nothing", answer{200, json, "{}"}},
		"another type of content":      {"GET /", answer{200, lines, `{"status":"ok"}`}},
		"a value out of the set":       {"GET /", answer{200, json, `{"status":"bad"}`}},
		"a property too many":          {"GET /", answer{200, json, `{"status":"ok","more":1}`}},
		"a property of another type":   {"POST /execute", answer{200, json, `{"stdout":"","stderr":"","exit_code":"0"}`}},
		"a missing property":           {"POST /execute", answer{200, json, `{"stdout":"","stderr":""}`}},
		"a line that is no message":    {"POST /execute/stream", answer{200, lines, "{\"exit_code\":0}\n{\"code\":0}\n"}},
		"data that is no base64":       {"POST /execute/stream", answer{200, lines, `{"stream":"stdout","data":"%"}`}},
		"an entry of an unknown type":  {"GET /list/{path}", answer{200, json, `[{"name":"","size":0,"type":"x","mod_time":0}]`}},
		"a refusal without its detail": {"GET /list/{path}", answer{500, json, "{}"}},
	} {
		if err := d.check(row.operation, row.got); err == nil {
			t.Errorf("%s is not found", name)
		}
	}
}
