// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pool

import (
	"context"
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
)

// Scale sets the size of a pool, or with dryRun only lets the server validate it. A pool that was deleted and recreated
// meanwhile is not changed.
func (c *Client) Scale(
	ctx context.Context, pool *extensionsv1beta1.SandboxWarmPool, replicas int32, dryRun bool,
) error {
	if err := c.patchPool(ctx, pool, map[string]any{"replicas": replicas}, dryRun); err != nil {
		return fmt.Errorf("scale pool %s: %w", pool.Name, err)
	}
	return nil
}

// SetTemplate changes the template of a pool, or with dryRun only lets the server validate it. A pool that was deleted
// and recreated meanwhile is not changed.
func (c *Client) SetTemplate(
	ctx context.Context, pool *extensionsv1beta1.SandboxWarmPool, template string, dryRun bool,
) error {
	reference := extensionsv1beta1.SandboxTemplateRef{Name: template}
	if err := c.patchPool(ctx, pool, map[string]any{"sandboxTemplateRef": reference}, dryRun); err != nil {
		return fmt.Errorf("set the template of pool %s: %w", pool.Name, err)
	}
	return nil
}

// patchPool changes fields of a pool's spec.
func (c *Client) patchPool(
	ctx context.Context, pool *extensionsv1beta1.SandboxWarmPool, spec map[string]any, dryRun bool,
) error {
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"uid": pool.UID}, "spec": spec})
	if err != nil {
		return fmt.Errorf("encode patch: %w", err)
	}
	_, err = c.sandboxes.ExtensionsV1beta1().SandboxWarmPools(pool.Namespace).Patch(
		ctx, pool.Name, types.MergePatchType, patch, patchOptions(dryRun),
	)
	return err
}

// UpdateTemplate changes a template from what was read to what is desired, or with dryRun only lets the server validate
// it. It sends only the differences, so that fields which this version does not know stay. A template that somebody
// changed since it was read is a conflict.
func (c *Client) UpdateTemplate(
	ctx context.Context, read, desired *extensionsv1beta1.SandboxTemplate, dryRun bool,
) (*extensionsv1beta1.SandboxTemplate, error) {
	patch, err := templatePatch(read, desired)
	if err != nil {
		return nil, err
	}
	updated, err := c.sandboxes.ExtensionsV1beta1().SandboxTemplates(read.Namespace).Patch(
		ctx, read.Name, types.MergePatchType, patch, patchOptions(dryRun),
	)
	if err != nil {
		return nil, fmt.Errorf("change template %s: %w", read.Name, err)
	}
	return updated, nil
}

// templatePatch returns the merge patch from what was read to what is desired. It carries the UID and the version that
// were read.
func templatePatch(read, desired *extensionsv1beta1.SandboxTemplate) ([]byte, error) {
	was, err := json.Marshal(read)
	if err != nil {
		return nil, fmt.Errorf("encode template: %w", err)
	}
	wanted := desired.DeepCopy()
	wanted.TypeMeta, wanted.ManagedFields = read.TypeMeta, read.ManagedFields
	wanted.UID, wanted.ResourceVersion, wanted.Generation = read.UID, read.ResourceVersion, read.Generation
	wanted.CreationTimestamp, wanted.DeletionTimestamp = read.CreationTimestamp, read.DeletionTimestamp
	is, err := json.Marshal(wanted)
	if err != nil {
		return nil, fmt.Errorf("encode template: %w", err)
	}
	differences, err := jsonmergepatch.CreateThreeWayJSONMergePatch(was, is, was)
	if err != nil {
		return nil, fmt.Errorf("compare templates: %w", err)
	}
	patch := map[string]any{}
	if err := json.Unmarshal(differences, &patch); err != nil {
		return nil, fmt.Errorf("compare templates: %w", err)
	}
	metadata, ok := patch["metadata"].(map[string]any)
	if !ok {
		metadata = map[string]any{}
	}
	metadata["uid"], metadata["resourceVersion"] = read.UID, read.ResourceVersion
	patch["metadata"] = metadata
	return json.Marshal(patch)
}

func patchOptions(dryRun bool) metav1.PatchOptions {
	options := metav1.PatchOptions{FieldManager: apis.FieldOwnerPlugin, FieldValidation: metav1.FieldValidationStrict}
	if dryRun {
		options.DryRun = []string{metav1.DryRunAll}
	}
	return options
}
