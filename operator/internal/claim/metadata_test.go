// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/metadata"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

type keys = map[string]string

func TestKeysThatNoClaimMaySet(t *testing.T) {
	long := strings.Repeat("x", 64)
	tests := map[string]struct {
		labels, annotations keys
		refused             string // part of the message; empty if accepted
	}{
		"keys of one's own": {
			labels: keys{"team": "a", "example.com/x": ""}, annotations: keys{"example.com/Note": "any text!"},
		},
		"a domain that only looks reserved": {labels: keys{"my-k8s.io/x": "a", "x-k8s.io/y": "b"}},
		"kubernetes.io": {
			labels: keys{"kubernetes.io/x": "a"}, refused: "reserved domain kubernetes.io",
		},
		"a subdomain of it": {
			annotations: keys{"cluster-autoscaler.kubernetes.io/safe-to-evict": "true"},
			refused:     "reserved domain kubernetes.io",
		},
		"k8s.io": {annotations: keys{"node.k8s.io/x": "a"}, refused: "reserved domain k8s.io"},
		"our own": {
			labels: keys{"agents.x-k8s.io/claim-uid": "a"}, refused: "reserved domain agents.x-k8s.io",
		},
		"our extensions'": {
			annotations: keys{"extensions.agents.x-k8s.io/x": "a"}, refused: "reserved domain agents.x-k8s.io",
		},
		"a label value that is too long":     {labels: keys{"team": long}, refused: `the value of "team"`},
		"a label value with spaces":          {labels: keys{"team": "a b"}, refused: `the value of "team"`},
		"a label key that is none":           {labels: keys{"a b": "x"}, refused: `key "a b"`},
		"an annotation key that is none":     {annotations: keys{"a,b": "x"}, refused: `key "a,b"`},
		"the router's identity":              {labels: keys{"app": "sandbox-router"}, refused: "identifies the router"},
		"annotations that are far too large": {annotations: keys{"x": strings.Repeat("x", 1<<19)}, refused: "shorten"},
	}
	fields := map[string]func(*extensionsv1beta1.SandboxClaimSpec, keys, keys){
		"additionalPodMetadata": func(s *extensionsv1beta1.SandboxClaimSpec, l, a keys) {
			s.AdditionalPodMetadata = agentsv1beta1.PodMetadata{Labels: l, Annotations: a}
		},
		"podMetadata": func(s *extensionsv1beta1.SandboxClaimSpec, l, a keys) {
			s.PodMetadata = &extensionsv1beta1.Metadata{Labels: l, Annotations: a}
		},
		"sandboxMetadata": func(s *extensionsv1beta1.SandboxClaimSpec, l, a keys) {
			s.SandboxMetadata = &extensionsv1beta1.Metadata{Labels: l, Annotations: a}
		},
	}
	for name, tt := range tests {
		for field, set := range fields {
			t.Run(field+": "+name, func(t *testing.T) {
				why := checkMetadata(
					newClaim("c", withSpec(func(s *extensionsv1beta1.SandboxClaimSpec) { set(s, tt.labels, tt.annotations) })),
				)
				switch {
				case tt.refused == "" && why != nil:
					t.Errorf("refused: %v", why)
				case tt.refused != "" && (why == nil || why.reason != apis.ReasonInvalidMetadata ||
					!strings.Contains(why.message, tt.refused) || !strings.HasPrefix(why.message, field+".")):
					t.Errorf("got %v, want %q", why, tt.refused)
				}
			})
		}
	}
}

// withPodLabels sets the labels of additionalPodMetadata and of podMetadata.
func withPodLabels(strict, merged keys) builders.ClaimOption {
	return withSpec(func(s *extensionsv1beta1.SandboxClaimSpec) {
		s.AdditionalPodMetadata.Labels = strict
		s.PodMetadata = &extensionsv1beta1.Metadata{Labels: merged}
	})
}

func TestAdditionalPodMetadataIsStrict(t *testing.T) {
	from := newTemplate(builders.WithPodLabel("tier", "template"))
	for value, want := range map[string]string{"template": "create c", "claim": "reject InvalidMetadata"} {
		if got := describe(
			nextStep(testNow, newClaim("c", withPodLabels(keys{"tier": value}, nil)), observed{template: from}),
		); got != want {
			t.Errorf("%s: %s, want %s", value, got, want)
		}
	}
	// A later change of the template does not break a running Sandbox.
	claim := newClaim("c", withPodLabels(keys{"tier": "claim"}, nil))
	running := newClaimed(claim, newMember("p-a", newPool("p")))
	if got := describe(nextStep(testNow, claim, observed{owned: sliceOf(running), template: from})); got != "keep p-a" {
		t.Error(got)
	}
	claim.Spec.AdditionalPodMetadata.Labels = keys{"tier": "other"}
	if got := describe(nextStep(testNow, claim, observed{owned: sliceOf(running), template: from})); !strings.Contains(
		got, `"tier"`,
	) {
		t.Error(got)
	}
}

