// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pool_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/pool"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakecluster"
)

func TestHowFarARolloutIs(t *testing.T) {
	recreate := builders.WithUpdateStrategy(extensionsv1beta1.RecreateSandboxWarmPoolUpdateStrategyType)
	fresh := func(name string) *agentsv1beta1.Sandbox { return member(name, ready) }
	stale := func(name string) *agentsv1beta1.Sandbox { return member(name, ready, builders.WithImage("old")) }
	ofAnother := member("warm-other", ready, builders.WithLabel(apis.LabelSandboxTemplateRefHash, naming.Hash("node")))
	noTemplate := func(f *pool.Inventory) { f.Templates = []*extensionsv1beta1.SandboxTemplate{} }
	tests := map[string]struct {
		pool    *extensionsv1beta1.SandboxWarmPool
		members []*agentsv1beta1.Sandbox
		change  func(*pool.Inventory)
		waiting string // part of it; empty: it is done
		failed  bool
	}{
		"all members are ready and new": {members: []*agentsv1beta1.Sandbox{fresh("a"), fresh("b")}},
		"a pool of none is done":        {pool: warm(builders.WithReplicas(0))},
		"an older one stays until it is claimed": {
			members: []*agentsv1beta1.Sandbox{fresh("a"), stale("b")},
			waiting: "1 of 2 sandboxes are ready and of the newest version of template python; 1 older ones stay until",
		},
		"an older one is replaced": {
			pool: warm(recreate), members: []*agentsv1beta1.Sandbox{fresh("a"), stale("b")},
			waiting: "1 of 2 sandboxes are ready and of the newest version of template python; 1 older ones are being replaced",
		},
		"one of another template is an older one": {
			pool: warm(recreate), members: []*agentsv1beta1.Sandbox{fresh("a"), ofAnother}, waiting: "are being replaced",
		},
		"one is missing": {
			members: []*agentsv1beta1.Sandbox{fresh("a")}, waiting: "1 of 2 sandboxes are ready and of the newest",
		},
		"one is not ready": {
			members: []*agentsv1beta1.Sandbox{fresh("a"), member("b", notReady("Insufficient cpu"))},
			waiting: "1 not ready: Insufficient cpu",
		},
		"one too many has not gone": {
			members: []*agentsv1beta1.Sandbox{fresh("a"), fresh("b"), fresh("c")}, waiting: "1 sandboxes more than 2",
		},
		"the operator has not seen the change": {
			pool: warm(builders.WithGeneration(2)), members: []*agentsv1beta1.Sandbox{fresh("a"), fresh("b")},
			waiting: "has not seen the latest change",
		},
		"new ones that cannot start do not come": {
			pool: warm(recreate), members: []*agentsv1beta1.Sandbox{fresh("a"), member("b", notReady(badImage))},
			waiting: "cannot pull image", failed: true,
		},
		"older ones that cannot start are replaced": {
			pool:    warm(recreate),
			members: []*agentsv1beta1.Sandbox{fresh("a"), member("b", notReady(badImage), builders.WithImage("old"))},
			waiting: "are being replaced",
		},
		"without its template it never is": {
			members: []*agentsv1beta1.Sandbox{fresh("a")}, change: noTemplate,
			waiting: "template python does not exist", failed: true,
		},
		"a pool that is being deleted never is": {
			pool: warm(builders.DeletedAt(now)), waiting: "is being deleted", failed: true,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f := world(tt.change)
			f.Sandboxes = append(f.Sandboxes, tt.members...)
			if tt.pool == nil {
				tt.pool = warm()
			}
			s := pool.Summarize(tt.pool, f)
			got := pool.RolloutOf(&s, f)
			if got.Done != (tt.waiting == "") || !strings.Contains(got.Waiting, tt.waiting) || got.Failed != tt.failed {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestTheRolloutIsReadFromThePoolAndItsMembers(t *testing.T) {
	selector := builders.WithPoolStatus(extensionsv1beta1.SandboxWarmPoolStatus{Selector: "of=warm"})
	of := builders.WithLabel("of", "warm")
	objects := fakecluster.New(
		warm(selector), builders.Template("python"), member("a", ready, of), member("b", ready, of),
		member("hidden", ready), // the selector does not match it
	)
	p, got, err := client(objects).Rollout(t.Context(), builders.Namespace, "warm")
	if err != nil || p.UID != "p" || !got.Done {
		t.Errorf("%v, %+v, %v", p, got, err)
	}
	_, got, err = client(fakecluster.New(warm())).Rollout(t.Context(), builders.Namespace, "warm")
	if err != nil || !got.Failed {
		t.Errorf("without the template: %+v, %v", got, err)
	}
	if _, _, err = client(fakecluster.New()).Rollout(t.Context(), builders.Namespace, "warm"); !resolve.Is(
		err, resolve.NotFound,
	) {
		t.Errorf("without the pool: %v", err)
	}
	for verb, resource := range map[string]string{"get": apis.ResourceTemplates, "list": apis.ResourceSandboxes} {
		broken := fakecluster.New(warm(), builders.Template("python")).Refuse(verb, resource, errors.New("disk full"))
		if _, _, err := client(broken).Rollout(t.Context(), builders.Namespace, "warm"); err == nil {
			t.Errorf("%s of %s: a failure was taken for an answer", verb, resource)
		}
	}
}
