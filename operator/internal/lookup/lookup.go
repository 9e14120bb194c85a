// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package lookup reads single objects that may not exist. Absence is an answer, not an error.
package lookup

import (
	"context"
	"fmt"
	"reflect"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Get reads an object into the one that is passed in and returns it, or nil if there is none.
func Get[T client.Object](
	ctx context.Context, reader client.Reader, key client.ObjectKey, into T, options ...client.GetOption,
) (T, error) {
	var none T
	switch err := reader.Get(ctx, key, into, options...); {
	case apierrors.IsNotFound(err):
		return none, nil
	case err != nil:
		return none, fmt.Errorf("get %s %s: %w", reflect.TypeOf(into).Elem().Name(), key, err)
	}
	return into, nil
}

// GetConfirmed reads an object from the cache, and from the API server if the cache has none: nil means that it does
// not exist.
func GetConfirmed[T client.Object](
	ctx context.Context, cached, live client.Reader, key client.ObjectKey, into T,
) (T, error) {
	object, err := Get(ctx, cached, key, into)
	if err != nil || !reflect.ValueOf(object).IsNil() {
		return object, err
	}
	return Get(ctx, live, key, New(into))
}

// New returns an empty object of the type of the one that is passed in, which may be nil.
func New[T client.Object](like T) T {
	object, _ := reflect.TypeAssert[T](reflect.New(reflect.TypeOf(like).Elem()))
	return object
}
