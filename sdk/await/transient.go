// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package await

// Transient reports whether the same read may succeed later, so that waiting for another kind of object can go on.
func Transient(err error) bool { return transient(err) }
