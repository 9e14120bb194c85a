// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pool

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/provenance"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/sandboxspec"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

func strategies() map[string][]builders.PoolOption {
	return map[string][]builders.PoolOption{
		"OnReplenish": nil,
		"Recreate":    {builders.WithUpdateStrategy(extensionsv1beta1.RecreateSandboxWarmPoolUpdateStrategyType)},
	}
}

func otherImage(s *agentsv1beta1.Sandbox) { s.Spec.PodTemplate.Spec.Containers[0].Image = "evil" }

func TestAPlantedMemberTakesUpNoRoomAndIsDeleted(t *testing.T) {
	planted := map[string]func(*agentsv1beta1.Sandbox){
		"another image": otherImage, "one that was edited": func(s *agentsv1beta1.Sandbox) { s.Generation = 3 },
		"one that cannot be deleted": func(s *agentsv1beta1.Sandbox) {
			otherImage(s)
			s.Finalizers = []string{"example.com/hold"}
		},
	}
	for strategy, with := range strategies() {
		for what, plant := range planted {
			t.Run(strategy+" "+what, func(t *testing.T) {
				w := newWorld(t, testOptions, python(), poolOfThree(with...))
				w.settle()
				ours := w.expectMembers(3)
				if err := w.store.Create(context.Background(), member("pool-evil1", time.Hour, markReady, plant)); err != nil {
					t.Fatal(err)
				}
				w.settle()
				if s := w.stored()["pool-evil1"]; s != nil && s.DeletionTimestamp == nil {
					t.Error("it is there still")
				}
				for _, name := range ours {
					if w.stored()[name] == nil {
						t.Errorf("%s went for it", name)
					}
				}
				if said := w.events(); len(said) != 1 || !strings.Contains(said[0], "Warning ForeignMember Deleted pool-evil1: ") {
					t.Errorf("who planted it, or lost it, reads: %q", said)
				}
				if status := w.pool().Status; status.Replicas != 3 || len(status.Members.Revisions) != 1 {
					t.Errorf("status: %+v %+v", status, status.Members)
				}
			})
		}
	}
}

// An older operator recorded no revisions. Its members of an older template are kept.
func TestAnUpgradeKeepsTheMembersThatThereAre(t *testing.T) {
	older := python()
	image("before")(&older.Spec)
	objects := []client.Object{python(),
		poolOfThree(builders.WithPoolStatus(extensionsv1beta1.SandboxWarmPoolStatus{Selector: "x", Replicas: 3}))}
	var want string
	for i := range 3 {
		s := newMember(poolOfThree(), older, sandboxspec.BlueprintHash(older), fmt.Sprintf("pool-0000%d", i))
		builders.CreatedAt(testNow)(s)
		s.UID = types.UID(s.Name)
		want = provenance.Revision(s)
		objects = append(objects, s)
	}
	w := newWorld(t, testOptions, objects...)
	w.settle()
	if names := w.expectMembers(3); strings.Join(names, " ") != "pool-00000 pool-00001 pool-00002" {
		t.Errorf("members: %v", names)
	}
	if got := w.pool().Status.Members.Revisions; !slices.Equal(got, []string{want, provenance.CurrentRevision(python())}) {
		t.Errorf("revisions: %v", got)
	}
	w.restart()
	w.settle()
	w.expectMembers(3)
}

func TestWhichOrphansAreDeleted(t *testing.T) {
	older := python()
	image("before")(&older.Spec)
	orphan := func(name string, change ...func(*agentsv1beta1.Sandbox)) client.Object {
		s := newMember(poolOfThree(), older, sandboxspec.BlueprintHash(older), name)
		s.OwnerReferences, s.UID, s.CreationTimestamp = nil, "lost", metav1Time(testNow)
		for _, c := range change {
			c(s)
		}
		return s
	}
	edit := func(s *agentsv1beta1.Sandbox) { s.Generation = 2 }
	suspend := func(s *agentsv1beta1.Sandbox) { s.Spec.Replicas = new(int32(0)) }
	tests := map[string]struct {
		orphan client.Object
		stays  bool
	}{
		"a stale member as its pool left it": {orphan: orphan("pool-lost1")},
		"one of another name, a copy":        {orphan("mine"), true},
		"one that was edited":                {orphan("pool-lost1", edit), true},
		"one whose label is not its own":     {orphan("pool-lost1", otherImage), true},
		"one that is asleep":                 {orphan("pool-lost1", suspend), true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, testOptions, python(), poolOfThree(), tt.orphan)
			w.settle()
			if stays := w.stored()[tt.orphan.GetName()] != nil; stays != tt.stays {
				t.Errorf("it stays: %v", stays)
			}
		})
	}
}

func TestAnEventNamesAFewOfManyForeignMembers(t *testing.T) {
	var foreign []*agentsv1beta1.Sandbox
	removed := map[types.UID]bool{"stays": false}
	for _, name := range []string{"g", "f", "e", "d", "c", "b", "a", "stays"} {
		s := member(name, time.Hour)
		s.UID = types.UID(name)
		foreign = append(foreign, s)
		removed[s.UID] = name != "stays"
	}
	if got := foreignDeletionNote(foreign, removed); !strings.HasPrefix(got, "Deleted a, b, c, d, e and 2 more: ") {
		t.Error(got)
	}
	if got := foreignDeletionNote(foreign[7:], removed); got != "" {
		t.Errorf("nothing went: %q", got)
	}
}
