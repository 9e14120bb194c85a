// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package owner says whether an object may still take children that nobody controls.
package owner

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/errorclass"
)

// Recheck asks the API server whether the owner is still there and stays. fresh is an empty object of its type, to read into.
//
// A deletion with --cascade=orphan takes the owner's references off its children and then removes the owner. The watch of the children
// may show that before the watch of the owner shows the deletion: who took a child back then would give it to an owner that
// is about to go, and the garbage collector would delete it. A child is seen without a controller before the owner is asked
// here, so a deletion that orphaned it is never missed. It is the rule of Kubernetes' own controllers
// (k8s.io/kubernetes/pkg/controller, RecheckDeletionTimestamp).
//
// It returns a conflict when the owner is gone, going, or another one under the same name.
func Recheck[T client.Object](ctx context.Context, live client.Reader, owner, fresh T) error {
	switch err := live.Get(ctx, client.ObjectKeyFromObject(owner), fresh); {
	case apierrors.IsNotFound(err):
		return errorclass.ErrDeletedMeanwhile
	case err != nil:
		return fmt.Errorf("look whether %s is still there: %w", owner.GetName(), err)
	case fresh.GetUID() != owner.GetUID(), fresh.GetDeletionTimestamp() != nil:
		return errorclass.ErrDeletedMeanwhile
	}
	return nil
}
