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

// invalidClaim is a claim that cannot be served: the reason and parts of the message, and the change that fixes it.
type invalidClaim struct {
	template     func(*extensionsv1beta1.SandboxTemplate) // nil: no template
	claim        func(*extensionsv1beta1.SandboxClaim)
	reason       string
	messageParts []string
	fix          func(h *harness.T, name string)
}

// fixTemplate returns a fix that changes the template that the claim names.
func fixTemplate(change func(*extensionsv1beta1.SandboxTemplate)) func(*harness.T, string) {
	return func(h *harness.T, name string) { harness.Patch(h, name, &extensionsv1beta1.SandboxTemplate{}, change) }
}

func fixClaim(change func(*extensionsv1beta1.SandboxClaimSpec)) func(*harness.T, string) {
	return func(h *harness.T, name string) {
		harness.Patch(h, name, &extensionsv1beta1.SandboxClaim{}, func(claim *extensionsv1beta1.SandboxClaim) {
			change(&claim.Spec)
		})
	}
}

func unchangedTemplate(*extensionsv1beta1.SandboxTemplate) {}

func withWarmPool(name string) func(*extensionsv1beta1.SandboxClaim) {
	return func(claim *extensionsv1beta1.SandboxClaim) {
		policy := extensionsv1beta1.WarmPoolPolicy(name)
		claim.Spec.WarmPool = &policy
	}
}

func withPodLabels(all map[string]string) func(*extensionsv1beta1.SandboxClaim) {
	return func(claim *extensionsv1beta1.SandboxClaim) {
		claim.Spec.PodMetadata = &extensionsv1beta1.Metadata{Labels: all}
	}
}

func allOf(changes ...func(*extensionsv1beta1.SandboxClaim)) func(*extensionsv1beta1.SandboxClaim) {
	return func(claim *extensionsv1beta1.SandboxClaim) {
		for _, change := range changes {
			change(claim)
		}
	}
}

func invalidSources() map[string]invalidClaim {
	makePool := func(h *harness.T, name string) { h.CreateAll(h.NewPool(name, name, 0)) }
	return map[string]invalidClaim{
		"a template that is not there": {
			claim: func(*extensionsv1beta1.SandboxClaim) {}, reason: "TemplateNotFound",
			messageParts: []string{`SandboxTemplate "TEMPLATE" does not exist`, "create it"},
			fix:          func(h *harness.T, name string) { h.CreateAll(h.NewTemplate(name)) },
		},
		"a pool that is not there": {
			template: unchangedTemplate, claim: byPool("TEMPLATE"), reason: "WarmPoolNotFound",
			messageParts: []string{`SandboxWarmPool "TEMPLATE" does not exist`, "create it"}, fix: makePool,
		},
		"a pool of the template that is not there": {
			template: unchangedTemplate, claim: withWarmPool("TEMPLATE"), reason: "WarmPoolNotFound",
			messageParts: []string{`SandboxWarmPool "TEMPLATE" does not exist`}, fix: makePool,
		},
		"a pool of another template": {
			template: unchangedTemplate, claim: withWarmPool("others"), reason: "WarmPoolNotFound",
			messageParts: []string{`"others" keeps Sandboxes of template "other"`, "set warmpool"},
			fix:          fixClaim(func(spec *extensionsv1beta1.SandboxClaimSpec) { spec.WarmPool = nil }),
		},
		"a pool whose template is not there": {
			claim: byPool("headless"), reason: "TemplateNotFound",
			messageParts: []string{`SandboxTemplate "head" of SandboxWarmPool "headless" does not exist`},
			fix:          func(h *harness.T, _ string) { h.CreateAll(h.NewTemplate("head")) },
		},
	}
}

