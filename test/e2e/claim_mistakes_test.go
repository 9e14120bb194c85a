// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/e2e/harness"
)

// A claimMistake is a claim that cannot be served as things are: why, in what words, and what heals it.
type claimMistake struct {
	template func(*extensionsv1beta1.SandboxTemplate) // nil: there is none
	claim    func(*extensionsv1beta1.SandboxClaim)
	reason   string
	words    []string
	heal     func(h *harness.T, name string)
}

// healTemplate changes the template that a claim names.
func healTemplate(change func(*extensionsv1beta1.SandboxTemplate)) func(*harness.T, string) {
	return func(h *harness.T, name string) { harness.Change(h, name, &extensionsv1beta1.SandboxTemplate{}, change) }
}

func healClaim(change func(*extensionsv1beta1.SandboxClaimSpec)) func(*harness.T, string) {
	return func(h *harness.T, name string) {
		harness.Change(h, name, &extensionsv1beta1.SandboxClaim{}, func(claim *extensionsv1beta1.SandboxClaim) { change(&claim.Spec) })
	}
}

func plain(*extensionsv1beta1.SandboxTemplate) {}

func ofWarmPool(name string) func(*extensionsv1beta1.SandboxClaim) {
	return func(claim *extensionsv1beta1.SandboxClaim) {
		policy := extensionsv1beta1.WarmPoolPolicy(name)
		claim.Spec.WarmPool = &policy
	}
}

func podLabels(all map[string]string) func(*extensionsv1beta1.SandboxClaim) {
	return func(claim *extensionsv1beta1.SandboxClaim) {
		claim.Spec.PodMetadata = &extensionsv1beta1.Metadata{Labels: all}
	}
}

func both(changes ...func(*extensionsv1beta1.SandboxClaim)) func(*extensionsv1beta1.SandboxClaim) {
	return func(claim *extensionsv1beta1.SandboxClaim) {
		for _, change := range changes {
			change(claim)
		}
	}
}

func sourceMistakes() map[string]claimMistake {
	makePool := func(h *harness.T, name string) { h.Make(h.NewPool(name, name, 0)) }
	return map[string]claimMistake{
		"a template that is not there": {
			claim: func(*extensionsv1beta1.SandboxClaim) {}, reason: "TemplateNotFound",
			words: []string{`SandboxTemplate "TEMPLATE" does not exist`, "create it"},
			heal:  func(h *harness.T, name string) { h.Make(h.NewTemplate(name)) },
		},
		"a pool that is not there": {
			template: plain, claim: fromPool("TEMPLATE"), reason: "WarmPoolNotFound",
			words: []string{`SandboxWarmPool "TEMPLATE" does not exist`, "create it"}, heal: makePool,
		},
		"a pool of the template that is not there": {
			template: plain, claim: ofWarmPool("TEMPLATE"), reason: "WarmPoolNotFound",
			words: []string{`SandboxWarmPool "TEMPLATE" does not exist`}, heal: makePool,
		},
		"a pool of another template": {
			template: plain, claim: ofWarmPool("others"), reason: "WarmPoolNotFound", words: []string{`"others" keeps Sandboxes of template "other"`, "set warmpool"},
			heal: healClaim(func(spec *extensionsv1beta1.SandboxClaimSpec) { spec.WarmPool = nil }),
		},
		"a pool whose template is not there": {
			claim: fromPool("headless"), reason: "TemplateNotFound", words: []string{`SandboxTemplate "head" of SandboxWarmPool "headless" does not exist`},
			heal: func(h *harness.T, _ string) { h.Make(h.NewTemplate("head")) },
		},
	}
}

