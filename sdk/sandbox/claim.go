// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// CreateClaim creates a claim, or with dryRun only lets the server validate it. It records the time of the request. A
// cluster whose schema lacks a field gets the claim in a shape that it knows: remarks say what is lost, and a field
// that cannot be replaced is an error. Strict validation keeps the server from dropping fields silently.
func (c *Client) CreateClaim(
	ctx context.Context, claim *extensionsv1beta1.SandboxClaim, dryRun bool,
) (created *extensionsv1beta1.SandboxClaim, remarks []string, err error) {
	claim = claim.DeepCopy()
	c.setRequestTime(claim)
	api := c.sandboxes.ExtensionsV1beta1().SandboxClaims(claim.Namespace)
	shape := claimAdapter{client: c, claim: claim}
	for {
		created, err = api.Create(ctx, claim, createOptions(dryRun))
		if resolve.NotServed(err) {
			return nil, nil, resolve.ErrorNotInstalled(apis.ResourceClaims, apis.GroupExtensions)
		}
		if ctx.Err() != nil && !dryRun {
			deleteCancelled[*extensionsv1beta1.SandboxClaim](ctx, api, claim)
		}
		if found, ok := confirm[*extensionsv1beta1.SandboxClaim](ctx, api, claim, err); ok {
			return found, shape.remarks, nil
		}
		unknown := unknownFields(err)
		switch {
		case err == nil:
			return created, shape.remarks, nil
		case len(unknown) == 0 || ctx.Err() != nil:
			return nil, nil, fmt.Errorf("create claim %s: %w", claim.Name, err)
		}
		if err := shape.dropFields(ctx, unknown); err != nil {
			return nil, nil, err
		}
	}
}

// unknownSpecField matches the API server's error about a field below spec that the schema lacks, under strict
// validation.
var unknownSpecField = regexp.MustCompile(`unknown field "spec\.([^"]+)"`)

// unknownFields returns the paths of the fields below spec that the cluster does not know.
func unknownFields(err error) []string {
	if !apierrors.IsBadRequest(err) && !apierrors.IsInvalid(err) {
		return nil
	}
	var fields []string
	for _, match := range unknownSpecField.FindAllStringSubmatch(err.Error(), -1) {
		fields = append(fields, match[1])
	}
	return fields
}

// The fields that select what serves a claim, in two generations of the schema.
const (
	fieldTemplateRef     = "sandboxTemplateRef"
	fieldWarmPool        = "warmpool"
	fieldPoolRef         = "warmPoolRef"
	fieldSandboxMetadata = "sandboxMetadata"
	fieldPodMetadata     = "podMetadata"
	fieldOldPodMetadata  = "additionalPodMetadata"
)

// claimAdapter converts a claim to the shape that a cluster knows. Each field is replaced at most once, so the
// conversion ends.
type claimAdapter struct {
	client  *Client
	claim   *extensionsv1beta1.SandboxClaim
	unknown []string
	remarks []string
}

// dropFields removes the fields from the claim, and expresses the same with other fields.
func (s *claimAdapter) dropFields(ctx context.Context, fields []string) error {
	known := len(s.unknown)
	for _, path := range fields {
		field, _, _ := strings.Cut(path, ".")
		field, _, _ = strings.Cut(field, "[")
		if slices.Contains(s.unknown, field) {
			continue
		}
		s.unknown = append(s.unknown, field)
		if err := s.replaceField(ctx, field, path); err != nil {
			return err
		}
	}
	if len(s.unknown) == known {
		return unsupportedField(fields[0])
	}
	return nil
}

func unsupportedField(path string) error {
	return fmt.Errorf(
		"this cluster's claims have no field spec.%s: leave out what it stands for, or upgrade the operator", path,
	)
}

func (s *claimAdapter) replaceField(ctx context.Context, field, path string) error {
	spec := &s.claim.Spec
	lacks := func(other string) bool { return slices.Contains(s.unknown, other) }
	switch {
	case field == fieldPoolRef && spec.WarmPoolRef != nil && !lacks(fieldTemplateRef):
		return s.byTemplate(ctx)
	case (field == fieldTemplateRef || field == fieldWarmPool) && spec.TemplateRef != nil && !lacks(fieldPoolRef):
		return s.byPool(ctx)
	case (field == fieldTemplateRef || field == fieldWarmPool) && spec.TemplateRef == nil:
		return nil // it was removed with the other of the two
	case field == fieldPodMetadata && spec.PodMetadata != nil && !lacks(fieldOldPodMetadata):
		spec.AdditionalPodMetadata.Labels = spec.PodMetadata.Labels
		spec.AdditionalPodMetadata.Annotations = spec.PodMetadata.Annotations
		spec.PodMetadata = nil
		return nil
	case field == fieldSandboxMetadata && spec.SandboxMetadata != nil:
		spec.SandboxMetadata = nil
		s.remarks = append(
			s.remarks,
			"this cluster's claims cannot label or annotate the Sandbox itself: the claim and the Pod get what you gave",
		)
		return nil
	}
	return unsupportedField(path)
}
