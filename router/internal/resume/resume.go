// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package resume resumes suspended Sandboxes: once, however many requests wait for it.
package resume

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/singleflight"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/client/clientset/versioned"
	"github.com/agent-sandbox/kubectl-sandbox/router/internal/book"
)

// ErrGone means that the Sandbox was deleted, or came to its end, while requests waited for it.
var ErrGone = errors.New("the sandbox did not come back")

// Book is the part of book.Book that shows what becomes of a Sandbox.
type Book interface {
	Current(namespace string, uid types.UID) *book.Sandbox
	Wait(ctx context.Context, sandbox *book.Sandbox, done func(*book.Sandbox) bool) error
}

// Resumer resumes Sandboxes. It is safe for concurrent use.
type Resumer struct {
	Sandboxes versioned.Interface
	Book      Book
	Limit     time.Duration   // for one resume, from its write until the Sandbox is Ready
	Done      func(err error) // is told about the end of each resume
	flights   singleflight.Group
}

// Resume returns when the Sandbox is Ready, or when the context ends. The resume itself goes on for those who still
// wait, and for those who come later.
func (r *Resumer) Resume(ctx context.Context, sandbox *book.Sandbox) error {
	result := r.flights.DoChan(string(sandbox.UID), func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.Limit)
		defer cancel()
		err := r.resume(ctx, sandbox)
		r.Done(err)
		return nil, err
	})
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case is := <-result:
		return is.Err
	}
}

// resume writes once and waits until the book shows the end. Until then, all other requests join this flight.
func (r *Resumer) resume(ctx context.Context, sandbox *book.Sandbox) error {
	if is := r.Book.Current(sandbox.Namespace, sandbox.UID); is != nil && is.State != book.Suspended {
		return r.Await(ctx, is) // another flight has just ended
	}
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"uid": sandbox.UID}, // another Sandbox of this name is not resumed
		"spec":     map[string]any{"replicas": 1, "operatingMode": agentsv1beta1.OperatingModeRunning},
	})
	if err != nil {
		return fmt.Errorf("encode the patch: %w", err)
	}
	_, err = r.Sandboxes.AgentsV1beta1().Sandboxes(sandbox.Namespace).Patch(ctx, sandbox.Name, types.MergePatchType, patch,
		metav1.PatchOptions{FieldManager: apis.FieldOwnerRouter})
	if err != nil {
		return fmt.Errorf("resume the Sandbox: %w", err)
	}
	return r.Await(ctx, sandbox)
}

// Await returns when the Sandbox is Ready, or when the context ends.
func (r *Resumer) Await(ctx context.Context, sandbox *book.Sandbox) error {
	ended := false
	err := r.Book.Wait(ctx, sandbox, func(is *book.Sandbox) bool {
		ended = is == nil || is.State == book.Expired || is.State == book.Finished
		return ended || is.State == book.Ready
	})
	if err == nil && ended {
		err = ErrGone
	}
	return err
}