func additionMistakes() map[string]claimMistake {
	const allowed, overrides = extensionsv1beta1.EnvVarsInjectionPolicyAllowed, extensionsv1beta1.EnvVarsInjectionPolicyOverrides
	colour := withEnv(extensionsv1beta1.EnvVar{Name: "COLOUR", Value: "blue"})
	return map[string]claimMistake{
		"variables that the template forbids": {
			template: plain, claim: both(unpooled, colour), reason: "EnvVarsInjectionRejected", words: []string{"envVarsInjectionPolicy", `"TEMPLATE" to Allowed`},
			heal: healTemplate(mayEnv(allowed)),
		},
		"a variable that the template has": {
			template: func(template *extensionsv1beta1.SandboxTemplate) {
				mayEnv(allowed)(template)
				setEnv("COLOUR", "red")(template)
			},
			claim: both(unpooled, colour), reason: "EnvVarsInjectionRejected", words: []string{`"COLOUR" is set in container "main"`, "Overrides"},
			heal: healTemplate(mayEnv(overrides)),
		},
		"a variable for a container that is not there": {
			template: mayEnv(allowed), claim: both(unpooled, withEnv(extensionsv1beta1.EnvVar{Name: "A", Value: "b", ContainerName: "ghost"})),
			reason: "EnvVarsInjectionRejected", words: []string{`container "ghost" not found`, "one of main"},
			heal: healClaim(func(spec *extensionsv1beta1.SandboxClaimSpec) { spec.Env[0].ContainerName = "main" }),
		},
		"a variable for a warm Sandbox": {
			template: mayEnv(allowed), claim: colour, reason: "EnvVarsInjectionRejected", words: []string{"warm Sandbox cannot take environment variables", "none"},
			heal: healClaim(func(spec *extensionsv1beta1.SandboxClaimSpec) {
				none := extensionsv1beta1.WarmPoolPolicy(apis.WarmPoolNone)
				spec.WarmPool = &none
			}),
		},
		"volumes that the template forbids": {
			template: mounts("data"), claim: both(unpooled, withClaimVolume("data", "16Mi")), reason: "VolumeClaimTemplatesError",
			words: []string{"volumeClaimTemplatesPolicy", `"TEMPLATE" to Allowed`}, heal: healTemplate(mayVolumes(extensionsv1beta1.VolumeClaimTemplatesPolicyAllowed)),
		},
		"a label in our domain": {
			template: plain, claim: podLabels(map[string]string{"agents.x-k8s.io/claim-uid": "mine"}), reason: "InvalidMetadata",
			words: []string{"podMetadata.labels", "agents.x-k8s.io/claim-uid", "reserved", "remove it"},
			heal:  healClaim(func(spec *extensionsv1beta1.SandboxClaimSpec) { spec.PodMetadata = nil }),
		},
		"a label value that is none": {
			template: plain, claim: podLabels(map[string]string{"team": "a b"}), reason: "InvalidMetadata", words: []string{"podMetadata.labels", `"team"`, "not valid"},
			heal: healClaim(func(spec *extensionsv1beta1.SandboxClaimSpec) { spec.PodMetadata.Labels["team"] = "a-b" }),
		},
		"a label of the template's in additionalPodMetadata": {
			template: func(template *extensionsv1beta1.SandboxTemplate) {
				template.Spec.PodTemplate.ObjectMeta.Labels = map[string]string{"team": "template"}
			},
			claim: func(claim *extensionsv1beta1.SandboxClaim) {
				claim.Spec.AdditionalPodMetadata.Labels = map[string]string{"team": "claim"}
			},
			reason: "InvalidMetadata", words: []string{`sets "team" to "template" already`, "use podMetadata"},
			heal: healClaim(func(spec *extensionsv1beta1.SandboxClaimSpec) {
				spec.AdditionalPodMetadata = agentsv1beta1.PodMetadata{}
			}),
		},
	}
}

func TestAMistakeInAClaimSaysWhatToChangeAndHealsByItself(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.Make(h.NewTemplate("other"), h.NewPool("others", "other", 0), h.NewPool("headless", "head", 1))
	i := 0
	for _, mistakes := range []map[string]claimMistake{sourceMistakes(), additionMistakes()} {
		for title, m := range mistakes {
			i++
			name := fmt.Sprintf("mistake-%d", i)
			t.Run(title, func(t *testing.T) { t.Parallel(); m.check(h.In(t), name) })
		}
	}
}

