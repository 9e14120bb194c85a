// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package provision

import (
	"maps"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
)

// BuildClaim returns the claim that validated options with a template or a pool describe.
func (o *Options) BuildClaim(namespace string, now time.Time) *extensionsv1beta1.SandboxClaim {
	claim := &extensionsv1beta1.SandboxClaim{ObjectMeta: metav1.ObjectMeta{
		Name: o.Name, Namespace: namespace, Labels: maps.Clone(o.labels), Annotations: maps.Clone(o.annotations),
	}}
	spec := &claim.Spec
	if o.Template == "" {
		spec.WarmPoolRef = &extensionsv1beta1.WarmPoolRef{Name: o.Pool}
	} else {
		spec.TemplateRef = &extensionsv1beta1.SandboxTemplateRef{Name: o.Template}
		spec.WarmPool = o.warmPoolPolicy()
	}
	for _, variable := range o.env {
		spec.Env = append(spec.Env, extensionsv1beta1.EnvVar{Name: variable.Name, Value: variable.Value})
	}
	for _, v := range o.volumes {
		spec.VolumeClaimTemplates = append(spec.VolumeClaimTemplates, newVolumeClaimTemplate(v))
	}
	if len(o.labels)+len(o.annotations) > 0 {
		spec.SandboxMetadata = &extensionsv1beta1.Metadata{Labels: maps.Clone(o.labels),
			Annotations: maps.Clone(o.annotations)}
		spec.PodMetadata = spec.SandboxMetadata.DeepCopy()
	}
	spec.Lifecycle = o.lifecycle(now)
	return claim
}

// warmPoolPolicy returns which pools may serve a claim by template. Variables and volumes need a new Sandbox.
func (o *Options) warmPoolPolicy() *extensionsv1beta1.WarmPoolPolicy {
	switch {
	case o.Pool != "":
		return new(extensionsv1beta1.WarmPoolPolicy(o.Pool))
	case len(o.env)+len(o.volumes) > 0:
		return new(extensionsv1beta1.WarmPoolPolicy(apis.WarmPoolNone))
	}
	return nil
}

// lifecycle returns the end of the claim, or nil if it has none.
func (o *Options) lifecycle(now time.Time) *extensionsv1beta1.Lifecycle {
	if o.TTL == 0 && !o.AfterFinishedGiven {
		return nil
	}
	l := &extensionsv1beta1.Lifecycle{ShutdownPolicy: extensionsv1beta1.ShutdownPolicy(o.policy)}
	if o.TTL > 0 {
		l.ShutdownTime = new(metav1.NewTime(now.Add(o.TTL).Truncate(time.Second)))
	}
	if o.AfterFinishedGiven {
		l.TTLSecondsAfterFinished = new(int32(o.AfterFinished / time.Second)) // Validate checked that it fits
	}
	return l
}