func invalidAdditions() map[string]invalidClaim {
	const allowed, overrides = extensionsv1beta1.EnvVarsInjectionPolicyAllowed,
		extensionsv1beta1.EnvVarsInjectionPolicyOverrides
	colour := withEnv(extensionsv1beta1.EnvVar{Name: "COLOUR", Value: "blue"})
	return map[string]invalidClaim{
		"variables that the template forbids": {
			template: unchangedTemplate, claim: allOf(withoutWarmPool, colour), reason: "EnvVarsInjectionRejected",
			messageParts: []string{"envVarsInjectionPolicy", `"TEMPLATE" to Allowed`},
			fix:          fixTemplate(withEnvPolicy(allowed)),
		},
		"a variable that the template has": {
			template: func(template *extensionsv1beta1.SandboxTemplate) {
				withEnvPolicy(allowed)(template)
				withTemplateEnv("COLOUR", "red")(template)
			},
			claim: allOf(withoutWarmPool, colour), reason: "EnvVarsInjectionRejected",
			messageParts: []string{`"COLOUR" is already set in container "main"`, "Overrides"},
			fix:          fixTemplate(withEnvPolicy(overrides)),
		},
		"a variable for a container that is not there": {
			template: withEnvPolicy(allowed),
			claim:    allOf(withoutWarmPool, withEnv(extensionsv1beta1.EnvVar{Name: "A", Value: "b", ContainerName: "ghost"})),
			reason:   "EnvVarsInjectionRejected", messageParts: []string{`container "ghost" not found`, "one of main"},
			fix: fixClaim(func(spec *extensionsv1beta1.SandboxClaimSpec) { spec.Env[0].ContainerName = "main" }),
		},
		"a variable for a warm Sandbox": {
			template: withEnvPolicy(allowed), claim: colour, reason: "EnvVarsInjectionRejected",
			messageParts: []string{"warm Sandbox cannot take environment variables", "none"},
			fix: fixClaim(func(spec *extensionsv1beta1.SandboxClaimSpec) {
				none := extensionsv1beta1.WarmPoolPolicy(apis.WarmPoolNone)
				spec.WarmPool = &none
			}),
		},
		"volumes that the template forbids": {
			template: withMount("data"), claim: allOf(withoutWarmPool, withClaimVolume("data", "16Mi")),
			reason:       "VolumeClaimTemplatesError",
			messageParts: []string{"volumeClaimTemplatesPolicy", `"TEMPLATE" to Allowed`},
			fix:          fixTemplate(withVolumePolicy(extensionsv1beta1.VolumeClaimTemplatesPolicyAllowed)),
		},
		"a label in our domain": {
			template: unchangedTemplate, claim: withPodLabels(map[string]string{"agents.x-k8s.io/claim-uid": "mine"}),
			reason:       "InvalidMetadata",
			messageParts: []string{"podMetadata.labels", "agents.x-k8s.io/claim-uid", "reserved", "remove it"},
			fix:          fixClaim(func(spec *extensionsv1beta1.SandboxClaimSpec) { spec.PodMetadata = nil }),
		},
		"a label value that is none": {
			template: unchangedTemplate, claim: withPodLabels(map[string]string{"team": "a b"}), reason: "InvalidMetadata",
			messageParts: []string{"podMetadata.labels", `"team"`, "not valid"},
			fix:          fixClaim(func(spec *extensionsv1beta1.SandboxClaimSpec) { spec.PodMetadata.Labels["team"] = "a-b" }),
		},
		"a label of the template's in additionalPodMetadata": {
			template: func(template *extensionsv1beta1.SandboxTemplate) {
				template.Spec.PodTemplate.ObjectMeta.Labels = map[string]string{"team": "template"}
			},
			claim: func(claim *extensionsv1beta1.SandboxClaim) {
				claim.Spec.AdditionalPodMetadata.Labels = map[string]string{"team": "claim"}
			},
			reason: "InvalidMetadata", messageParts: []string{`already sets "team" to "template"`, "use podMetadata"},
			fix: fixClaim(func(spec *extensionsv1beta1.SandboxClaimSpec) {
				spec.AdditionalPodMetadata = agentsv1beta1.PodMetadata{}
			}),
		},
	}
}

func TestAMistakeInAClaimSaysWhatToChangeAndHealsByItself(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.CreateAll(h.NewTemplate("other"), h.NewPool("others", "other", 0), h.NewPool("headless", "head", 1))
	i := 0
	for _, mistakes := range []map[string]invalidClaim{invalidSources(), invalidAdditions()} {
		for title, m := range mistakes {
			i++
			name := fmt.Sprintf("mistake-%d", i)
			t.Run(title, func(t *testing.T) { t.Parallel(); m.check(h.In(t), name) })
		}
	}
}

