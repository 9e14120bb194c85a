// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package predicates

import (
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/event"

	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

func TestThePeriodicLookComesThrough(t *testing.T) {
	p := OrResync(SpecChanged())
	was := builders.Pool("p", "t", builders.WithGeneration(1), builders.WithResourceVersion("1"))
	another := builders.Pool("p", "t", builders.WithGeneration(1), builders.WithResourceVersion("2"))
	another.UID = "of the one that was made since"
	for name, tt := range map[string]struct {
		is   *extensionsv1beta1.SandboxWarmPool
		want bool
	}{
		"the same object":  {was, true},
		"a status write":   {builders.Pool("p", "t", builders.WithGeneration(1), builders.WithResourceVersion("2")), false},
		"another object":   {another, true},
		"a change of spec": {builders.Pool("p", "t", builders.WithGeneration(2), builders.WithResourceVersion("2")), true},
	} {
		if got := p.Update(event.UpdateEvent{ObjectOld: was, ObjectNew: tt.is}); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
	if !p.Create(event.CreateEvent{Object: was}) || !p.Delete(event.DeleteEvent{Object: was}) {
		t.Error("a beginning or an end does not come through")
	}
}
