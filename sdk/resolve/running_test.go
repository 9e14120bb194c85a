// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package resolve_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

func TestRunning(t *testing.T) {
	over := func(s *agentsv1beta1.Sandbox) { s.Spec.ShutdownTime = &metav1.Time{Time: now} }
	deleting := func(s *agentsv1beta1.Sandbox) {
		s.DeletionTimestamp = &metav1.Time{Time: now}
		s.Finalizers = []string{"kubernetes"}
	}
	tests := map[string]struct {
		objects []runtime.Object
		cause   resolve.Cause
		next    string
	}{
		"a running Pod can be used": {objects: []runtime.Object{sandbox("dev"), pod("dev", "dev")}},
		"a suspended Sandbox says how to resume it": {
			objects: []runtime.Object{sandbox("dev", suspended)}, cause: resolve.Suspended, next: "resume dev",
		},
		"an expired Sandbox says so": {
			objects: []runtime.Object{sandbox("dev", over)}, cause: resolve.Expired, next: "describe dev",
		},
		"a Pod that was made to end is not its end": {
			objects: []runtime.Object{
				sandbox("dev"),
				pod("dev", "dev", ended, func(p *corev1.Pod) { p.DeletionTimestamp = &metav1.Time{Time: now} }),
			},
			cause: resolve.NotReady,
			next:  "describe dev",
		},
		"a Pod that its node threw out is not its end": {
			objects: []runtime.Object{
				sandbox("dev"),
				pod("dev", "dev", ended, func(p *corev1.Pod) { p.Status.Reason = "Evicted" }),
			},
			cause: resolve.NotReady,
			next:  "describe dev",
		},
		"an ended Pod points at its logs": {
			objects: []runtime.Object{sandbox("dev"), pod("dev", "dev", ended)}, cause: resolve.Finished, next: "logs dev",
		},
		"a Pod that has not started is not ready": {
			objects: []runtime.Object{sandbox("dev"), pod("dev", "dev", pending)}, cause: resolve.NotReady, next: "describe dev",
		},
		"a Sandbox without a Pod is not ready": {
			objects: []runtime.Object{sandbox("dev")}, cause: resolve.NotReady, next: "describe dev",
		},
		"a claim without a Sandbox is not ready": {
			objects: []runtime.Object{claim("dev", "")}, cause: resolve.NotReady, next: "describe dev",
		},
		"a Sandbox whose claim is gone is going too": {
			objects: []runtime.Object{sandbox("dev", heldBy(claim("dev", ""))), pod("dev", "dev")}, cause: resolve.Deleting,
		},
		"a Sandbox that is being deleted cannot be used": {
			objects: []runtime.Object{sandbox("dev", deleting), pod("dev", "dev")}, cause: resolve.Deleting,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := resolver(nil, tt.objects...).Running(t.Context(), "ns", resolve.Ref{Name: "dev"})
			if tt.cause == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			if !resolve.Is(err, tt.cause) {
				t.Fatalf("error %v is not %s", err, tt.cause)
			}
			if next := err.(interface{ NextStep() string }).NextStep(); next != tt.next {
				t.Errorf("next step %q, want %q", next, tt.next)
			}
		})
	}
}

func TestParse(t *testing.T) {
	tests := map[string]struct {
		text string
		want resolve.Ref
		bad  bool
	}{
		"a bare name is of any kind": {text: "dev", want: resolve.Ref{Name: "dev"}},
		"a kind can be said": {
			text: "claim/dev", want: resolve.Ref{Kind: resolve.KindClaim, Name: "dev"},
		},
		"what -o name prints of a Sandbox is read": {
			text: "sandbox." + apis.GroupAgents + "/dev", want: resolve.Ref{Kind: resolve.KindSandbox, Name: "dev"},
		},
		"what -o name prints of a claim is read": {
			text: "sandboxclaim." + apis.GroupExtensions + "/dev", want: resolve.Ref{Kind: resolve.KindClaim, Name: "dev"},
		},
		"short names work":                      {text: "swp/p", want: resolve.Ref{Kind: resolve.KindPool, Name: "p"}},
		"a kind of another group is refused":    {text: "sandbox.example.com/dev", bad: true},
		"a kind that is not ours is refused":    {text: "service/dev", bad: true},
		"an empty name is refused":              {text: "pod/", bad: true},
		"a name with a second slash is refused": {text: "pod/a/b", bad: true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := resolve.Parse(tt.text)
			if (err != nil) != tt.bad || got != tt.want {
				t.Errorf("Parse(%q) = %v, %v", tt.text, got, err)
			}
		})
	}
}

func TestContainer(t *testing.T) {
	two := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"}, Spec: corev1.PodSpec{
		Containers:     []corev1.Container{{Name: "proxy"}, {Name: "main"}},
		InitContainers: []corev1.Container{{Name: "setup"}},
	}}
	marked := two.DeepCopy()
	marked.Annotations = map[string]string{apis.AnnotationDefaultContainer: "main"}
	tests := map[string]struct {
		pod    *corev1.Pod
		wanted string
		want   string
		says   string
	}{
		"the first container is the default":         {pod: two, want: "proxy"},
		"the annotation names another default":       {pod: marked, want: "main"},
		"a named container is taken":                 {pod: marked, wanted: "setup", want: "setup"},
		"an unknown container lists those there are": {pod: two, wanted: "nope", says: "it has: proxy, main, setup"},
		"a Pod without containers is an error":       {pod: &corev1.Pod{}, says: "no containers"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := resolve.Container(tt.pod, tt.wanted)
			if got != tt.want || (tt.says != "") != (err != nil) || (err != nil && !strings.Contains(err.Error(), tt.says)) {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}