// check makes the claim and, if there is one, its template, both of that name; so is a pool that is missing.
func (m claimMistake) check(h *harness.T, name string) {
	if m.template != nil {
		h.Make(h.NewTemplate(name, m.template))
	}
	claim := h.NewClaim(name, name, m.claim)
	if ref := claim.Spec.WarmPoolRef; ref != nil && ref.Name == "TEMPLATE" {
		ref.Name = name
	}
	if policy := claim.Spec.WarmPool; policy != nil && *policy == "TEMPLATE" {
		*policy = extensionsv1beta1.WarmPoolPolicy(name)
	}
	h.Make(claim)
	refused := h.ClaimCondition(name, "Ready=False/"+m.reason)
	message := apis.FindCondition(refused.Status.Conditions, apis.ConditionReady).Message
	for _, word := range m.words {
		if word = strings.ReplaceAll(word, "TEMPLATE", name); !strings.Contains(message, word) {
			h.Errorf("the message lacks %q: %s", word, message)
		}
	}
	if h.Get(name, &agentsv1beta1.Sandbox{}) || refused.Status.SandboxStatus.Name != "" {
		h.Errorf("it got a Sandbox nevertheless: %+v", refused.Status)
	}
	m.heal(h, name)
	h.Claimed(name)
}

func TestWhatNobodyCanMeanIsRefusedAtOnce(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	object := func(kind, spec string) string {
		return fmt.Sprintf(`{"apiVersion": "extensions.agents.x-k8s.io/v1beta1", "kind": %q, "metadata": {"name": "wrong"}, "spec": %s}`, kind, spec)
	}
	for title, row := range map[string]struct{ object, words string }{
		"a claim by template and by pool": {
			object("SandboxClaim", `{"sandboxTemplateRef": {"name": "a"}, "warmPoolRef": {"name": "b"}}`), "set exactly one of sandboxTemplateRef and warmPoolRef",
		},
		"a claim of nothing":                 {object("SandboxClaim", `{}`), "set exactly one of sandboxTemplateRef and warmPoolRef"},
		"a pool of less than nothing":        {object("SandboxWarmPool", `{"sandboxTemplateRef": {"name": "a"}, "replicas": -1}`), "greater than or equal to 0"},
		"a pool of more than can be counted": {object("SandboxWarmPool", `{"sandboxTemplateRef": {"name": "a"}, "replicas": 2147483648}`), "int32"},
		"a pool of no template":              {object("SandboxWarmPool", `{"replicas": 1}`), "sandboxTemplateRef"},
		"a shutdown policy that is none": {
			object("SandboxClaim", `{"sandboxTemplateRef": {"name": "a"}, "lifecycle": {"shutdownPolicy": "Keep"}}`), `"DeleteForeground"`,
		},
	} {
		t.Run(title, func(t *testing.T) {
			if r := h.ApplyResult(row.object); r.Code == 0 || !strings.Contains(r.Stderr, row.words) {
				t.Errorf("want an error that says %q: %v", row.words, r)
			}
		})
	}
}

func TestATemplateDeletedUnderAPoolAndAClaimBreaksNeitherAndIsMissedByTheNext(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.Make(h.NewTemplate("shell"), h.NewPool("warm", "shell", 2))
	h.Full("warm")
	h.Make(h.NewClaim("bound", "shell"))
	pod := h.Pod(h.Claimed("bound"))
	before := h.Full("warm")
	h.MustKubectl("delete", "sandboxtemplate/shell")
	h.Eventually("a warning about the pool", func() error { return oneEvent(h, "SandboxWarmPool", "warm", "TemplateNotFound") })
	h.Make(h.NewClaim("by-template", "shell"), h.NewClaim("by-pool", "", fromPool("warm")))
	h.ClaimCondition("by-template", "Ready=False/TemplateNotFound")
	h.ClaimCondition("by-pool", "Ready=False/TemplateNotFound")
	same(h, before, h.Full("warm"))
	if now := h.Pod(h.Claimed("bound")); now.UID != pod.UID {
		t.Errorf("the bound claim has Pod %s, and had %s", now.UID, pod.UID)
	}
	h.MustKubectl("delete", "sandbox/"+before[0].Name)
	h.Make(h.NewTemplate("shell"))
	h.Claimed("by-template")
	h.Claimed("by-pool")
	h.Full("warm")
	if !h.Get(pod.Name, &corev1.Pod{}) {
		t.Error("the bound claim's Pod is gone")
	}
}
