// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package rows

import (
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/lifecycle"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/diagnose"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/pool"
	b "github.com/agent-sandbox/kubectl-sandbox/test/builders"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func at(minutes int) time.Time {
	return time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC).Add(time.Duration(minutes) * time.Minute)
}

func TestTheRowOfAClaim(t *testing.T) {
	claim := func(options ...b.ClaimOption) *extensionsv1beta1.SandboxClaim {
		return b.Claim("dev", "python", append([]b.ClaimOption{b.WithUID("claim")}, options...)...)
	}
	ready := b.WithCondition(apis.ConditionReady, true, apis.ReasonDependenciesReady, "Pod is Ready", at(0))
	waiting := b.WithCondition(apis.ConditionReady, false, apis.ReasonTemplateNotFound, "no template\n python", at(0))
	held := func(name, launch string, owner *extensionsv1beta1.SandboxClaim) *agentsv1beta1.Sandbox {
		return b.Sandbox(name, b.WithUID("box"), b.OwnedBy(owner), b.WithLabel("agents.x-k8s.io/launch-type", launch),
			b.WithSandboxStatus(agentsv1beta1.SandboxStatus{NodeName: "node-a"}))
	}
	readyMember := held("fast-abcde", "warm", claim())
	readyMember.Status.Conditions = claim(ready).Status.Conditions
	tests := map[string]struct {
		claim *extensionsv1beta1.SandboxClaim
		held  *agentsv1beta1.Sandbox
		want  Row
	}{
		"without a Sandbox it has no source, and says why": {
			claim: claim(waiting),
			want:  Row{State: diagnose.Blocked, Reason: "no template python"},
		},
		"before the operator saw it, it says so": {
			claim: claim(b.CreatedAt(at(0))),
			want:  Row{State: diagnose.Starting, Reason: "the operator has not seen it yet"},
		},
		"a Pod's phase is left out where the message says why": {
			claim: claim(b.WithCondition(apis.ConditionReady, false, apis.ReasonDependenciesNotReady,
				"Pod exists with phase: Pending: Unschedulable: no nodes", at(0))),
			want: Row{State: diagnose.Blocked, Reason: "Unschedulable: no nodes"},
		},
		"which write was refused is left out": {
			claim: claim(b.WithCondition(apis.ConditionReady, false, apis.ReasonReconcilerError,
				`Error seen: create Pod dev: pods "dev" is forbidden: exceeded quota: q, used: pods=4`, at(0))),
			want: Row{State: diagnose.Blocked, Reason: "exceeded quota: q, used: pods=4"},
		},
		"a member that was not Ready is late": {
			claim: claim(ready, b.BoundTo("fast-abcde", "10.0.0.1")), held: held("fast-abcde", "warm", claim()),
			want: Row{State: diagnose.Ready, Source: SourceLate, Pool: "fast", Sandbox: "fast-abcde", IP: "10.0.0.1",
				Node: "node-a"},
		},
		"a Ready member is warm": {
			claim: claim(ready, b.CreatedAt(at(1)), b.BoundTo("fast-abcde", "10.0.0.1")), held: readyMember,
			want: Row{State: diagnose.Ready, Source: SourceWarm, Pool: "fast", Sandbox: "fast-abcde", IP: "10.0.0.1",
				Node: "node-a"},
		},
		"one that was made for it is cold": {
			claim: claim(ready, b.BoundTo("dev")), held: held("dev", "cold", claim()),
			want: Row{State: diagnose.Ready, Source: SourceCold, Sandbox: "dev", Node: "node-a"},
		},
		"a Sandbox of somebody else tells nothing": {
			claim: claim(ready, b.BoundTo("dev")), held: b.Sandbox("dev"),
			want: Row{State: diagnose.Ready, Sandbox: "dev"},
		},
		"an expired one is over": {
			claim: claim(ready, b.WithClaimShutdown(at(-1), extensionsv1beta1.ShutdownPolicyRetain)),
			want:  Row{State: diagnose.Expired},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := FromClaim(tt.claim, tt.held, nil, at(0))
			if got.State != tt.want.State || got.Source != tt.want.Source || got.Pool != tt.want.Pool ||
				got.Sandbox != tt.want.Sandbox ||
				got.IP != tt.want.IP || got.Node != tt.want.Node || (tt.want.Reason != "" && got.Reason != tt.want.Reason) {
				t.Errorf("got %+v\nwant %+v", *got, tt.want)
			}
		})
	}
}

func TestTheRowOfASandbox(t *testing.T) {
	owner := b.Pool("fast", "python", b.WithUID("pool"))
	pod := b.Pod("dev", b.CrashLoop(1, 3))
	member := FromSandbox(b.Sandbox("fast-abcde", b.WithUID("box"), b.OwnedBy(owner)), pod, true, at(0))
	if member.Source != SourcePool || member.Pool != "fast" || !member.Stale || member.Restarts != 3 {
		t.Errorf("a member: %+v", *member)
	}
	if own := FromSandbox(b.Sandbox("dev"), nil, false, at(0)); own.Source != SourceDirect || own.Pool != "" {
		t.Errorf("a Sandbox that somebody made: %+v", *own)
	}
	soon := FromSandbox(b.Sandbox("dev", b.WithShutdown(at(5), agentsv1beta1.ShutdownPolicyDelete)), nil, false, at(0))
	if soon.Outdated(at(4)) || !soon.Outdated(at(5)) {
		t.Error("a row is out of date from its deadline on")
	}
}

