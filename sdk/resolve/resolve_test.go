// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package resolve_test

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakecluster"
)

var now = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func sandbox(name string, change ...func(*agentsv1beta1.Sandbox)) *agentsv1beta1.Sandbox {
	s := &agentsv1beta1.Sandbox{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "ns", UID: types.UID("uid-of-" + name)}}
	for _, c := range change {
		c(s)
	}
	return s
}

func claim(name, sandbox string) *extensionsv1beta1.SandboxClaim {
	return &extensionsv1beta1.SandboxClaim{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "ns", UID: types.UID("uid-of-claim-" + name)},
		Status:     extensionsv1beta1.SandboxClaimStatus{SandboxStatus: extensionsv1beta1.SandboxStatus{Name: sandbox}},
	}
}

func heldBy(c *extensionsv1beta1.SandboxClaim) func(*agentsv1beta1.Sandbox) {
	return func(s *agentsv1beta1.Sandbox) {
		s.OwnerReferences = []metav1.OwnerReference{{Kind: apis.KindSandboxClaim, Name: c.Name, UID: c.UID, Controller: new(true)}}
	}
}

// pod returns a running Pod that the named Sandbox owns.
func pod(name, owner string, change ...func(*corev1.Pod)) *corev1.Pod {
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: "ns", Labels: map[string]string{apis.LabelSandboxNameHash: naming.Hash(owner)},
			OwnerReferences: []metav1.OwnerReference{{Kind: apis.KindSandbox, Name: owner, UID: types.UID("uid-of-" + owner), Controller: new(true)}},
		},
		Status: corev1.PodStatus{Phase: corev1.PodRunning},
	}
	for _, c := range change {
		c(p)
	}
	return p
}

func unlabelled(p *corev1.Pod) { p.Labels = nil }
func foreign(p *corev1.Pod)    { p.OwnerReferences = nil }
func ended(p *corev1.Pod)      { p.Status.Phase = corev1.PodFailed }
func pending(p *corev1.Pod)    { p.Status.Phase = corev1.PodPending }
func suspended(s *agentsv1beta1.Sandbox) {
	s.Spec.Replicas = new(int32(0))
}

func resolver(refuse map[string]error, objects ...runtime.Object) *resolve.Resolver {
	cluster := fakecluster.New(objects...)
	for request, err := range refuse {
		verb, resource, _ := strings.Cut(request, " ")
		cluster.Refuse(verb, resource, err)
	}
	return resolve.New(cluster.Sandboxes, cluster.Kubernetes, clocktesting.NewFakePassiveClock(now))
}

var (
	notServed = fakecluster.NotServed()
	forbidden = fakecluster.Forbidden("get", apis.ResourceClaims, apis.GroupExtensions)
)

