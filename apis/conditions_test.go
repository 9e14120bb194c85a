// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package apis_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
)

var (
	now     = metav1.NewTime(time.Date(2026, time.April, 13, 12, 0, 0, 0, time.UTC))
	earlier = metav1.NewTime(now.Add(-time.Hour))
)

func TestNewConditionTellsSinceWhenTheStatusIsWhatItIs(t *testing.T) {
	ready := func(status metav1.ConditionStatus) metav1.Condition {
		return metav1.Condition{
			Type: "Ready", Status: status, Reason: "Old", Message: "old", LastTransitionTime: earlier, ObservedGeneration: 1,
		}
	}
	finished := metav1.Condition{Type: "Finished", Status: metav1.ConditionTrue, LastTransitionTime: earlier}
	tests := map[string]struct {
		was  []metav1.Condition
		want metav1.Time
	}{
		"a first condition begins now":                {nil, now},
		"another condition's time says nothing":       {[]metav1.Condition{finished}, now},
		"a status that stays keeps its time":          {[]metav1.Condition{finished, ready(metav1.ConditionTrue)}, earlier},
		"a status that turns from False begins now":   {[]metav1.Condition{ready(metav1.ConditionFalse)}, now},
		"a status that turns from Unknown begins now": {[]metav1.Condition{ready(metav1.ConditionUnknown)}, now},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := apis.NewCondition(test.was, apis.ConditionReady, true, apis.ReasonDependenciesReady, "text", 7, now)
			want := metav1.Condition{
				Type: "Ready", Status: metav1.ConditionTrue, Reason: "DependenciesReady", Message: "text",
				ObservedGeneration: 7, LastTransitionTime: test.want,
			}
			if got != want {
				t.Errorf("got %+v\nwant %+v", got, want)
			}
		})
	}
}

func TestNewConditionThatIsNotTrueIsFalse(t *testing.T) {
	got := apis.NewCondition(nil, apis.ConditionReady, false, apis.ReasonSandboxExpired, apis.MessageExpired, 1, now)
	if got.Status != metav1.ConditionFalse {
		t.Errorf("got %s", got.Status)
	}
}

func TestNewConditionLeavesTheOldOnesAlone(t *testing.T) {
	was := []metav1.Condition{{Type: "Ready", Status: metav1.ConditionTrue, Reason: "Old", LastTransitionTime: earlier}}
	apis.NewCondition(was, apis.ConditionReady, false, apis.ReasonSandboxExpired, "", 2, now)
	if was[0].Reason != "Old" || was[0].Status != metav1.ConditionTrue {
		t.Errorf("the old conditions became %+v", was)
	}
}

func TestConditionTrueOnlyWhenItIsThereAndTrue(t *testing.T) {
	all := []metav1.Condition{
		{Type: "Ready", Status: metav1.ConditionTrue}, {Type: "Suspended", Status: metav1.ConditionFalse},
	}
	for kind, want := range map[apis.ConditionType]bool{
		apis.ConditionReady: true, apis.ConditionSuspended: false, apis.ConditionFinished: false,
	} {
		if got := apis.ConditionTrue(all, kind); got != want {
			t.Errorf("%s: got %t, want %t", kind, got, want)
		}
	}
}

func TestFindConditionPointsIntoTheList(t *testing.T) {
	all := []metav1.Condition{{Type: "Suspended"}, {Type: "Ready"}}
	if got := apis.FindCondition(all, apis.ConditionReady); got != &all[1] {
		t.Errorf("got %+v", got)
	}
	if got := apis.FindCondition(all, apis.ConditionFinished); got != nil {
		t.Errorf("got %+v, want none", got)
	}
}
