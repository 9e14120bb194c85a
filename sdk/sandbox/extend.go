// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// Extend moves the shutdown time of the claim, or else of the Sandbox, by a duration: from where it is or, when it has
// passed, from now. It returns the new time. What has no shutdown time lives for ever and is not given one.
func (c *Client) Extend(ctx context.Context, t *resolve.Target, by time.Duration) (time.Time, error) {
	end, err := newEnd(t, c.clock.Now(), by)
	if err != nil {
		return time.Time{}, err
	}
	spec := map[string]any{"shutdownTime": metav1.NewTime(end)}
	var resourceVersion string
	if t.Claim != nil {
		spec = map[string]any{"lifecycle": spec}
		resourceVersion = t.Claim.ResourceVersion
	} else {
		resourceVersion = t.Sandbox.ResourceVersion
	}
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"uid": t.UID(), "resourceVersion": resourceVersion}, "spec": spec,
	})
	if err != nil {
		return time.Time{}, fmt.Errorf("encode patch: %w", err)
	}
	options := metav1.PatchOptions{FieldManager: apis.FieldOwnerPlugin, FieldValidation: metav1.FieldValidationStrict}
	if t.Claim != nil {
		_, err = c.sandboxes.ExtensionsV1beta1().SandboxClaims(t.Namespace).Patch(ctx, t.Claim.Name, types.MergePatchType, patch, options)
	} else {
		_, err = c.sandboxes.AgentsV1beta1().Sandboxes(t.Namespace).Patch(ctx, t.Sandbox.Name, types.MergePatchType, patch, options)
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("extend %s: %w", t.Name(), err)
	}
	return end, nil
}

func newEnd(t *resolve.Target, now time.Time, by time.Duration) (time.Time, error) {
	var old *metav1.Time
	switch {
	case t.Claim != nil:
		if t.Claim.Spec.Lifecycle != nil {
			old = t.Claim.Spec.Lifecycle.ShutdownTime
		}
	default:
		if holder := metav1.GetControllerOf(t.Sandbox); holder != nil && holder.Kind == apis.KindSandboxClaim {
			return time.Time{}, fmt.Errorf("Sandbox %s belongs to claim %s, which decides when it ends: extend claim/%[2]s", t.Sandbox.Name, holder.Name)
		}
		old = t.Sandbox.Spec.ShutdownTime
	}
	if old == nil || old.IsZero() {
		return time.Time{}, fmt.Errorf("%s has no shutdown time: it lives until somebody deletes it, so there is nothing to extend", t.Name())
	}
	from := old.Time
	if from.Before(now) {
		from = now
	}
	return from.Add(by).Truncate(time.Second), nil
}