func TestFilters(t *testing.T) {
	all := []*Row{
		{Namespace: "a", Name: "web", Labels: map[string]string{"team": "red"}, State: diagnose.Ready, Node: "N1"},
		{Namespace: "a", Name: "worker", Labels: map[string]string{"team": "blue"}, State: diagnose.Failed, Node: "n2"},
		{Namespace: "b", Name: "web-2", State: diagnose.Starting, Reason: "no node has room"},
	}
	for _, r := range all {
		r.setSearchText()
	}
	tests := map[string]struct {
		filter string
		want   string
	}{
		"none takes all":                         {"", "web worker web-2"},
		"a word is looked for everywhere":        {"room", "web-2"},
		"in any case":                            {"n1", "web"},
		"all words must be there":                {"web no", "web-2"},
		"a namespace is part of the name":        {"a/web", "web"},
		"an exclamation mark leaves out":         {"!web", "worker"},
		"what it leaves out has all the words":   {"!web room", "web worker"},
		"an exclamation mark alone takes all":    {"!", "web worker web-2"},
		"-l selects by label":                    {"-l team=red", "web"},
		"-l may leave out":                       {"-l team!=red", "worker web-2"},
		"-l needs no space":                      {"-lteam", "web worker"},
		"-l alone, while it is typed, takes all": {"-l ", "web worker web-2"},
		"a state is a word like any other":       {"failed", "worker"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f, err := ParseFilter(tt.filter)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, r := range Select(all, f) {
				got = append(got, r.Name)
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("got %v, want %s", got, tt.want)
			}
		})
	}
	if _, err := ParseFilter("-l a==b==c"); err == nil {
		t.Error("a selector that is none was accepted")
	}
}

func TestOrders(t *testing.T) {
	ends := func(minutes int) lifecycle.Deadline {
		time := metav1.NewTime(at(minutes))
		return lifecycle.Of(&time, nil, nil)
	}
	all := []*Row{
		{Name: "b", State: diagnose.Ready, Created: at(1), Node: "z", Deadline: ends(9)},
		{Name: "a", State: diagnose.Ready, Created: at(3), Node: "y"},
		{Name: "d", State: diagnose.Failed, Created: at(2), Node: "x", Deadline: ends(5)},
		{Name: "c", State: diagnose.Starting, Created: at(4), Node: "x"},
	}
	for _, r := range all {
		r.setSearchText()
	}
	tests := map[Order]string{OrderTrouble: "dcab", OrderName: "abcd", OrderState: "dabc", OrderAge: "cadb",
		OrderEnds: "dbac", OrderNode: "cdab"}
	for _, order := range RowOrders() {
		rows := slices.Clone(all)
		SortRows(rows, order, false)
		if got := initials(rows); got != tests[order] {
			t.Errorf("by %s: got %s, want %s", order, got, tests[order])
		}
		SortRows(rows, order, true)
		slices.Reverse(rows)
		if got := initials(rows); got != tests[order] {
			t.Errorf("by %s, turned around twice: got %s", order, got)
		}
	}
}

func initials(rows []*Row) string {
	var text strings.Builder
	for _, r := range rows {
		text.WriteString(r.Name)
	}
	return text.String()
}

func TestPoolsInTroubleComeFirst(t *testing.T) {
	made := func(name string, desired int32, ready int) *Pool {
		object := b.Pool(name, "python", b.WithReplicas(desired), b.WithUID(types.UID(name)))
		return FromPool(&pool.Summary{Pool: object, Desired: int(desired), Ready: ready}, 0, 0, nil, nil)
	}
	all := []*Pool{made("full", 2, 2), made("off", 0, 0), made("dry", 5, 0), made("short", 4, 3)}
	SortPools(all, OrderTrouble, false)
	var got []string
	for _, p := range all {
		got = append(got, p.Name)
	}
	if strings.Join(got, " ") != "dry short full off" {
		t.Errorf("got %v", got)
	}
	if ratio, known := (&Pool{Warm: 3, Cold: 1}).HitRatio(); ratio != 0.75 || !known {
		t.Errorf("hit ratio %v, %v", ratio, known)
	}
	if _, known := (&Pool{}).HitRatio(); known {
		t.Error("without claims nothing is known")
	}
}

func TestTheRowOfATemplateSaysWhatItGives(t *testing.T) {
	template := b.Template("python", b.WithTemplateSpec(func(s *extensionsv1beta1.SandboxTemplateSpec) {
		s.EnvVarsInjectionPolicy = extensionsv1beta1.EnvVarsInjectionPolicyAllowed
		s.NetworkPolicyManagement = extensionsv1beta1.NetworkPolicyManagementUnmanaged
	}), b.WithVolume("data", "1Gi"))
	got := FromTemplate(template, []string{"fast"}, 3, "")
	if got.Images != b.Image || got.Volumes != 1 || got.Policy != "no network policy, env allowed" || got.Claims != 3 {
		t.Errorf("got %+v", *got)
	}
}
