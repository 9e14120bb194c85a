// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"slices"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

// With Recreate, a claim that is created after a change of the template gets no older member, even if no cache shows
// the change yet.
func TestATemplateThatChangedBeforeTheCacheKnows(t *testing.T) {
	recreate := builders.WithUpdateStrategy(extensionsv1beta1.RecreateSandboxWarmPoolUpdateStrategyType)
	changed := newTemplate(builders.WithImage("localhost/python:v2"))
	other := builders.Template("other", builders.WithImage("localhost/other:v1"), builders.WithUID("other-uid"))
	moved := newPool("p", recreate)
	moved.Spec.TemplateRef.Name = "other"
	tests := map[string]struct {
		claim     *extensionsv1beta1.SandboxClaim
		pool      *extensionsv1beta1.SandboxWarmPool // as the API server has it
		before    []client.Object                    // as the cache shows it
		members   []*agentsv1beta1.Sandbox           // in addition to the older one
		want      string
		wantImage string
		wantReads bool // of the API server
	}{
		"without a fresh member it starts cold": {
			pool:      newPool("p", recreate),
			before:    []client.Object{newTemplate()},
			want:      "c",
			wantImage: "localhost/python:v2",
			wantReads: true,
		},
		"a fresh member is taken": {
			pool:      newPool("p", recreate),
			before:    []client.Object{newTemplate()},
			members:   []*agentsv1beta1.Sandbox{newMemberFrom("p-new", newPool("p"), changed)},
			want:      "p-new",
			wantImage: "localhost/python:v2",
			wantReads: true,
		},
		"by pool, the pool's template was exchanged": {
			claim:     newClaim("c", builders.FromPool("p")),
			pool:      moved,
			before:    []client.Object{newTemplate(), newPool("p", recreate)},
			want:      "c",
			wantImage: "localhost/other:v1",
			wantReads: true,
		},
		"a claim that wants no warm one reads nothing": {
			claim:     newClaim("c", builders.WithWarmPool("none")),
			pool:      newPool("p", recreate),
			want:      "c",
			wantImage: "localhost/python:v2",
		},
		"OnReplenish hands the older one out and reads nothing": {
			pool: newPool("p"), before: []client.Object{newTemplate()}, want: "p-old", wantImage: builders.Image,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if tt.claim == nil {
				tt.claim = newClaim("c")
			}
			w := newWorld(
				t, tt.claim, changed.DeepCopy(), other.DeepCopy(), tt.pool,
				newMemberFrom("p-old", newPool("p"), newTemplate(), olderBy(time.Hour)),
			)
			for _, m := range tt.members {
				w.create(m)
			}
			for _, o := range tt.before {
				w.staleObjects[o.GetName()] = o
			}
			w.syncQueue()
			var reads []string
			w.beforeRead = func(read string) { reads = append(reads, read) }
			if _, err := w.reconcile("c"); err != nil {
				t.Fatal(err)
			}
			w.beforeRead = nil
			if got := w.ownedBy("c-uid"); !slices.Equal(got, []string{tt.want}) {
				t.Fatalf("the claim owns %v", got)
			}
			if got := w.sandbox(tt.want).Spec.PodTemplate.Spec.Containers[0].Image; got != tt.wantImage {
				t.Errorf("image %s", got)
			}
			if asked := slices.Contains(reads, "get SandboxTemplate python") ||
				slices.Contains(reads, "get SandboxTemplate other"); asked != tt.wantReads {
				t.Errorf("reads: %q", reads)
			}
		})
	}
}
