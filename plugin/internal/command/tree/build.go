// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/ending"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/printing"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/diagnose"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/pool"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// The states of objects that are not diagnosed.
const (
	exists  = "Exists"
	missing = "Missing"
	hidden  = "Hidden"
)

// builder builds the tree of one target. An object that may not be read is shown as hidden.
type builder struct {
	access   *factory.Clients
	snapshot diagnose.Snapshot
	style    printing.Style
}

func (g *builder) build(ctx context.Context, t *resolve.Target) *node {
	sandbox := g.sandbox(ctx, t)
	if t.Claim == nil {
		return sandbox
	}
	d := diagnose.Of(g.snapshot)
	claim := g.node("claim/"+t.Claim.Name, d.Obstacle)
	claim.object, claim.kind = t.Claim, extensionsv1beta1.SchemeGroupVersion.WithKind(apis.KindSandboxClaim)
	claim.status = g.verdict(d.Verdict)
	claim.below = g.origin(ctx, t)
	g.markCause(claim.below, &d)
	if sandbox == nil {
		sandbox = g.node("sandbox", "there is none yet")
		sandbox.status = missing
	}
	claim.below = append(claim.below, sandbox)
	return claim
}

func (g *builder) node(name, message string) *node {
	return &node{name: name, message: message, now: g.snapshot.Now, status: printing.None}
}

func (g *builder) verdict(v diagnose.Verdict) printing.ColoredCell {
	return printing.ColoredCell{Text: string(v), Paint: g.style.VerdictPainter(v)}
}

// origin returns the nodes of the template and the pool that a claim's Sandbox comes from, or will come from.
func (g *builder) origin(ctx context.Context, t *resolve.Target) []*node {
	template, from := t.Claim.Spec.TemplateName(), pool.SourcePool(t.Claim, t.Sandbox)
	if template == "" && from == "" {
		from = t.Claim.Spec.PoolName()
	}
	return g.sources(ctx, t.Namespace, template, from)
}

// sources returns the nodes of a template and a pool. If there is a pool, its spec decides which template.
func (g *builder) sources(ctx context.Context, namespace, template, from string) []*node {
	var all []*node
	if from != "" {
		n := g.node("pool/"+from, "")
		n.kind = extensionsv1beta1.SchemeGroupVersion.WithKind(apis.KindSandboxWarmPool)
		found, err := g.access.Pools.Pool(ctx, namespace, from)
		if n.status = state(err); err == nil {
			n.object, n.status = found, ready(found)
			n.message = g.shortage(ctx, found)
			template = found.Spec.TemplateRef.Name
		}
		all = append(all, n)
	}
	if template != "" {
		n := g.node("template/"+template, "")
		n.kind = extensionsv1beta1.SchemeGroupVersion.WithKind(apis.KindSandboxTemplate)
		found, err := g.access.Pools.Template(ctx, namespace, template)
		if n.status = state(err); err == nil {
			n.object = found
		} else if n.status == missing {
			n.message = "nothing can be created from it"
		}
		all = append([]*node{n}, all...)
	}
	return all
}

// shortage says why the pool has fewer ready members than desired. It is empty if the pool has enough, or if the
// members may not be read.
func (g *builder) shortage(ctx context.Context, p *extensionsv1beta1.SandboxWarmPool) string {
	inventory, err := g.access.Pools.Inventory(ctx, p.Namespace)
	if err != nil {
		return ""
	}
	summary := pool.Summarize(p, inventory)
	return summary.Shortage
}

// markCause marks the template that the diagnosis names as the cause.
func (g *builder) markCause(sources []*node, d *diagnose.Diagnosis) {
	for _, n := range sources {
		if n.name == "template/"+d.Template && n.status == missing {
			n.status = printing.ColoredCell{Text: missing, Paint: g.style.VerdictPainter(diagnose.Blocked)}
		}
		if d.Template != "" && n.name == "template/"+d.Template && n.object != nil {
			n.status, n.message = g.verdict(diagnose.Blocked), d.Obstacle
		}
	}
}

func ready(p *extensionsv1beta1.SandboxWarmPool) string {
	desired := int32(1)
	if p.Spec.Replicas != nil {
		desired = *p.Spec.Replicas
	}
	return fmt.Sprintf("%d/%d ready", p.Status.ReadyReplicas, desired)
}

