// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/test/e2e/harness"
)

// byPool makes a claim name a pool instead of a template.
func byPool(name string) func(*extensionsv1beta1.SandboxClaim) {
	return func(claim *extensionsv1beta1.SandboxClaim) {
		claim.Spec.TemplateRef, claim.Spec.WarmPoolRef = nil, &extensionsv1beta1.WarmPoolRef{Name: name}
	}
}

func recreate(pool *extensionsv1beta1.SandboxWarmPool) {
	pool.Spec.UpdateStrategy = &extensionsv1beta1.SandboxWarmPoolUpdateStrategy{
		Type: extensionsv1beta1.RecreateSandboxWarmPoolUpdateStrategyType,
	}
}

func onReplenish(pool *extensionsv1beta1.SandboxWarmPool) {
	pool.Spec.UpdateStrategy = &extensionsv1beta1.SandboxWarmPoolUpdateStrategy{
		Type: extensionsv1beta1.OnReplenishSandboxWarmPoolUpdateStrategyType,
	}
}

// withTemplateEnv sets an environment variable of the template's container.
func withTemplateEnv(name, value string) func(*extensionsv1beta1.SandboxTemplate) {
	return func(template *extensionsv1beta1.SandboxTemplate) {
		template.Spec.PodTemplate.Spec.Containers[0].Env = []corev1.EnvVar{{Name: name, Value: value}}
	}
}

// hasEnv returns a check that a Sandbox's first container has the variable.
func hasEnv(name, value string) func(*agentsv1beta1.Sandbox) error {
	return func(s *agentsv1beta1.Sandbox) error {
		for _, variable := range s.Spec.PodTemplate.Spec.Containers[0].Env {
			if variable.Name == name && variable.Value == value {
				return nil
			}
		}
		return fmt.Errorf("%s is not %s", name, value)
	}
}

// notAmong returns a check that a Sandbox is none of the given ones.
func notAmong(than []agentsv1beta1.Sandbox) func(*agentsv1beta1.Sandbox) error {
	return func(s *agentsv1beta1.Sandbox) error {
		if _, among := uids(than)[s.UID]; among {
			return fmt.Errorf("it existed before")
		}
		return nil
	}
}

func uids(sandboxes []agentsv1beta1.Sandbox) map[types.UID]string {
	all := map[types.UID]string{}
	for _, s := range sandboxes {
		all[s.UID] = s.Name
	}
	return all
}

// checkSame fails the test unless both lists are the same Sandboxes and none of them is being deleted.
func checkSame(h *harness.T, before, after []agentsv1beta1.Sandbox) {
	h.Helper()
	names := uids(before)
	for _, s := range after {
		if names[s.UID] == "" || s.DeletionTimestamp != nil {
			h.Errorf("Sandbox %s is new or is being deleted", s.Name)
		}
		delete(names, s.UID)
	}
	if len(names) > 0 {
		h.Errorf("gone are %v", names)
	}
}

func TestTwentyClaimsAtOnceAreEachServedAndThePoolIsRefilled(t *testing.T) {
	t.Parallel()
	const claims = 20
	for name, replicas := range map[string]int32{"from a pool of 25": 25, "from a pool of 5": 5} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := harness.New(t)
			pool := h.NewPool("warm", "shell", replicas)
			owners, history := watchOwners(h), watchClaims(h)
			h.CreateAll(h.NewTemplate("shell"), pool)
			before := uids(h.FullPool("warm"))
			var group sync.WaitGroup
			for i := range claims {
				claim := h.NewClaim(fmt.Sprintf("claim-%d", i), "shell")
				if i%2 == 0 {
					byPool("warm")(claim)
				}
				group.Go(func() {
					if err := h.Client.Create(h.Context(), claim); err != nil {
						t.Errorf("create %s: %v", claim.Name, err)
					}
				})
			}
			group.Wait()
			got, warm := map[types.UID]string{}, 0
			for i := range claims {
				name := fmt.Sprintf("claim-%d", i)
				s := h.Claimed(name)
				if other, taken := got[s.UID]; taken {
					t.Errorf("%s and %s have the same Sandbox %s", name, other, s.Name)
				}
				got[s.UID] = name
				switch _, member := before[s.UID]; {
				case harness.Warm(s):
					warm++
				case member:
					t.Errorf("%s adopted member %s, but its label says that it started cold", name, s.Name)
				case s.Name != name:
					t.Errorf("%s started cold as %s", name, s.Name)
				}
			}
			if want := min(claims, int(replicas)); warm < want {
				t.Errorf("%d claims got a warm Sandbox, want %d", warm, want)
			}
			for _, s := range h.FullPool("warm") {
				if claim := got[s.UID]; claim != "" {
					t.Errorf("the pool counts %s, which %s has", s.Name, claim)
				}
			}
			owners.check(h, pool)
			history.check(h)
		})
	}
}

