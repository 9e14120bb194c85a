// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pool

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"

	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/provenance"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/sandboxspec"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

func TestAMemberIsWholeAtItsCreationAndThePoolIsSilentAfterwards(t *testing.T) {
	w := newWorld(t, testOptions, python(), poolOfThree())
	w.settle()
	for _, name := range w.expectMembers(3) {
		s := w.stored()[name]
		if !strings.HasPrefix(name, "pool-") || len(name) != len("pool-xxxxx") ||
			s.Annotations["agents.x-k8s.io/pod-name"] != name ||
			s.Labels["agents.x-k8s.io/warm-pool-sandbox"] != naming.Hash("pool") ||
			s.Labels["agents.x-k8s.io/sandbox-template-ref-hash"] != naming.Hash("python") ||
			s.Labels["agents.x-k8s.io/sandbox-pod-template-hash"] != sandboxspec.BlueprintHash(python()) ||
			s.Spec.PodTemplate.Spec.AutomountServiceAccountToken == nil {
			t.Errorf("%s: labels %v, annotations %v", name, s.Labels, s.Annotations)
		}
	}
	want := extensionsv1beta1.SandboxWarmPoolStatus{
		ObservedGeneration: 1, Replicas: 3, Selector: "agents.x-k8s.io/warm-pool-sandbox=" + naming.Hash("pool"),
		Members: &extensionsv1beta1.SandboxWarmPoolMembers{Revisions: []string{provenance.CurrentRevision(python())}},
	}
	if got := w.pool().Status; !equality.Semantic.DeepEqual(got, want) {
		t.Errorf("status %+v, want %+v", got, want)
	}
	w.makeReady()
	w.settle()
	if got := w.pool().Status; got.ReadyReplicas != 3 {
		t.Errorf("status %+v", got)
	}
	if counts := count(w.writes); counts["create Sandbox"] != 3 || counts["patch SandboxWarmPool/status"] != 2 ||
		len(counts) != 2 {
		t.Errorf("writes: %v", counts)
	}
	w.scale(0)
	w.settle()
	w.expectMembers(0)
	if got := w.pool().Status; got.Replicas != 0 || got.ReadyReplicas != 0 || got.ObservedGeneration != 2 {
		t.Errorf("status after scaling to zero: %+v", got)
	}
}

func count(writes []string) map[string]int {
	all := map[string]int{}
	for _, write := range writes {
		all[write]++
	}
	return all
}

func TestABlindCacheMakesNoSecondMembers(t *testing.T) {
	w := newWorld(t, testOptions, python(), poolOfThree())
	for range 5 {
		if _, err := w.pass(); err != nil {
			t.Fatal(err)
		}
	}
	w.expectMembers(3)
	w.clock.SetTime(testNow.Add(time.Minute)) // longer than waits.CacheLag: the pool asks the API server
	if _, err := w.pass(); err != nil {
		t.Fatal(err)
	}
	w.expectMembers(3)
	for _, name := range w.members() {
		if err := w.store.Delete(context.Background(), w.stored()[name]); err != nil {
			t.Fatal(err)
		}
	}
	w.clock.SetTime(testNow.Add(2 * time.Minute)) // the watch skipped them
	if _, err := w.pass(); err != nil {
		t.Fatal(err)
	}
	w.expectMembers(3)
}

func TestStrategies(t *testing.T) {
	recreate := builders.WithUpdateStrategy(extensionsv1beta1.RecreateSandboxWarmPoolUpdateStrategyType)
	label := func(s *extensionsv1beta1.SandboxTemplateSpec) {
		s.PodTemplate.ObjectMeta.Labels = map[string]string{"team": "blue"}
	}
	newImage := image("localhost/python:v2")
	tests := map[string]struct {
		pool   []builders.PoolOption
		change func(*extensionsv1beta1.SandboxTemplateSpec)
		kept   int
	}{
		"Recreate replaces all members of an older template":       {[]builders.PoolOption{recreate}, newImage, 0},
		"Recreate leaves members alone when only metadata changes": {[]builders.PoolOption{recreate}, label, 3},
		"OnReplenish leaves stale members":                         {nil, newImage, 3},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, testOptions, python(), poolOfThree(tt.pool...))
			w.settle()
			before := w.expectMembers(3)
			w.updateTemplate(tt.change)
			w.settle()
			kept := 0
			for _, name := range w.expectMembers(3) {
				if slices.Contains(before, name) {
					kept++
				}
			}
			if kept != tt.kept {
				t.Errorf("%d members were kept, want %d", kept, tt.kept)
			}
		})
	}
}

