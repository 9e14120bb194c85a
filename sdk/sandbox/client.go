// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package sandbox creates, suspends, resumes, extends and deletes sandboxes.
//
// Invariants:
//   - a change names the object's UID or resourceVersion: an object that was deleted and recreated is not changed;
//   - no field is sent that the cluster's schema lacks, and none is silently dropped.
package sandbox

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/client/clientset/versioned"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// Client changes sandboxes.
type Client struct {
	sandboxes versioned.Interface
	clock     clock.PassiveClock
}

// New returns a Client. All arguments are required.
func New(sandboxes versioned.Interface, clock clock.PassiveClock) *Client {
	return &Client{sandboxes: sandboxes, clock: clock}
}

// Create creates a Sandbox, or with dryRun only lets the server validate it. It records the time of the request, from
// which the startup latency is measured.
func (c *Client) Create(
	ctx context.Context, sandbox *agentsv1beta1.Sandbox, dryRun bool,
) (*agentsv1beta1.Sandbox, error) {
	sandbox = sandbox.DeepCopy()
	c.setRequestTime(sandbox)
	api := c.sandboxes.AgentsV1beta1().Sandboxes(sandbox.Namespace)
	created, err := api.Create(ctx, sandbox, createOptions(dryRun))
	if resolve.NotServed(err) {
		return nil, resolve.ErrorNotInstalled(apis.ResourceSandboxes, apis.GroupAgents)
	}
	if ctx.Err() != nil && !dryRun {
		deleteCancelled[*agentsv1beta1.Sandbox](ctx, api, sandbox)
	}
	if found, ok := confirm[*agentsv1beta1.Sandbox](ctx, api, sandbox, err); ok {
		return found, nil
	}
	if err != nil {
		return nil, fmt.Errorf("create Sandbox %s: %w", sandbox.Name, err)
	}
	return created, nil
}

// confirm looks for the object of a creation whose answer was lost. The time of the request distinguishes our object
// from another of that name.
func confirm[T metav1.Object](ctx context.Context, api interface {
	Get(ctx context.Context, name string, options metav1.GetOptions) (T, error)
}, asked metav1.Object, err error,
) (found T, ok bool) {
	var broken interface{ OutcomeUnknown() bool }
	if !apierrors.IsTimeout(err) && (!errors.As(err, &broken) || !broken.OutcomeUnknown()) {
		return found, false
	}
	found, err = api.Get(ctx, asked.GetName(), metav1.GetOptions{})
	return found, err == nil && sameRequest(found, asked)
}

// sameRequest reports whether an object was made by the request for the other one.
func sameRequest(found, asked metav1.Object) bool {
	const stamp = apis.AnnotationClientFirstRequestedAt
	return found.GetAnnotations()[stamp] == asked.GetAnnotations()[stamp]
}

// setRequestTime records when the object was requested.
func (c *Client) setRequestTime(object metav1.Object) {
	annotations := maps.Clone(object.GetAnnotations())
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[apis.AnnotationClientFirstRequestedAt] = c.clock.Now().UTC().Format(requestTimeFormat)
	object.SetAnnotations(annotations)
}

func createOptions(dryRun bool) metav1.CreateOptions {
	options := metav1.CreateOptions{FieldManager: apis.FieldOwnerPlugin, FieldValidation: metav1.FieldValidationStrict}
	if dryRun {
		options.DryRun = []string{metav1.DryRunAll}
	}
	return options
}

// cancelledDeletionTimeout limits the cleanup after a cancelled creation.
const cancelledDeletionTimeout = 5 * time.Second

// deleteCancelled deletes the object that a cancelled creation may have created: the response was lost, not the
// request.
func deleteCancelled[T metav1.Object](ctx context.Context, api interface {
	Get(ctx context.Context, name string, options metav1.GetOptions) (T, error)
	Delete(ctx context.Context, name string, options metav1.DeleteOptions) error
}, asked metav1.Object,
) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelledDeletionTimeout)
	defer cancel()
	found, err := api.Get(ctx, asked.GetName(), metav1.GetOptions{})
	if err != nil || !sameRequest(found, asked) {
		return
	}
	uid := found.GetUID()
	// the caller learns of the cancellation; there is no second attempt
	_ = api.Delete(ctx, found.GetName(), metav1.DeleteOptions{
		Preconditions: &metav1.Preconditions{UID: &uid},
	})
}

// requestTimeFormat is RFC 3339 with nine digits of a second.
const requestTimeFormat = "2006-01-02T15:04:05.000000000Z07:00"

// Delete deletes the claim, or else the Sandbox. With foreground the object stays until everything that it owns is
// gone. An object that is already gone is not an error.
func (c *Client) Delete(ctx context.Context, t *resolve.Target, foreground bool) error {
	uid, policy := t.UID(), metav1.DeletePropagationBackground
	if foreground {
		policy = metav1.DeletePropagationForeground
	}
	options := metav1.DeleteOptions{PropagationPolicy: &policy, Preconditions: &metav1.Preconditions{UID: &uid}}
	var err error
	if t.Claim != nil {
		err = c.sandboxes.ExtensionsV1beta1().SandboxClaims(t.Namespace).Delete(ctx, t.Claim.Name, options)
	} else {
		err = c.sandboxes.AgentsV1beta1().Sandboxes(t.Namespace).Delete(ctx, t.Sandbox.Name, options)
	}
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("delete %s: %w", t.Name(), err)
	}
	return nil
}
