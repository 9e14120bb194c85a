// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
)

func TestDeadlines(t *testing.T) {
	soon, later := testNow.Add(time.Minute), testNow.Add(time.Hour)
	done := newClaimed(newClaim("c"), newMember("p-a", newPool("p")), finished)
	tests := map[string]struct {
		lifecycle *extensionsv1beta1.Lifecycle
		sandbox   *agentsv1beta1.Sandbox
		want      time.Time
	}{
		"no lifecycle: never": {want: time.Time{}},
		"the shutdown time": {
			lifecycle: &extensionsv1beta1.Lifecycle{ShutdownTime: new(metav1.NewTime(soon))},
			want:      soon,
		},
		"a time to live counts from the end": {
			lifecycle: &extensionsv1beta1.Lifecycle{TTLSecondsAfterFinished: new(int32(60))},
			sandbox:   done, want: soon,
		},
		"and not before it": {
			lifecycle: &extensionsv1beta1.Lifecycle{TTLSecondsAfterFinished: new(int32(60))},
			sandbox:   newMember("p-a", newPool("p")),
		},
		"the earlier of both": {
			lifecycle: &extensionsv1beta1.Lifecycle{
				ShutdownTime: new(metav1.NewTime(later)), TTLSecondsAfterFinished: new(int32(60)),
			},
			sandbox: done, want: soon,
		},
		"the earlier of both, the other way": {
			lifecycle: &extensionsv1beta1.Lifecycle{
				ShutdownTime: new(metav1.NewTime(soon)), TTLSecondsAfterFinished: new(int32(3600)),
			},
			sandbox: done, want: soon,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			claim := newClaim("c", withSpec(func(s *extensionsv1beta1.SandboxClaimSpec) { s.Lifecycle = tt.lifecycle }))
			if got := deadlineOf(claim, tt.sandbox); !got.At().Equal(tt.want) {
				t.Errorf("got %v", got.At())
			}
		})
	}
}