// state returns the state of an object, given the error of reading it.
func state(err error) string {
	switch {
	case err == nil:
		return exists
	case apierrors.IsNotFound(err), resolve.Is(err, resolve.NotFound), resolve.Is(err, resolve.NotInstalled):
		return missing
	case apierrors.IsForbidden(err):
		return hidden
	}
	return "Unknown"
}

func (g *builder) sandbox(ctx context.Context, t *resolve.Target) *node {
	s := t.Sandbox
	if s == nil {
		return nil
	}
	snapshot := g.snapshot
	snapshot.Claim = nil // the claim's state is on the claim's node
	d := diagnose.Of(snapshot)
	n := g.node("sandbox/"+s.Name, d.Obstacle)
	n.object, n.kind, n.status = s, agentsv1beta1.SchemeGroupVersion.WithKind(apis.KindSandbox), g.verdict(d.Verdict)
	if holder := metav1.GetControllerOf(s); holder != nil && holder.Kind == apis.KindSandboxWarmPool {
		n.below = g.sources(ctx, s.Namespace, "", holder.Name)
		g.markCause(n.below, &d)
	}
	n.below = append(n.below, g.pod(t, &d))
	if service := g.service(ctx, s); service != nil {
		n.below = append(n.below, service)
	}
	n.below = append(n.below, g.volumes(ctx, s)...)
	return n
}

func (g *builder) pod(t *resolve.Target, d *diagnose.Diagnosis) *node {
	n := g.node("pod/"+t.Sandbox.Name, "")
	n.kind = corev1.SchemeGroupVersion.WithKind("Pod")
	switch {
	case t.Pod == nil && t.PodHidden:
		n.status = hidden
		return n
	case t.Pod == nil:
		if n.status = missing; d.Verdict == diagnose.Suspended {
			n.status, n.message = printing.None, "none while the Sandbox is suspended"
		}
		return n
	}
	n.name, n.object, n.status = "pod/"+t.Pod.Name, t.Pod, ending.DisplayStatus(t.Pod)
	readyCount, total, restarts := 0, len(t.Pod.Spec.Containers), int32(0)
	for i := range t.Pod.Status.ContainerStatuses {
		status := &t.Pod.Status.ContainerStatuses[i]
		restarts += status.RestartCount
		if status.Ready {
			readyCount++
		}
	}
	n.message = fmt.Sprintf("%d/%d containers ready", readyCount, total)
	if restarts > 0 {
		n.message += fmt.Sprintf(", %d restarts", restarts)
	}
	if t.Pod.Spec.NodeName != "" {
		n.message += ", on node " + t.Pod.Spec.NodeName
	}
	return n
}

// service returns the node of the Sandbox's Service, or nil if it has none and wants none.
func (g *builder) service(ctx context.Context, s *agentsv1beta1.Sandbox) *node {
	name := s.Status.Service
	wanted := s.Spec.Service != nil && *s.Spec.Service
	if name == "" && !wanted {
		return nil
	}
	if name == "" {
		name = s.Name
	}
	n := g.node("service/"+name, s.Status.ServiceFQDN)
	n.kind = corev1.SchemeGroupVersion.WithKind("Service")
	found, err := g.access.Kubernetes.CoreV1().Services(s.Namespace).Get(ctx, name, metav1.GetOptions{})
	if n.status = state(err); err == nil {
		n.object = found
	}
	return n
}

func (g *builder) volumes(ctx context.Context, s *agentsv1beta1.Sandbox) []*node {
	var all []*node
	for i := range s.Spec.VolumeClaimTemplates {
		name := naming.PersistentVolumeClaim(s.Spec.VolumeClaimTemplates[i].Name, s.Name)
		n := g.node("persistentvolumeclaim/"+name, "")
		n.kind = corev1.SchemeGroupVersion.WithKind("PersistentVolumeClaim")
		volume, err := g.access.Kubernetes.CoreV1().PersistentVolumeClaims(s.Namespace).Get(ctx, name, metav1.GetOptions{})
		if n.status = state(err); err == nil {
			size := volume.Spec.Resources.Requests[corev1.ResourceStorage]
			if granted, ok := volume.Status.Capacity[corev1.ResourceStorage]; ok {
				size = granted
			}
			n.object, n.status, n.message = volume, string(volume.Status.Phase), size.String()
		}
		all = append(all, n)
	}
	return all
}
