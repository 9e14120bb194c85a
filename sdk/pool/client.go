// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pool

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/apis/client/clientset/versioned"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// Client reads and changes pools and templates.
type Client struct {
	sandboxes versioned.Interface
	clock     clock.PassiveClock
}

// New returns a Client. All arguments are required.
func New(sandboxes versioned.Interface, clock clock.PassiveClock) *Client {
	return &Client{sandboxes: sandboxes, clock: clock}
}

// Pool reads one pool.
func (c *Client) Pool(ctx context.Context, namespace, name string) (*extensionsv1beta1.SandboxWarmPool, error) {
	pool, err := c.sandboxes.ExtensionsV1beta1().SandboxWarmPools(namespace).Get(ctx, name, metav1.GetOptions{})
	return pool, readError(err, resolve.Ref{Kind: resolve.KindPool, Name: name}, namespace, apis.ResourceWarmPools)
}

// Template reads one template.
func (c *Client) Template(ctx context.Context, namespace, name string) (*extensionsv1beta1.SandboxTemplate, error) {
	template, err := c.sandboxes.ExtensionsV1beta1().SandboxTemplates(namespace).Get(ctx, name, metav1.GetOptions{})
	return template, readError(err, resolve.Ref{Kind: resolve.KindTemplate, Name: name}, namespace, apis.ResourceTemplates)
}

// Pools lists the pools of a namespace, or of all.
func (c *Client) Pools(ctx context.Context, namespace, selector string) ([]extensionsv1beta1.SandboxWarmPool, error) {
	list, err := c.sandboxes.ExtensionsV1beta1().SandboxWarmPools(namespace).List(
		ctx, metav1.ListOptions{LabelSelector: selector},
	)
	switch {
	case resolve.NotServed(err):
		return nil, resolve.ErrorNotInstalled(apis.ResourceWarmPools, apis.GroupExtensions)
	case err != nil:
		return nil, fmt.Errorf("list pools: %w", err)
	}
	return list.Items, nil
}

// Templates lists the templates of a namespace, or of all.
func (c *Client) Templates(
	ctx context.Context, namespace, selector string,
) ([]extensionsv1beta1.SandboxTemplate, error) {
	list, err := c.sandboxes.ExtensionsV1beta1().SandboxTemplates(namespace).List(
		ctx, metav1.ListOptions{LabelSelector: selector},
	)
	switch {
	case resolve.NotServed(err):
		return nil, resolve.ErrorNotInstalled(apis.ResourceTemplates, apis.GroupExtensions)
	case err != nil:
		return nil, fmt.Errorf("list templates: %w", err)
	}
	return list.Items, nil
}

// Inventory reads what Summarize needs. Lists that the caller may not read are left out; any other failure is an error.
func (c *Client) Inventory(ctx context.Context, namespace string) (*Inventory, error) {
	f := &Inventory{Now: c.clock.Now()}
	templates, err := c.sandboxes.ExtensionsV1beta1().SandboxTemplates(namespace).List(ctx, metav1.ListOptions{})
	if err == nil {
		f.Templates = pointers(templates.Items)
	} else if !apierrors.IsForbidden(err) {
		return nil, fmt.Errorf("list templates: %w", err)
	}
	sandboxes, err := c.sandboxes.AgentsV1beta1().Sandboxes(namespace).List(ctx, metav1.ListOptions{})
	if err == nil {
		f.Sandboxes = pointers(sandboxes.Items)
	} else if !apierrors.IsForbidden(err) {
		return nil, fmt.Errorf("list Sandboxes: %w", err)
	}
	claims, err := c.sandboxes.ExtensionsV1beta1().SandboxClaims(namespace).List(ctx, metav1.ListOptions{})
	if err == nil {
		f.Claims = pointers(claims.Items)
	} else if !apierrors.IsForbidden(err) {
		return nil, fmt.Errorf("list claims: %w", err)
	}
	return f, nil
}

// CreatePool creates a pool, or with dryRun only lets the server validate it.
func (c *Client) CreatePool(
	ctx context.Context, pool *extensionsv1beta1.SandboxWarmPool, dryRun bool,
) (*extensionsv1beta1.SandboxWarmPool, error) {
	created, err := c.sandboxes.ExtensionsV1beta1().SandboxWarmPools(pool.Namespace).Create(
		ctx, pool, createOptions(dryRun),
	)
	if resolve.NotServed(err) {
		return nil, resolve.ErrorNotInstalled(apis.ResourceWarmPools, apis.GroupExtensions)
	}
	if err != nil {
		return nil, fmt.Errorf("create pool %s: %w", pool.Name, err)
	}
	return created, nil
}

// CreateTemplate creates a template, or with dryRun only lets the server validate it.
func (c *Client) CreateTemplate(
	ctx context.Context, template *extensionsv1beta1.SandboxTemplate, dryRun bool,
) (*extensionsv1beta1.SandboxTemplate, error) {
	created, err := c.sandboxes.ExtensionsV1beta1().SandboxTemplates(template.Namespace).Create(
		ctx, template, createOptions(dryRun),
	)
	if resolve.NotServed(err) {
		return nil, resolve.ErrorNotInstalled(apis.ResourceTemplates, apis.GroupExtensions)
	}
	if err != nil {
		return nil, fmt.Errorf("create template %s: %w", template.Name, err)
	}
	return created, nil
}

func createOptions(dryRun bool) metav1.CreateOptions {
	options := metav1.CreateOptions{FieldManager: apis.FieldOwnerPlugin, FieldValidation: metav1.FieldValidationStrict}
	if dryRun {
		options.DryRun = []string{metav1.DryRunAll}
	}
	return options
}

// DeletePool deletes the pool with that UID. A pool that is already gone is not an error.
func (c *Client) DeletePool(ctx context.Context, namespace, name string, uid types.UID) error {
	err := c.sandboxes.ExtensionsV1beta1().SandboxWarmPools(namespace).Delete(ctx, name, deleteOptions(uid))
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("delete pool %s: %w", name, err)
	}
	return nil
}

// DeleteTemplate deletes the template with that UID. A template that is already gone is not an error.
func (c *Client) DeleteTemplate(ctx context.Context, namespace, name string, uid types.UID) error {
	err := c.sandboxes.ExtensionsV1beta1().SandboxTemplates(namespace).Delete(ctx, name, deleteOptions(uid))
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("delete template %s: %w", name, err)
	}
	return nil
}

func deleteOptions(uid types.UID) metav1.DeleteOptions {
	policy := metav1.DeletePropagationBackground
	return metav1.DeleteOptions{PropagationPolicy: &policy, Preconditions: &metav1.Preconditions{UID: &uid}}
}

// readError turns the error of reading one object into one that says what to do.
func readError(err error, ref resolve.Ref, namespace, resource string) error {
	switch {
	case err == nil:
		return nil
	case resolve.NotServed(err):
		return resolve.ErrorNotInstalled(resource, apis.GroupExtensions)
	case apierrors.IsNotFound(err):
		return resolve.ErrorNotFound(ref, namespace)
	}
	return fmt.Errorf("read %s %s: %w", ref.Kind, ref.Name, err)
}

// pointers returns pointers to the items. The result is never nil, which would mean that they may not be read.
func pointers[T any](items []T) []*T {
	all := make([]*T, len(items))
	for i := range items {
		all[i] = &items[i]
	}
	return all
}
