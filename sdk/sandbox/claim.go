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

// CreateClaim creates the claim, or with dryRun has the server check it only. It stamps the time of the request. A cluster
// whose schema lacks a field gets the claim in the shape that it knows; remarks say what it cannot do, and what it cannot do
// without is an error. No unknown field is ever accepted without a word, as validation is strict.
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

// unknownSpecField is how an API server words a field below spec that the schema does not have, under strict validation.
var unknownSpecField = regexp.MustCompile(`unknown field "spec\.([^"]+)"`)

// unknownFields are the fields below spec that the cluster does not know, by their paths.
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

// The fields that a claim is served by, in two generations of the schema.
const (
	fieldTemplateRef     = "sandboxTemplateRef"
	fieldWarmPool        = "warmpool"
	fieldPoolRef         = "warmPoolRef"
	fieldSandboxMetadata = "sandboxMetadata"
	fieldPodMetadata     = "podMetadata"
	fieldOldPodMetadata  = "additionalPodMetadata"
)

// claimAdapter brings a claim into the shape that a cluster knows. Each field is given up once, so it comes to an end.
type claimAdapter struct {
	client  *Client
	claim   *extensionsv1beta1.SandboxClaim
	unknown []string
	remarks []string
}

// dropFields takes the fields out of the claim, and says the same with others.
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
	return fmt.Errorf("this cluster's claims have no field spec.%s: leave out what it stands for, or upgrade the operator", path)
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
		return nil // it went with the other of the two
	case field == fieldPodMetadata && spec.PodMetadata != nil && !lacks(fieldOldPodMetadata):
		spec.AdditionalPodMetadata.Labels, spec.AdditionalPodMetadata.Annotations = spec.PodMetadata.Labels, spec.PodMetadata.Annotations
		spec.PodMetadata = nil
		return nil
	case field == fieldSandboxMetadata && spec.SandboxMetadata != nil:
		spec.SandboxMetadata = nil
		s.remarks = append(s.remarks, "this cluster's claims cannot label or annotate the Sandbox itself: the claim and the Pod get what you gave")
		return nil
	}
	return unsupportedField(path)
}
