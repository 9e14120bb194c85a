// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sdk

import (
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/rand"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
)

// Spec describes a sandbox to create: exactly one of Template, Pool and Image is set, or Template and Pool together.
type Spec struct {
	// Name of the sandbox; a random one is generated if it is empty.
	Name string
	// Template claims a sandbox of that SandboxTemplate, a warm one if a pool has one ready.
	Template string
	// Pool claims a sandbox of that SandboxWarmPool.
	Pool string
	// Image creates a Sandbox without a template.
	Image string
	// Command is the main process of a Sandbox with an Image; the default is that of the image.
	Command []string
	// Env are environment variables. A claim with variables gets a new sandbox, not a warm one.
	Env map[string]string
	// Labels of the sandbox and its Pod.
	Labels map[string]string
	// TTL is how long the sandbox lives; 0 means until it is deleted. Afterwards the cluster deletes it, even if this
	// program has crashed.
	TTL time.Duration
	// Keep keeps a sandbox that did not become ready, so that it can be examined.
	Keep bool
}

// randomSuffix is the number of random letters in a generated name.
const randomSuffix = 5

func (s *Spec) named() Spec {
	named := *s
	if named.Name == "" {
		named.Name = "sandbox-" + rand.String(randomSuffix)
	}
	return named
}

func (s *Spec) meta(namespace string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: namespace, Name: s.Name, Labels: maps.Clone(s.Labels)}
}

func (s *Spec) end(now time.Time) *metav1.Time {
	if s.TTL <= 0 {
		return nil
	}
	return new(metav1.NewTime(now.Add(s.TTL).Truncate(time.Second)))
}

// sandbox returns the Sandbox of a Spec with an image.
func (s *Spec) sandbox(namespace string, now time.Time) *agentsv1beta1.Sandbox {
	container := corev1.Container{Name: "sandbox", Image: s.Image, Command: s.Command}
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		container.Env = append(container.Env, corev1.EnvVar{Name: name, Value: s.Env[name]})
	}
	lifecycle := agentsv1beta1.Lifecycle{ShutdownTime: s.end(now)}
	if lifecycle.ShutdownTime != nil {
		lifecycle.ShutdownPolicy = new(agentsv1beta1.ShutdownPolicyDelete)
	}
	return &agentsv1beta1.Sandbox{ObjectMeta: s.meta(namespace), Spec: agentsv1beta1.SandboxSpec{
		PodTemplate: agentsv1beta1.PodTemplate{
			ObjectMeta: agentsv1beta1.PodMetadata{Labels: maps.Clone(s.Labels)},
			// Untrusted code gets no credentials for the API.
			Spec: corev1.PodSpec{Containers: []corev1.Container{container}, AutomountServiceAccountToken: new(false)},
		},
		Lifecycle: lifecycle,
	}}
}

// claim returns the claim of a Spec with a template or a pool.
func (s *Spec) claim(namespace string, now time.Time) *extensionsv1beta1.SandboxClaim {
	claim := &extensionsv1beta1.SandboxClaim{ObjectMeta: s.meta(namespace)}
	spec := &claim.Spec
	switch s.Template {
	case "":
		spec.WarmPoolRef = &extensionsv1beta1.WarmPoolRef{Name: s.Pool}
	default:
		spec.TemplateRef = &extensionsv1beta1.SandboxTemplateRef{Name: s.Template}
		if len(s.Env) > 0 {
			spec.WarmPool = new(extensionsv1beta1.WarmPoolPolicy(apis.WarmPoolNone))
		} else if s.Pool != "" {
			spec.WarmPool = new(extensionsv1beta1.WarmPoolPolicy(s.Pool))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		spec.Env = append(spec.Env, extensionsv1beta1.EnvVar{Name: name, Value: s.Env[name]})
	}
	if len(s.Labels) > 0 {
		spec.SandboxMetadata = &extensionsv1beta1.Metadata{Labels: maps.Clone(s.Labels)}
		spec.PodMetadata = spec.SandboxMetadata.DeepCopy()
	}
	if end := s.end(now); end != nil {
		spec.Lifecycle = &extensionsv1beta1.Lifecycle{
			ShutdownTime: end, ShutdownPolicy: extensionsv1beta1.ShutdownPolicyDelete,
		}
	}
	return claim
}