func TestATemplateRollsOutAsTheStrategySays(t *testing.T) {
	t.Parallel()
	t.Run("Recreate replaces all members, and those of no other template", func(t *testing.T) {
		t.Parallel()
		h := harness.New(t)
		pool, other := h.NewPool("warm", "shell", 3, recreate), h.NewPool("other", "another", 2, recreate)
		owners := watchOwners(h)
		h.CreateAll(h.NewTemplate("shell"), h.NewTemplate("another"), pool, other)
		before, untouched := h.FullPool("warm"), h.FullPool("other")
		harness.Patch(h, "shell", &extensionsv1beta1.SandboxTemplate{}, withTemplateEnv("COLOUR", "blue"))
		h.CreateAll(h.NewClaim("at-once", "shell"))
		if s := h.Claimed("at-once"); hasEnv("COLOUR", "blue")(s) != nil {
			t.Errorf("a claim got stale member %s", s.Name)
		}
		for _, s := range h.FullPool("warm", notAmong(before), hasEnv("COLOUR", "blue")) {
			if got := h.MustKubectl("exec", s.Name, "--", "sh", "-c", "echo $COLOUR"); got != "blue\n" {
				t.Errorf("in member %s COLOUR is %q", s.Name, got)
			}
		}
		checkSame(h, untouched, h.FullPool("other"))
		owners.check(h, pool, other)
	})
	for name, strategy := range map[string]func(*extensionsv1beta1.SandboxWarmPool){
		"OnReplenish": onReplenish, "no strategy": func(*extensionsv1beta1.SandboxWarmPool) {},
	} {
		t.Run(name+" replaces members as they go", func(t *testing.T) {
			t.Parallel()
			h := harness.New(t)
			pool := h.NewPool("warm", "shell", 3, strategy)
			owners := watchOwners(h)
			h.CreateAll(h.NewTemplate("shell"), pool)
			before := h.FullPool("warm")
			harness.Patch(h, "shell", &extensionsv1beta1.SandboxTemplate{}, withTemplateEnv("COLOUR", "blue"))
			h.CreateAll(h.NewClaim("next", "", byPool("warm")))
			taken := h.Claimed("next")
			if _, stale := uids(before)[taken.UID]; !stale {
				t.Errorf("the claim got %s, which is not one of the ready members", taken.Name)
			}
			var dropped string
			for _, s := range before {
				if s.UID != taken.UID {
					dropped = s.Name
				}
			}
			h.MustKubectl("delete", "sandbox/"+dropped, "--wait=false")
			h.Gone(dropped, &agentsv1beta1.Sandbox{})
			fresh := 0
			for _, s := range h.FullPool("warm") {
				switch _, stale := uids(before)[s.UID]; {
				case stale && hasEnv("COLOUR", "blue")(&s) == nil:
					t.Errorf("member %s was changed in place", s.Name)
				case !stale && hasEnv("COLOUR", "blue")(&s) != nil:
					t.Errorf("new member %s was made from the old template", s.Name)
				case !stale:
					fresh++
				}
			}
			if fresh != 2 {
				t.Errorf("%d members are new, want 2", fresh)
			}
			owners.check(h, pool)
		})
	}
	t.Run("another template of the same content replaces all members", func(t *testing.T) {
		t.Parallel()
		h := harness.New(t)
		pool := h.NewPool("warm", "shell", 2, recreate)
		owners := watchOwners(h)
		h.CreateAll(h.NewTemplate("shell"), h.NewTemplate("twin"), pool)
		before := h.FullPool("warm")
		harness.Patch(h, "warm", &extensionsv1beta1.SandboxWarmPool{}, func(pool *extensionsv1beta1.SandboxWarmPool) {
			pool.Spec.TemplateRef.Name = "twin"
		})
		h.FullPool("warm", notAmong(before), func(s *agentsv1beta1.Sandbox) error {
			if s.Annotations[apis.AnnotationTemplateRef] != "twin" ||
				s.Labels[apis.LabelSandboxTemplateRefHash] != naming.Hash("twin") {
				return fmt.Errorf("labels %v, annotations %v", s.Labels, s.Annotations)
			}
			return nil
		})
		owners.check(h, pool)
	})
	t.Run("metadata alone replaces nothing", func(t *testing.T) {
		t.Parallel()
		h := harness.New(t)
		h.CreateAll(h.NewTemplate("shell"), h.NewPool("warm", "shell", 1, recreate))
		before := h.FullPool("warm")
		harness.Patch(h, "shell", &extensionsv1beta1.SandboxTemplate{}, func(template *extensionsv1beta1.SandboxTemplate) {
			template.Labels = map[string]string{"team": "blue"}
			template.Spec.PodTemplate.ObjectMeta.Labels = map[string]string{"team": "blue"}
		})
		h.MustKubectl("scale", "sandboxwarmpool/warm", "--replicas=2")
		after := h.FullPool("warm")
		for _, s := range after {
			if _, old := uids(before)[s.UID]; !old && s.Spec.PodTemplate.ObjectMeta.Labels["team"] != "blue" {
				t.Errorf("new member %s lacks the template's label, so the change was not seen yet", s.Name)
			}
		}
		after = slices.DeleteFunc(after, func(s agentsv1beta1.Sandbox) bool { return s.UID != before[0].UID })
		checkSame(h, before, after)
	})
}