func TestMetadataFollowsTheClaim(t *testing.T) {
	from := newTemplate(builders.WithPodLabel("tier", "template"), builders.WithPodLabel("zone", "template"),
		builders.WithLabel("team", "template"), builders.WithLabel("area", "template"))
	claim := newClaim(
		"c", withPodLabels(keys{"strict": "1"}, keys{"tier": "claim", "mine": "1"}),
		withSpec(func(s *extensionsv1beta1.SandboxClaimSpec) {
			s.SandboxMetadata = &extensionsv1beta1.Metadata{Labels: keys{"team": "a"}, Annotations: keys{"note": "x"}}
		}),
	)
	for name, start := range map[string][]any{
		"warm": {newPool("p"), newMemberFrom("p-a", newPool("p"), from)}, "cold": {},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, claim.DeepCopy(), from.DeepCopy())
			if len(start) > 0 {
				w.create(newPool("p"), newMemberFrom("p-a", newPool("p"), from))
				w.syncQueue()
			}
			w.settle()
			s := w.ownedBy("c-uid")[0]
			shows := func(step string, pod, sandbox keys) {
				t.Helper()
				w.settle()
				is := w.sandbox(s)
				if diff := cmp.Diff(pod, is.Spec.PodTemplate.ObjectMeta.Labels); diff != "" {
					t.Errorf("%s: the Pod's labels (-want +got):\n%s", step, diff)
				}
				labels := maps.Clone(is.Labels)
				maps.DeleteFunc(labels, func(key, _ string) bool { return apis.ReservedKey(key) })
				if !maps.Equal(labels, sandbox) {
					t.Errorf("%s: the Sandbox's labels %v, want %v", step, labels, sandbox)
				}
			}
			shows(
				"the claim wins", keys{"strict": "1", "tier": "claim", "zone": "template", "mine": "1"},
				keys{"team": "a", "area": "template"},
			)
			w.updateSandbox(s, func(s *agentsv1beta1.Sandbox) {
				s.Labels["foreign"], s.Spec.PodTemplate.ObjectMeta.Labels["foreign"] = "1", "1"
			})
			w.editClaim("c", func(c *extensionsv1beta1.SandboxClaim) {
				c.Spec.AdditionalPodMetadata.Labels, c.Spec.PodMetadata.Labels = nil, keys{"mine": "2"}
				c.Spec.SandboxMetadata.Labels["team"] = "b"
			})
			shows(
				"what the template has comes back, the rest goes, foreign keys stay",
				keys{
					"tier": "template", "zone": "template", "mine": "2", "foreign": "1",
				},
				keys{"team": "b", "area": "template", "foreign": "1"},
			)
			w.editClaim("c", func(c *extensionsv1beta1.SandboxClaim) { c.Spec.PodMetadata, c.Spec.SandboxMetadata = nil, nil })
			shows("nothing of the claim is left", keys{"tier": "template", "zone": "template", "foreign": "1"},
				keys{"team": "template", "area": "template", "foreign": "1"})
			if a := w.sandbox(s).Annotations; a["note"] != "" || a[apis.AnnotationClaimLabels] != "" ||
				a[apis.AnnotationClaimPodLabels] != "" {
				t.Errorf("annotations %v", a)
			}
			w.editClaim("c", func(c *extensionsv1beta1.SandboxClaim) {
				c.Spec.PodMetadata = &extensionsv1beta1.Metadata{Labels: keys{"k8s.io/x": "1"}}
			})
			w.settle()
			c := w.claim("c")
			if got := apis.FindCondition(
				c.Status.Conditions, apis.ConditionReady,
			); got.Reason != string(apis.ReasonInvalidMetadata) ||
				c.Status.SandboxStatus.Name != s {
				t.Errorf("a mistake of a bound claim: %+v", c.Status)
			}
		})
	}
}

func TestTheNoteOfKeysTakesNoKeyOfOurs(t *testing.T) {
	s := newClaimed(newClaim("c"), newMember("p-a", newPool("p")), func(s *agentsv1beta1.Sandbox) {
		s.Annotations[apis.AnnotationClaimLabels] = apis.LabelClaimUID + ",x"
	})
	if why := setMetadata(s, newClaim("c"), newTemplate()); why != nil {
		t.Fatal(why)
	}
	if s.Labels[apis.LabelClaimUID] == "" {
		t.Error("a forged note took the identity away")
	}
}

func TestTheHandOver(t *testing.T) {
	from := newTemplate(builders.WithPodLabel("new", "1"), builders.WithLabel("late", "1"))
	warm := newMember("p-a", newPool("p"), func(s *agentsv1beta1.Sandbox) {
		metadata.Set(&s.Spec.PodTemplate.ObjectMeta.Annotations, apis.AnnotationSafeToEvict, "true")
	})
	claim := newClaim("c", builders.WithAnnotation(apis.AnnotationTraceContext, "00-trace"))
	s, why := newAdoptedSandbox(warm, claim, from)
	if why != nil {
		t.Fatal(why)
	}
	if s.Spec.PodTemplate.ObjectMeta.Annotations[apis.AnnotationSafeToEvict] != "true" {
		t.Error("the spec changes for what the Sandbox's reconciler keeps off the Pod")
	}
	if s.Annotations[apis.AnnotationTraceContext] != "00-trace" || s.Spec.PodTemplate.ObjectMeta.Labels["new"] != "1" ||
		s.Labels["late"] != "1" {
		t.Errorf("trace %v, metadata of the template %v", s.Annotations, s.Spec.PodTemplate.ObjectMeta)
	}
	if warm.Labels[apis.LabelWarmPoolSandbox] == "" || len(warm.Spec.PodTemplate.ObjectMeta.Annotations) != 1 {
		t.Error("the member itself changed")
	}
}
