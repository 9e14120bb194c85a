// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/diagnose"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/pool"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	b "github.com/agent-sandbox/kubectl-sandbox/test/builders"
	"github.com/agent-sandbox/kubectl-sandbox/tui/action"
	"github.com/agent-sandbox/kubectl-sandbox/tui/rows"
	"github.com/agent-sandbox/kubectl-sandbox/tui/view"
)

func TestABrokenPoolAndABlockedClaimAreRed(t *testing.T) {
	w := filled(t.Context(), 120, 24)
	for name, p := range map[string]*rows.Pool{
		"without a ready member": {Name: "dry", Desired: 3},
		"whose template has to be changed, although a member is ready": {Name: "broken", Desired: 3, Ready: 2, Broken: true},
		"whose template is gone, although it is full":                  {Name: "lost", Desired: 3, Ready: 3, Broken: true},
	} {
		cells := w.poolCells(p)
		if first, last := cells[0], cells[len(cells)-1]; first.Tone != view.Bad || last.Tone != view.Bad ||
			!strings.HasPrefix(first.Text, w.theme.Problem) {
			t.Errorf("a pool %s: %+v, %+v", name, first, last)
		}
	}
	if cell := w.rowCells(&rows.Row{Name: "dev", State: diagnose.Blocked})[1]; cell.Tone != view.Bad {
		t.Errorf("a claim: %+v", cell)
	}
}

// brokenImage is the demo with a pool whose template names an image that does not exist, after the keys.
func brokenImage(keys string) func(*testing.T, *world) {
	const (
		image   = "registry.example.com/vision:nightly"
		message = `Pod exists with phase: Pending: container main: ImagePullBackOff: cannot pull image "` + image +
			`": not found`
	)
	template := b.Template("vision", b.WithUID("t-vision"), b.InNamespace("research"), b.CreatedAt(ago(3*time.Hour)),
		b.WithImage(image))
	object := b.Pool("vision-warm", "vision", b.WithUID("vision-warm"), b.InNamespace("research"),
		b.CreatedAt(ago(3*time.Hour)), b.WithReplicas(3))
	inventory := &pool.Inventory{Now: noon, Templates: []*extensionsv1beta1.SandboxTemplate{template},
		Sandboxes: []*agentsv1beta1.Sandbox{}, Claims: []*extensionsv1beta1.SandboxClaim{}}
	for i := range 3 {
		inventory.Sandboxes = append(inventory.Sandboxes, b.Sandbox(fmt.Sprintf("vision-warm-%05d", i),
			b.WithUID(types.UID(fmt.Sprintf("vision-%d", i))), b.InNamespace("research"), b.OwnedBy(object), b.WithImage(image),
			b.CreatedAt(ago(2*time.Minute)), b.WithAnnotation(apis.AnnotationTemplateRef,
				"vision"), notReady(apis.ReasonDependenciesNotReady, message, time.Minute)))
	}
	return func(t *testing.T, w *world) {
		t.Helper()
		s := demo()
		summary := pool.Summarize(object, inventory)
		s.Pools = []*rows.Pool{rows.FromPool(&summary, 0, 1, nil, nil), s.Pools[1]}
		for _, member := range summary.Members {
			s.Members[object.UID] = append(s.Members[object.UID], rows.FromSandbox(member, nil, false, noon))
		}
		s.Templates = append(s.Templates, rows.FromTemplate(template, []string{"vision-warm"}, 1, summary.Shortage))
		w.actor.answer = func(r action.Request) action.Result {
			member := inventory.Sandboxes[0]
			pod := b.Pod(member.Name, b.OnNode("node-1"), b.CreatedAt(ago(2*time.Minute)),
				b.PodWith(func(p *corev1.Pod) { p.Spec.Containers[0].Image = image }),
				b.Waiting("ImagePullBackOff", `Back-off pulling image "`+image+`": ErrImagePull: not found`))
			pod.Status.ContainerStatuses[0].Image = image
			found := &resolve.Target{Ref: r.Targets[0].Ref(), Namespace: "research", Sandbox: member, Pod: pod}
			known := diagnose.Snapshot{Now: noon, Sandbox: member, Pod: pod}
			return action.Result{Verb: r.Verb, Page: &action.Page{Target: r.Targets[0], Found: found, Snapshot: known,
				Diagnosis: diagnose.Of(known)}}
		}
		w.Update(snapshotMsg{s})
		typed(t, w, keys)
	}
}
