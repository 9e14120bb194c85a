// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// GetFunc reads the object of one kind with that name.
type GetFunc[T any] func(ctx context.Context, namespace, name string) (*T, error)

// ListFunc lists the objects of one kind that a selector matches, in a namespace or in all.
type ListFunc[T any] func(ctx context.Context, namespace, selector string) ([]T, error)

// Select returns the selected objects of one kind, each once. A name that cannot be read is an error; the other objects
// are still returned. Validate must have been called.
func Select[T any](
	ctx context.Context, o *SelectionOptions, namespace string, get GetFunc[T], list ListFunc[T],
) (objects []T, failed error) {
	if len(o.refs) > 0 {
		return getNamed(ctx, uniqueNames(o.refs), o.IgnoreNotFound, namespace, get)
	}
	return list(ctx, o.Namespace(namespace), o.Selector)
}

// getNamed reads the objects of the names, and joins the errors. With ignoreNotFound it leaves out names that do not
// exist.
func getNamed[T any](
	ctx context.Context, refs []resolve.Ref, ignoreNotFound bool, namespace string, get GetFunc[T],
) (objects []T, failed error) {
	objects = []T{}
	for _, ref := range refs {
		object, err := get(ctx, namespace, ref.Name)
		if ignoreNotFound && resolve.Is(err, resolve.NotFound) {
			continue
		}
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		objects = append(objects, *object)
	}
	return objects, failed
}

// uniqueNames returns the first reference of each name.
func uniqueNames(refs []resolve.Ref) []resolve.Ref {
	seen := map[string]bool{}
	var unique []resolve.Ref
	for _, ref := range refs {
		if !seen[ref.Name] {
			seen[ref.Name], unique = true, append(unique, ref)
		}
	}
	return unique
}
