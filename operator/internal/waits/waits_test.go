// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package waits

import (
	"testing"
	"time"
)

func TestSooner(t *testing.T) {
	for _, tt := range []struct{ a, b, want time.Duration }{{0, 0, 0}, {0, 2, 2}, {2, 0, 2}, {1, 2, 1}, {2, 1, 1},
		{2, -1, 2}, {-1, 2, 2}, {-1, -1, 0}} {
		if got := Sooner(tt.a, tt.b); got != tt.want {
			t.Errorf("of %d and %d: %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}