func TestALabelThatSomebodyEditedIsMended(t *testing.T) {
	const (
		pools     = "agents.x-k8s.io/warm-pool-sandbox"
		templates = "agents.x-k8s.io/sandbox-template-ref-hash"
		hashes    = "agents.x-k8s.io/sandbox-pod-template-hash"
	)
	recreate := builders.WithUpdateStrategy(extensionsv1beta1.RecreateSandboxWarmPoolUpdateStrategyType)
	tests := map[string]struct {
		strategy []builders.PoolOption
		label    string
		replaced bool
	}{
		"the pool's":                 {nil, pools, false},
		"the pool's, under Recreate": {[]builders.PoolOption{recreate}, pools, false},
		"the template's":             {nil, templates, false},
		"the template's, under Recreate: it looks like another's": {[]builders.PoolOption{recreate}, templates, true},
		"the hash's, under Recreate: the content is right":        {[]builders.PoolOption{recreate}, hashes, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, testOptions, python(), poolOfThree(tt.strategy...))
			w.settle()
			edited := w.expectMembers(3)[0]
			right := w.stored()[edited].Labels[tt.label]
			for _, wrong := range []string{"", "wrong"} {
				if w.stored()[edited] == nil {
					break
				}
				w.setLabel(edited, tt.label, wrong)
				w.settle()
				s := w.stored()[edited]
				if (s == nil) != tt.replaced || (s != nil && s.Labels[tt.label] != right) {
					t.Errorf("edited to %q: %+v", wrong, s)
				}
				w.expectMembers(3)
			}
		})
	}
}

func TestAMemberThatAClaimTakesWhileItsLabelIsMendedIsTheClaims(t *testing.T) {
	w := newWorld(t, testOptions, python(), poolOfThree())
	w.settle()
	edited := w.expectMembers(3)[0]
	w.setLabel(edited, "agents.x-k8s.io/warm-pool-sandbox", "wrong")
	w.intercept = func(what string, do func() error) error {
		if what == "patch Sandbox" {
			w.adoptByClaim(edited)
		}
		return do()
	}
	w.syncCache()
	if _, err := w.pass(); err != nil {
		t.Error(err)
	}
	w.intercept = nil
	w.settle()
	if s := w.stored()[edited]; poolOf(s) != nil || s.Labels["agents.x-k8s.io/warm-pool-sandbox"] != "" {
		t.Errorf("it was taken back: %+v", s.ObjectMeta)
	}
	w.expectMembers(3)
}

func TestAPoolWithoutItsTemplateSaysSoOnceAndHeals(t *testing.T) {
	w := newWorld(t, testOptions, poolOfThree())
	w.settle()
	w.settle()
	w.expectMembers(0)
	if got := w.events(); len(got) != 1 || !strings.Contains(got[0], "TemplateNotFound") {
		t.Errorf("events: %q", got)
	}
	if err := w.store.Create(context.Background(), python()); err != nil {
		t.Fatal(err)
	}
	if requests := w.reconciler.poolsUsingTemplate(context.Background(), python()); len(requests) != 1 ||
		requests[0].Name != "pool" {
		t.Errorf("the template wakes %v", requests)
	}
	w.settle()
	w.expectMembers(3)
}

func (w *world) events() (all []string) {
	for {
		select {
		case e := <-w.recorder.Events:
			all = append(all, e)
		default:
			return all
		}
	}
}