func TestKubectlScalesAPoolAndItsSelectorFindsThePods(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.CreateAll(h.NewTemplate("shell"), h.NewPool("warm", "shell", 1))
	h.FullPool("warm")
	h.MustKubectl("scale", "swp/warm", "--replicas=3")
	members := h.FullPool("warm")
	scale := h.MustKubectl("get", "--raw",
		"/apis/extensions.agents.x-k8s.io/v1beta1/namespaces/"+h.Namespace+"/sandboxwarmpools/warm/scale")
	var pool extensionsv1beta1.SandboxWarmPool
	if h.Get("warm", &pool); !strings.Contains(scale, `"selector":"`+pool.Status.Selector+`"`) ||
		!strings.Contains(scale, `"replicas":3`) {
		t.Errorf("the scale subresource is %s, the status %+v", scale, pool.Status)
	}
	pods := strings.Fields(h.MustKubectl("get", "pods", "-l", pool.Status.Selector, "-o", "name"))
	for _, member := range members {
		if !slices.Contains(pods, "pod/"+member.Name) || len(pods) != len(members) {
			t.Errorf("the selector finds %v, and the members are %v", pods, uids(members))
		}
	}
	h.MustKubectl("scale", "swp/warm", "--current-replicas=3", "--replicas=0")
	if left := h.FullPool("warm"); len(left) != 0 {
		t.Errorf("left are %d members", len(left))
	}
	h.CreateAll(h.NewClaim("cold", "", byPool("warm")))
	if s := h.Claimed("cold"); harness.Warm(s) || s.Name != "cold" {
		t.Errorf("from an empty pool came %s, %v", s.Name, s.Labels)
	}
}
