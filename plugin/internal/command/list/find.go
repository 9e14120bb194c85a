// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package list

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/client/clientset/versioned"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// Validate checks the names and flags.
func (o *Options) Validate() error {
	if o.Volumes && (o.Watch || o.Kind != "" || o.Members) {
		return cli.UsageError(errors.New("--volumes goes together with none of --watch, --kind and --members"))
	}
	names := slices.Clone(o.Names)
	if o.Volumes {
		for i, name := range names {
			names[i] = strings.TrimPrefix(name, "volume/")
		}
		o.Names = names
	} else {
		rest, err := o.parseKind(names)
		if err != nil {
			return cli.UsageError(err)
		}
		names = rest
	}
	refs, err := cli.ParseListFlags(names, o.AllNamespaces, o.Selector, o.printing)
	if err != nil {
		return err
	}
	o.refs = refs
	o.printing.SetSingle(len(refs) == 1)
	if o.kind == resolve.KindAny {
		return nil
	}
	for i := range o.refs {
		if o.refs[i].Kind == resolve.KindAny {
			o.refs[i].Kind = o.kind
		}
	}
	return cli.RequireKind(o.kind, o.refs)
}

// parseKind parses --kind, or a first name that is the name of a kind, and returns the other names.
func (o *Options) parseKind(names []string) ([]string, error) {
	word, rest := o.Kind, names
	if word == "" && len(names) > 0 && kindOf(names[0]) != resolve.KindAny {
		word, rest = names[0], names[1:]
	}
	switch o.kind = kindOf(word); o.kind {
	case resolve.KindPool, resolve.KindTemplate:
		return nil, fmt.Errorf("%q is listed by another command: %[2]s list", word, o.kind)
	case resolve.KindPod:
		return nil, errors.New("Pods are listed by kubectl get pods; tree NAME shows those of a sandbox")
	case resolve.KindAny:
		if word != "" {
			return nil, fmt.Errorf("--kind %q: use claim or sandbox", word)
		}
	case resolve.KindClaim, resolve.KindSandbox:
	}
	return rest, nil
}

// kindOf returns the kind that a word names, as in claims or sandbox, or KindAny.
func kindOf(word string) resolve.Kind {
	ref, err := resolve.Parse(word + "/x")
	if err != nil {
		return resolve.KindAny
	}
	return ref.Kind
}

// found holds the objects to list.
type found struct {
	claims    []extensionsv1beta1.SandboxClaim
	sandboxes []agentsv1beta1.Sandbox
	// named holds the targets of the given names.
	named []*resolve.Target
	// members is how many members of pools were left out.
	members int
	// kind is the kind of the targets, or KindAny for both.
	kind resolve.Kind
}

// listAll lists claims and Sandboxes. It leaves out claims that the cluster does not serve or the user may not list. To
// list claims alone, it still lists Sandboxes, which tell the state of the claims.
func (o *Options) listAll(ctx context.Context, client versioned.Interface, namespace string) (found, error) {
	options := metav1.ListOptions{LabelSelector: o.Selector}
	sandboxes, err := client.AgentsV1beta1().Sandboxes(namespace).List(ctx, options)
	if resolve.NotServed(err) {
		return found{}, resolve.ErrorNotInstalled(apis.ResourceSandboxes, apis.GroupAgents)
	}
	if err != nil {
		return found{}, fmt.Errorf("list Sandboxes: %w", err)
	}
	all := found{sandboxes: sandboxes.Items, kind: o.kind}
	if !o.Members {
		all.sandboxes = slices.DeleteFunc(all.sandboxes, isMember)
		all.members = len(sandboxes.Items) - len(all.sandboxes)
	}
	if o.kind == resolve.KindSandbox {
		return all, nil
	}
	claims, err := client.ExtensionsV1beta1().SandboxClaims(namespace).List(ctx, options)
	switch {
	case o.kind == resolve.KindClaim && resolve.NotServed(err):
		return found{}, resolve.ErrorNotInstalled(apis.ResourceClaims, apis.GroupExtensions)
	case o.kind != resolve.KindClaim && (resolve.NotServed(err) || apierrors.IsForbidden(err)):
		return all, nil
	case err != nil:
		return found{}, fmt.Errorf("list claims: %w", err)
	}
	all.claims = claims.Items
	return all, nil
}

// isMember reports whether a pool owns the Sandbox: no claim has taken it.
func isMember(sandbox agentsv1beta1.Sandbox) bool {
	owner := metav1.GetControllerOf(&sandbox)
	return owner != nil && owner.Kind == apis.KindSandboxWarmPool
}

// byName resolves the names, claims first.
func (o *Options) byName(ctx context.Context, a *factory.Clients) (targets []*resolve.Target, failed error) {
	var others []*resolve.Target
	for _, ref := range o.refs {
		t, err := a.Resolver.ClaimAndSandbox(ctx, a.Namespace, ref)
		switch {
		case o.IgnoreNotFound && resolve.Is(err, resolve.NotFound):
		case err != nil:
			failed = errors.Join(failed, err)
		case t.Claim != nil:
			targets = append(targets, t)
		default:
			others = append(others, t)
		}
	}
	return append(targets, others...), failed
}