// check creates the claim and, unless it is nil, its template. Both, and a missing pool, have the given name.
func (m invalidClaim) check(h *harness.T, name string) {
	if m.template != nil {
		h.CreateAll(h.NewTemplate(name, m.template))
	}
	claim := h.NewClaim(name, name, m.claim)
	if ref := claim.Spec.WarmPoolRef; ref != nil && ref.Name == "TEMPLATE" {
		ref.Name = name
	}
	if policy := claim.Spec.WarmPool; policy != nil && *policy == "TEMPLATE" {
		*policy = extensionsv1beta1.WarmPoolPolicy(name)
	}
	h.CreateAll(claim)
	refused := h.ClaimCondition(name, "Ready=False/"+m.reason)
	message := apis.FindCondition(refused.Status.Conditions, apis.ConditionReady).Message
	for _, word := range m.messageParts {
		if word = strings.ReplaceAll(word, "TEMPLATE", name); !strings.Contains(message, word) {
			h.Errorf("the message lacks %q: %s", word, message)
		}
	}
	if h.Get(name, &agentsv1beta1.Sandbox{}) || refused.Status.SandboxStatus.Name != "" {
		h.Errorf("the refused claim got a Sandbox: %+v", refused.Status)
	}
	m.fix(h, name)
	h.Claimed(name)
}

func TestWhatNobodyCanMeanIsRefusedAtOnce(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	object := func(kind, spec string) string {
		return fmt.Sprintf(`{"apiVersion": "extensions.agents.x-k8s.io/v1beta1", "kind": %q, "metadata": {"name": `+
			`"wrong"}, "spec": %s}`,
			kind, spec)
	}
	for title, row := range map[string]struct{ object, words string }{
		"a claim by template and by pool": {
			object("SandboxClaim", `{"sandboxTemplateRef": {"name": "a"}, "warmPoolRef": {"name": "b"}}`),
			"set exactly one of sandboxTemplateRef and warmPoolRef",
		},
		"a claim of nothing": {
			object("SandboxClaim", `{}`), "set exactly one of sandboxTemplateRef and warmPoolRef",
		},
		"a pool of less than nothing": {
			object("SandboxWarmPool", `{"sandboxTemplateRef": {"name": "a"}, "replicas": -1}`), "greater than or equal to 0",
		},
		"a pool of more than can be counted": {
			object("SandboxWarmPool", `{"sandboxTemplateRef": {"name": "a"}, "replicas": 2147483648}`), "int32",
		},
		"a pool of no template": {object("SandboxWarmPool", `{"replicas": 1}`), "sandboxTemplateRef"},
		"a shutdown policy that is none": {
			object("SandboxClaim", `{"sandboxTemplateRef": {"name": "a"}, "lifecycle": {"shutdownPolicy": "Keep"}}`),
			`"DeleteForeground"`,
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
	h.CreateAll(h.NewTemplate("shell"), h.NewPool("warm", "shell", 2))
	h.FullPool("warm")
	h.CreateAll(h.NewClaim("bound", "shell"))
	pod := h.Pod(h.Claimed("bound"))
	before := h.FullPool("warm")
	h.MustKubectl("delete", "sandboxtemplate/shell")
	h.Eventually("a warning about the pool", func() error {
		return checkOneEvent(h, "SandboxWarmPool", "warm", "TemplateNotFound")
	})
	h.CreateAll(h.NewClaim("by-template", "shell"), h.NewClaim("by-pool", "", byPool("warm")))
	h.ClaimCondition("by-template", "Ready=False/TemplateNotFound")
	h.ClaimCondition("by-pool", "Ready=False/TemplateNotFound")
	checkSame(h, before, h.FullPool("warm"))
	if now := h.Pod(h.Claimed("bound")); now.UID != pod.UID {
		t.Errorf("the bound claim has Pod %s, and had %s", now.UID, pod.UID)
	}
	h.MustKubectl("delete", "sandbox/"+before[0].Name)
	h.CreateAll(h.NewTemplate("shell"))
	h.Claimed("by-template")
	h.Claimed("by-pool")
	h.FullPool("warm")
	if !h.Get(pod.Name, &corev1.Pod{}) {
		t.Error("the bound claim's Pod is gone")
	}
}