func TestObjects(t *testing.T) {
	held := claim("dev", "dev-x7k2p")
	tests := map[string]struct {
		ref     string
		objects []runtime.Object
		refuse  map[string]error
		want    string // claim, Sandbox and Pod
		cause   resolve.Cause
	}{
		"a name is a claim even if there is a Sandbox of that name": {
			ref:     "dev",
			objects: []runtime.Object{held, sandbox("dev-x7k2p", heldBy(held)), sandbox("dev"), pod("warm-1", "dev-x7k2p")},
			want:    "dev dev-x7k2p warm-1",
		},
		"a name without a claim is a Sandbox":         {ref: "dev", objects: []runtime.Object{sandbox("dev"), pod("dev", "dev")}, want: "- dev dev"},
		"sandbox/NAME passes over a claim":            {ref: "sandbox/dev", objects: []runtime.Object{held, sandbox("dev")}, want: "- dev -"},
		"a new claim has no Sandbox yet":              {ref: "claim/dev", objects: []runtime.Object{claim("dev", "")}, want: "dev - -"},
		"a claim does not lead to another's Sandbox":  {ref: "dev", objects: []runtime.Object{held, sandbox("dev-x7k2p", heldBy(claim("other", "")))}, want: "dev - -"},
		"without the extensions' CRDs Sandboxes work": {ref: "dev", objects: []runtime.Object{sandbox("dev")}, refuse: map[string]error{"get sandboxclaims": notServed}, want: "- dev -"},
		"without permission to read claims Sandboxes work": {
			ref: "dev", objects: []runtime.Object{sandbox("dev")}, refuse: map[string]error{"get sandboxclaims": forbidden}, want: "- dev -",
		},
		"a cluster without any CRDs says so": {
			ref: "dev", refuse: map[string]error{"get sandboxclaims": notServed, "get sandboxes": notServed}, cause: resolve.NotInstalled,
		},
		"nothing of the name is an error":               {ref: "dev", cause: resolve.NotFound},
		"a Pod leads to its Sandbox":                    {ref: "pod/p", objects: []runtime.Object{sandbox("dev"), pod("p", "dev")}, want: "- dev p"},
		"a Pod without a Sandbox is refused":            {ref: "pod/p", objects: []runtime.Object{pod("p", "dev", foreign)}, cause: resolve.WrongKind},
		"a pool is no sandbox":                          {ref: "pool/p", cause: resolve.WrongKind},
		"a foreign Pod of the Sandbox's name is no Pod": {ref: "dev", objects: []runtime.Object{sandbox("dev"), pod("dev", "dev", foreign)}, want: "- dev -"},
		"an owned Pod that lost its label is found by its name": {
			ref: "dev", objects: []runtime.Object{sandbox("dev"), pod("dev", "dev", unlabelled)}, want: "- dev dev",
		},
		"of two owned Pods the one that has not ended is taken": {
			ref: "dev", objects: []runtime.Object{sandbox("dev"), pod("a", "dev", ended), pod("b", "dev")}, want: "- dev b",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			ref, err := resolve.Parse(tt.ref)
			if err != nil {
				t.Fatal(err)
			}
			target, err := resolver(tt.refuse, tt.objects...).Objects(t.Context(), "ns", ref)
			if tt.cause != "" {
				if !resolve.Is(err, tt.cause) {
					t.Fatalf("error %v is not %s", err, tt.cause)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got := []string{"-", "-", "-"}
			if target.Claim != nil {
				got[0] = target.Claim.Name
			}
			if target.Sandbox != nil {
				got[1] = target.Sandbox.Name
			}
			if target.Pod != nil {
				got[2] = target.Pod.Name
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("got %q, want %q", strings.Join(got, " "), tt.want)
			}
		})
	}
}

func TestAbsenceNamesTheClaimsThatCouldNotBeSearched(t *testing.T) {
	_, err := resolver(map[string]error{"get sandboxclaims": forbidden}).Objects(t.Context(), "ns", resolve.Ref{Name: "dev"})
	if err == nil || !strings.Contains(err.Error(), "you may not get sandboxclaims."+apis.GroupExtensions) {
		t.Errorf("got %v", err)
	}
}

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
		"a running Pod can be used":                      {objects: []runtime.Object{sandbox("dev"), pod("dev", "dev")}},
		"a suspended Sandbox says how to resume it":      {objects: []runtime.Object{sandbox("dev", suspended)}, cause: resolve.Suspended, next: "resume dev"},
		"an expired Sandbox says so":                     {objects: []runtime.Object{sandbox("dev", over)}, cause: resolve.Expired, next: "describe dev"},
		"a Pod that was made to end is not its end":      {objects: []runtime.Object{sandbox("dev"), pod("dev", "dev", ended, func(p *corev1.Pod) { p.DeletionTimestamp = &metav1.Time{Time: now} })}, cause: resolve.NotReady, next: "describe dev"},
		"a Pod that its node threw out is not its end":   {objects: []runtime.Object{sandbox("dev"), pod("dev", "dev", ended, func(p *corev1.Pod) { p.Status.Reason = "Evicted" })}, cause: resolve.NotReady, next: "describe dev"},
		"an ended Pod points at its logs":                {objects: []runtime.Object{sandbox("dev"), pod("dev", "dev", ended)}, cause: resolve.Finished, next: "logs dev"},
		"a Pod that has not started is not ready":        {objects: []runtime.Object{sandbox("dev"), pod("dev", "dev", pending)}, cause: resolve.NotReady, next: "describe dev"},
		"a Sandbox without a Pod is not ready":           {objects: []runtime.Object{sandbox("dev")}, cause: resolve.NotReady, next: "describe dev"},
		"a claim without a Sandbox is not ready":         {objects: []runtime.Object{claim("dev", "")}, cause: resolve.NotReady, next: "describe dev"},
		"a Sandbox whose claim is gone is going too":     {objects: []runtime.Object{sandbox("dev", heldBy(claim("dev", ""))), pod("dev", "dev")}, cause: resolve.Deleting},
		"a Sandbox that is being deleted cannot be used": {objects: []runtime.Object{sandbox("dev", deleting), pod("dev", "dev")}, cause: resolve.Deleting},
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
		"a bare name is of any kind":               {text: "dev", want: resolve.Ref{Name: "dev"}},
		"a kind can be said":                       {text: "claim/dev", want: resolve.Ref{Kind: resolve.KindClaim, Name: "dev"}},
		"what -o name prints of a Sandbox is read": {text: "sandbox." + apis.GroupAgents + "/dev", want: resolve.Ref{Kind: resolve.KindSandbox, Name: "dev"}},
		"what -o name prints of a claim is read":   {text: "sandboxclaim." + apis.GroupExtensions + "/dev", want: resolve.Ref{Kind: resolve.KindClaim, Name: "dev"}},
		"short names work":                         {text: "swp/p", want: resolve.Ref{Kind: resolve.KindPool, Name: "p"}},
		"a kind of another group is refused":       {text: "sandbox.example.com/dev", bad: true},
		"a kind that is not ours is refused":       {text: "service/dev", bad: true},
		"an empty name is refused":                 {text: "pod/", bad: true},
		"a name with a second slash is refused":    {text: "pod/a/b", bad: true},
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
