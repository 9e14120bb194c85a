// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// Suspend sets the Sandbox's spec to have no Pod. changed is false if it already was.
func (c *Client) Suspend(ctx context.Context, t *resolve.Target) (changed bool, err error) {
	if asked, _ := suspensionAsked(t); asked {
		return false, nil
	}
	return true, c.setOperatingMode(ctx, t, 0, agentsv1beta1.OperatingModeSuspended)
}

// Resume sets the Sandbox's spec to have a Pod again. changed is false if it already was.
func (c *Client) Resume(ctx context.Context, t *resolve.Target) (changed bool, err error) {
	if asked, exists := suspensionAsked(t); exists && !asked {
		return false, nil
	}
	return true, c.setOperatingMode(ctx, t, 1, agentsv1beta1.OperatingModeRunning)
}

func suspensionAsked(t *resolve.Target) (asked, exists bool) {
	if t.Sandbox == nil {
		return false, false
	}
	asked, _ = t.Sandbox.Spec.SuspensionRequested()
	return asked, true
}

// unknownField matches the API server's error about a field that the schema lacks, under strict validation.
var unknownField = regexp.MustCompile(`unknown field "spec\.([A-Za-z]+)"`)

// setOperatingMode sets both fields that control whether the Sandbox runs. A cluster whose schema lacks one rejects it
// by name; then only the other is set. Strict validation keeps the server from dropping a field silently.
func (c *Client) setOperatingMode(
	ctx context.Context, t *resolve.Target, replicas int32, mode agentsv1beta1.OperatingMode,
) error {
	if t.Sandbox == nil {
		return fmt.Errorf("claim %s has no Sandbox yet", t.Name())
	}
	spec := map[string]any{"replicas": replicas, "operatingMode": mode}
	for {
		err := c.patchSpec(ctx, t.Sandbox, spec)
		if err == nil {
			return nil
		}
		dropped := false
		if apierrors.IsBadRequest(err) || apierrors.IsInvalid(err) {
			for _, match := range unknownField.FindAllStringSubmatch(err.Error(), -1) {
				_, had := spec[match[1]]
				dropped = dropped || had
				delete(spec, match[1])
			}
		}
		switch {
		case dropped && len(spec) > 0:
			continue
		case dropped:
			return fmt.Errorf(
				"this cluster's Sandboxes cannot be suspended: their schema has neither spec.replicas nor spec.operatingMode",
			)
		}
		return fmt.Errorf("change Sandbox %s: %w", t.Sandbox.Name, err)
	}
}

func (c *Client) patchSpec(ctx context.Context, sandbox *agentsv1beta1.Sandbox, spec map[string]any) error {
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"uid": sandbox.UID}, "spec": spec})
	if err != nil {
		return fmt.Errorf("encode patch: %w", err)
	}
	_, err = c.sandboxes.AgentsV1beta1().Sandboxes(sandbox.Namespace).Patch(ctx, sandbox.Name, types.MergePatchType, patch,
		metav1.PatchOptions{FieldManager: apis.FieldOwnerPlugin, FieldValidation: metav1.FieldValidationStrict})
	return err
}
