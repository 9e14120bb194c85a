// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/diagnose"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/pool"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// addTemplate reads the template behind a sandbox that is blocked, and the pool that names it for the claim.
func (o *Observer) addTemplate(ctx context.Context, t *resolve.Target, f *diagnose.Snapshot) {
	if diagnose.Of(*f).Verdict != diagnose.Blocked {
		return
	}
	api := o.sandboxes.ExtensionsV1beta1()
	name := ""
	if t.Sandbox != nil {
		name = t.Sandbox.Annotations[apis.AnnotationTemplateRef]
	}
	if name == "" && t.Claim != nil {
		if name = t.Claim.Spec.TemplateName(); name == "" && t.Claim.Spec.PoolName() != "" {
			named, err := api.SandboxWarmPools(t.Namespace).Get(ctx, t.Claim.Spec.PoolName(), metav1.GetOptions{})
			if err != nil {
				return
			}
			name = named.Spec.TemplateRef.Name
			f.PoolTemplate = name
		}
	}
	if name == "" {
		return
	}
	template, err := api.SandboxTemplates(t.Namespace).Get(ctx, name, metav1.GetOptions{})
	switch {
	case resolve.NotServed(err):
	case apierrors.IsNotFound(err):
		f.TemplateMissing = true
	case err == nil && t.Sandbox != nil:
		f.TemplateChanged = pool.Stale(template, t.Sandbox)
	}
}
