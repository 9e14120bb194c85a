// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sandboxspec

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

func newTemplate(options ...builders.TemplateOption) *extensionsv1beta1.SandboxTemplate {
	return builders.Template("python", options...)
}

func podSpec(change func(*corev1.PodSpec)) builders.TemplateOption {
	return builders.WithPodSpec(change)
}

func withSpec(change func(*extensionsv1beta1.SandboxTemplateSpec)) builders.TemplateOption {
	return builders.WithTemplateSpec(change)
}

func TestASandboxIsWhatTheTemplateSays(t *testing.T) {
	from := newTemplate(
		builders.WithPodLabel("team", "a"), builders.WithPodAnnotation("note", "b"), builders.WithVolume("data", "1Gi"),
		builders.WithService(true),
		builders.InNamespace("team"),
		builders.WithLabel("of", "the template"),
		builders.WithAnnotation("by", "somebody"),
		builders.WithLabel("app.kubernetes.io/managed-by", "somebody"),
		builders.WithLabel("agents.x-k8s.io/claim-uid", "forged"),
		builders.WithAnnotation("kubectl.kubernetes.io/last-applied-configuration", "{}"),
		builders.WithAnnotation(apis.AnnotationTraceContext, "00-its-own"),
	)
	before := from.DeepCopy()
	s := FromTemplate(from)
	if s.Name != "" || s.Namespace != "team" || len(s.OwnerReferences) != 0 {
		t.Errorf("it has a name or an owner: %+v", s.ObjectMeta)
	}
	if want := map[string]string{
		apis.LabelSandboxTemplateRefHash: naming.Hash("python"), "of": "the template",
	}; !maps.Equal(s.Labels, want) {
		t.Errorf("labels %v", s.Labels)
	}
	if want := map[string]string{
		apis.AnnotationTemplateRef: "python", "by": "somebody",
	}; !maps.Equal(s.Annotations, want) {
		t.Errorf("annotations %v", s.Annotations)
	}
	if diff := cmp.Diff(from.Spec.PodTemplate.ObjectMeta, s.Spec.PodTemplate.ObjectMeta); diff != "" {
		t.Errorf("the Pod's metadata (-template +got):\n%s", diff)
	}
	if diff := cmp.Diff(from.Spec.VolumeClaimTemplates, s.Spec.VolumeClaimTemplates); diff != "" {
		t.Errorf("volumes (-template +got):\n%s", diff)
	}
	if s.Spec.Service == nil || !*s.Spec.Service || s.Spec.Replicas == nil || *s.Spec.Replicas != 1 {
		t.Errorf("service %v, replicas %v", s.Spec.Service, s.Spec.Replicas)
	}
	s.Spec.PodTemplate.Spec.Containers[0].Image, s.Spec.PodTemplate.ObjectMeta.Labels["team"] = "changed", "changed"
	s.Spec.VolumeClaimTemplates[0].Name, *s.Spec.Service = "changed", false
	if diff := cmp.Diff(before, from); diff != "" {
		t.Errorf("the template changed with its Sandbox:\n%s", diff)
	}
}

func TestSecureDefaults(t *testing.T) {
	resolvers := &corev1.PodDNSConfig{Nameservers: []string{"8.8.8.8", "1.1.1.1"}}
	theirs := &corev1.PodDNSConfig{Nameservers: []string{"192.0.2.1"}}
	tests := map[string]struct {
		option    builders.TemplateOption
		wantToken bool
		wantDNS   corev1.DNSPolicy
		want      *corev1.PodDNSConfig
	}{
		"under the default policy: no credentials, public resolvers": {
			option: withSpec(func(*extensionsv1beta1.SandboxTemplateSpec) {}), wantDNS: corev1.DNSNone, want: resolvers,
		},
		"credentials that the template asks for stay": {
			option:    podSpec(func(s *corev1.PodSpec) { s.AutomountServiceAccountToken = new(true) }),
			wantToken: true, wantDNS: corev1.DNSNone, want: resolvers,
		},
		"a DNS policy of the template stays": {
			option: podSpec(func(s *corev1.PodSpec) { s.DNSPolicy = corev1.DNSClusterFirst }), wantDNS: corev1.DNSClusterFirst,
		},
		"resolvers of the template stay": {
			option: podSpec(func(s *corev1.PodSpec) { s.DNSConfig = theirs }), wantDNS: corev1.DNSNone, want: theirs,
		},
		"under rules of its own the cluster's DNS stays": {
			option: withSpec(func(s *extensionsv1beta1.SandboxTemplateSpec) {
				s.NetworkPolicy = &extensionsv1beta1.NetworkPolicySpec{}
			}),
		},
		"under nobody's rules too": {
			option: withSpec(func(s *extensionsv1beta1.SandboxTemplateSpec) {
				s.NetworkPolicyManagement = extensionsv1beta1.NetworkPolicyManagementUnmanaged
			}),
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			spec := FromTemplate(newTemplate(tt.option)).Spec.PodTemplate.Spec
			if spec.AutomountServiceAccountToken == nil || *spec.AutomountServiceAccountToken != tt.wantToken ||
				spec.DNSPolicy != tt.wantDNS {
				t.Errorf("token %v, DNS %q", spec.AutomountServiceAccountToken, spec.DNSPolicy)
			}
			if diff := cmp.Diff(tt.want, spec.DNSConfig); diff != "" {
				t.Errorf("resolvers (-want +got):\n%s", diff)
			}
		})
	}
}

func TestHash(t *testing.T) {
	same := map[string]builders.TemplateOption{
		"metadata of the Pod":      builders.WithPodLabel("team", "a"),
		"metadata of the template": builders.WithLabel("team", "a"),
		"a default spelled out":    podSpec(func(s *corev1.PodSpec) { s.AutomountServiceAccountToken = new(false) }),
	}
	other := map[string]builders.TemplateOption{
		"the image":   builders.WithImage("localhost/other:v2"),
		"a volume":    builders.WithVolume("data", "1Gi"),
		"the service": builders.WithService(true),
		"the network's default, which changes the resolvers": withSpec(func(s *extensionsv1beta1.SandboxTemplateSpec) {
			s.NetworkPolicyManagement = extensionsv1beta1.NetworkPolicyManagementUnmanaged
		}),
	}
	was := BlueprintHash(newTemplate())
	if SandboxHash(FromTemplate(newTemplate())) != was {
		t.Error("a Sandbox's hash differs from its template's")
	}
	for name, option := range same {
		if BlueprintHash(newTemplate(option)) != was {
			t.Errorf("%s makes members stale", name)
		}
	}
	for name, option := range other {
		if BlueprintHash(newTemplate(option)) == was {
			t.Errorf("%s makes no member stale", name)
		}
	}
}
