// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package builders

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
)

// Template returns a SandboxTemplate with one container.
func Template(name string, options ...TemplateOption) *extensionsv1beta1.SandboxTemplate {
	t := &extensionsv1beta1.SandboxTemplate{
		ObjectMeta: metadata(name),
		Spec:       extensionsv1beta1.SandboxTemplateSpec{PodTemplate: podTemplate()},
	}
	for _, option := range options {
		option.template(t)
	}
	return t
}

type templateOption func(*extensionsv1beta1.SandboxTemplate)

func (o templateOption) template(t *extensionsv1beta1.SandboxTemplate) { o(t) }

// WithTemplateSpec changes the template's spec.
func WithTemplateSpec(change func(*extensionsv1beta1.SandboxTemplateSpec)) TemplateOption {
	return templateOption(func(t *extensionsv1beta1.SandboxTemplate) { change(&t.Spec) })
}

// PoolOption changes a SandboxWarmPool.
type PoolOption interface {
	pool(*extensionsv1beta1.SandboxWarmPool)
}

type poolOption func(*extensionsv1beta1.SandboxWarmPool)

func (o poolOption) pool(p *extensionsv1beta1.SandboxWarmPool) { o(p) }

// Pool returns a SandboxWarmPool that uses the template.
func Pool(name, template string, options ...PoolOption) *extensionsv1beta1.SandboxWarmPool {
	p := &extensionsv1beta1.SandboxWarmPool{
		ObjectMeta: metadata(name),
		Spec:       extensionsv1beta1.SandboxWarmPoolSpec{TemplateRef: extensionsv1beta1.SandboxTemplateRef{Name: template}},
	}
	for _, option := range options {
		option.pool(p)
	}
	return p
}

// WithUpdateStrategy sets how the pool follows changes of its template.
func WithUpdateStrategy(strategy extensionsv1beta1.SandboxWarmPoolUpdateStrategyType) PoolOption {
	return poolOption(func(p *extensionsv1beta1.SandboxWarmPool) {
		p.Spec.UpdateStrategy = &extensionsv1beta1.SandboxWarmPoolUpdateStrategy{Type: strategy}
	})
}

// WithPoolStatus sets the whole status.
func WithPoolStatus(status extensionsv1beta1.SandboxWarmPoolStatus) PoolOption {
	return poolOption(func(p *extensionsv1beta1.SandboxWarmPool) { p.Status = status })
}

// ClaimOption changes a SandboxClaim.
type ClaimOption interface {
	claim(*extensionsv1beta1.SandboxClaim)
}

type claimOption func(*extensionsv1beta1.SandboxClaim)

func (o claimOption) claim(c *extensionsv1beta1.SandboxClaim) { o(c) }

// Claim returns a SandboxClaim that names a template.
func Claim(name, template string, options ...ClaimOption) *extensionsv1beta1.SandboxClaim {
	c := &extensionsv1beta1.SandboxClaim{
		ObjectMeta: metadata(name),
		Spec:       extensionsv1beta1.SandboxClaimSpec{TemplateRef: &extensionsv1beta1.SandboxTemplateRef{Name: template}},
	}
	for _, option := range options {
		option.claim(c)
	}
	return c
}

// FromPool makes the claim name a pool instead of a template.
func FromPool(pool string) ClaimOption {
	return WithClaimSpec(func(spec *extensionsv1beta1.SandboxClaimSpec) {
		spec.TemplateRef, spec.WarmPool, spec.WarmPoolRef = nil, nil, &extensionsv1beta1.WarmPoolRef{Name: pool}
	})
}

// WithWarmPool sets which pools of the template may serve the claim.
func WithWarmPool(policy extensionsv1beta1.WarmPoolPolicy) ClaimOption {
	return WithClaimSpec(func(spec *extensionsv1beta1.SandboxClaimSpec) { spec.WarmPool = new(policy) })
}

// WithEnv adds an environment variable for the first container.
func WithEnv(name, value string) ClaimOption {
	return WithClaimSpec(func(spec *extensionsv1beta1.SandboxClaimSpec) {
		spec.Env = append(spec.Env, extensionsv1beta1.EnvVar{Name: name, Value: value})
	})
}

// WithTTL makes the claim expire the given number of seconds after its Sandbox has finished.
func WithTTL(seconds int32, policy extensionsv1beta1.ShutdownPolicy) ClaimOption {
	return WithClaimSpec(func(spec *extensionsv1beta1.SandboxClaimSpec) {
		spec.Lifecycle = &extensionsv1beta1.Lifecycle{TTLSecondsAfterFinished: new(seconds), ShutdownPolicy: policy}
	})
}

// WithClaimShutdown makes the claim expire at the given time.
func WithClaimShutdown(at time.Time, policy extensionsv1beta1.ShutdownPolicy) ClaimOption {
	return WithClaimSpec(func(spec *extensionsv1beta1.SandboxClaimSpec) {
		spec.Lifecycle = &extensionsv1beta1.Lifecycle{ShutdownTime: new(metav1.NewTime(at)), ShutdownPolicy: policy}
	})
}

// WithClaimSpec changes the claim's spec.
func WithClaimSpec(change func(*extensionsv1beta1.SandboxClaimSpec)) ClaimOption {
	return claimOption(func(c *extensionsv1beta1.SandboxClaim) { change(&c.Spec) })
}

// BoundTo sets the Sandbox and its addresses in the claim's status.
func BoundTo(sandbox string, podIPs ...string) ClaimOption {
	return claimOption(func(c *extensionsv1beta1.SandboxClaim) {
		c.Status.SandboxStatus = extensionsv1beta1.SandboxStatus{Name: sandbox, PodIPs: slices.Clone(podIPs)}
	})
}
