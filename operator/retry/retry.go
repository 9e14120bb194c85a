// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package retry holds the delays that all reconcilers share.
package retry

import "time"

// Rejected is when what the API server called invalid is tried again. A change of the object wakes us sooner; but admission
// policies answer with the same code, and what they deny today they may allow tomorrow.
const Rejected = time.Minute
