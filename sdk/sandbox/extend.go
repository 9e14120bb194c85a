// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/apis/lifecycle"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// Extend moves the shutdown time of the claim, or else of the Sandbox: from its current value or, if that has passed,
// from now. It returns the new time. A sandbox without a shutdown time is not given one. A claim that has expired and
// lost its Sandbox gets an empty one: the error is ErrLost unless afresh confirms that, or its volumes were kept.
func (c *Client) Extend(ctx context.Context, t *resolve.Target, by time.Duration, afresh bool) (time.Time, error) {
	if SandboxLost(t, c.clock.Now()) && !afresh {
		return time.Time{}, fmt.Errorf("claim %s: %w", t.Name(), ErrLost)
	}
	end, err := extendedShutdownTime(t, c.clock.Now(), by)
	if err != nil {
		return time.Time{}, err
	}
	return end, c.SetShutdownTime(ctx, t, end)
}

// SetShutdownTime sets the shutdown time of the claim, or else of the Sandbox. It returns a conflict if the object has
// changed since it was read.
func (c *Client) SetShutdownTime(ctx context.Context, t *resolve.Target, end time.Time) error {
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
		return fmt.Errorf("encode patch: %w", err)
	}
	options := metav1.PatchOptions{FieldManager: apis.FieldOwnerPlugin, FieldValidation: metav1.FieldValidationStrict}
	if t.Claim != nil {
		_, err = c.sandboxes.ExtensionsV1beta1().SandboxClaims(t.Namespace).Patch(
			ctx, t.Claim.Name, types.MergePatchType, patch, options,
		)
	} else {
		_, err = c.sandboxes.AgentsV1beta1().Sandboxes(t.Namespace).Patch(
			ctx, t.Sandbox.Name, types.MergePatchType, patch, options,
		)
	}
	if err != nil {
		return fmt.Errorf("extend %s: %w", t.Name(), err)
	}
	return nil
}

// ShutdownTime returns the shutdown time of the claim, or else of the Sandbox; the zero time if there is none.
func ShutdownTime(t *resolve.Target) time.Time {
	var end *metav1.Time
	switch {
	case t.Claim == nil:
		end = t.Sandbox.Spec.ShutdownTime
	case t.Claim.Spec.Lifecycle != nil:
		end = t.Claim.Spec.Lifecycle.ShutdownTime
	}
	if end == nil {
		return time.Time{}
	}
	return end.Time
}

// ErrLost is the error for extending a claim whose Sandbox is gone.
var ErrLost = errors.New("it has expired and its Sandbox is gone, with the volumes: more time starts an empty one")

// SandboxLost reports whether a claim has expired and no longer has a Sandbox. Its volumes may have been kept.
func SandboxLost(t *resolve.Target, now time.Time) bool {
	if t.Claim == nil || t.Sandbox != nil || t.Claim.Spec.Lifecycle == nil {
		return false
	}
	l, conditions := t.Claim.Spec.Lifecycle, t.Claim.Status.Conditions
	if lifecycle.Of(l.ShutdownTime, l.TTLSecondsAfterFinished, conditions).Reached(now) {
		return true
	}
	ready := apis.FindCondition(conditions, apis.ConditionReady)
	return ready != nil && ready.Reason == string(apis.ReasonClaimExpired) &&
		ready.ObservedGeneration == t.Claim.Generation
}

func extendedShutdownTime(t *resolve.Target, now time.Time, by time.Duration) (time.Time, error) {
	if t.Claim == nil {
		if holder := metav1.GetControllerOf(t.Sandbox); holder != nil && holder.Kind == apis.KindSandboxClaim {
			return time.Time{}, fmt.Errorf(
				"Sandbox %s belongs to claim %s, which decides when it ends: extend claim/%[2]s", t.Sandbox.Name, holder.Name,
			)
		}
	}
	from := ShutdownTime(t)
	if from.IsZero() {
		return time.Time{}, fmt.Errorf(
			"%s has no shutdown time: it lives until somebody deletes it, so there is nothing to extend", t.Name(),
		)
	}
	if from.Before(now) {
		from = now
	}
	return from.Add(by).Truncate(time.Second), nil
}
