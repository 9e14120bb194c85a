// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package explain turns an error into what the user is told: what, why and what to do.
package explain

import (
	"context"
	"errors"
)

// Errors returns one message for each error that was joined into err. Errors without a text, as those that pass on a
// remote exit code, give none.
func Errors(err error, program string) []string {
	var joined interface{ Unwrap() []error }
	if errors.As(err, &joined) {
		var all []string
		for _, one := range joined.Unwrap() {
			all = append(all, Errors(one, program)...)
		}
		return all
	}
	if err == nil || err.Error() == "" {
		return nil
	}
	if errors.Is(err, context.Canceled) {
		return []string{"interrupted"}
	}
	return []string{err.Error()}
}
