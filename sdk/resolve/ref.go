// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package resolve

import (
	"fmt"
	"strings"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
)

// Kind is the kind of object that a reference names.
type Kind string

// The kinds of references.
const (
	// KindAny is a name without a kind: a claim or, if there is none, a Sandbox.
	KindAny      Kind = ""
	KindClaim    Kind = "claim"
	KindSandbox  Kind = "sandbox"
	KindPod      Kind = "pod"
	KindPool     Kind = "pool"
	KindTemplate Kind = "template"
)

// Ref is a reference as a user writes it.
type Ref struct {
	Kind Kind
	Name string
}

// String formats the reference as a user would write it.
func (r Ref) String() string {
	if r.Kind == KindAny {
		return r.Name
	}
	return string(r.Kind) + "/" + r.Name
}

// Parse parses NAME, or KIND/NAME where KIND is claim, sandbox, pod, pool or template, or the output of `-o name`.
func Parse(text string) (Ref, error) {
	prefix, name, slash := strings.Cut(text, "/")
	if !slash {
		prefix, name = "", text
	}
	if name == "" || strings.ContainsAny(name, "/ ") {
		return Ref{}, fmt.Errorf("%q is not a name: use NAME, claim/NAME, sandbox/NAME or pod/NAME", text)
	}
	if !slash {
		return Ref{Name: name}, nil
	}
	kind, known := kindOf(prefix)
	if !known {
		return Ref{}, fmt.Errorf(
			"%q names no kind that sandboxes have: use claim/%[2]s, sandbox/%[2]s or pod/%[2]s", prefix, name,
		)
	}
	return Ref{Kind: kind, Name: name}, nil
}

func kindOf(word string) (kind Kind, known bool) {
	word, group, _ := strings.Cut(strings.ToLower(word), ".")
	want := apis.GroupExtensions
	switch word {
	case "claim", "claims", strings.ToLower(apis.KindSandboxClaim), apis.ResourceClaims:
		kind = KindClaim
	case "template", "templates", strings.ToLower(apis.KindSandboxTemplate), apis.ResourceTemplates:
		kind = KindTemplate
	case "pool", "pools", "swp", strings.ToLower(apis.KindSandboxWarmPool), apis.ResourceWarmPools:
		kind = KindPool
	case "sbx", strings.ToLower(apis.KindSandbox), apis.ResourceSandboxes:
		kind, want = KindSandbox, apis.GroupAgents
	case "pod", "pods", "po":
		kind, want = KindPod, ""
	}
	return kind, kind != KindAny && (group == "" || group == want || strings.HasSuffix(group, "."+want))
}
