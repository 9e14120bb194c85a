// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package notify writes events.
package notify

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
)

// limit is the API's, of an event's note, in bytes.
const limit = 1024

// Event tells of an object, and perhaps of a related one (nil: none). kind is Normal or Warning. A note that is too long for the
// API is cut. The recorder counts repetitions of an event instead of writing them.
func Event(recorder events.EventRecorder, about, related runtime.Object, kind string, reason apis.Reason, action, note string) {
	if len(note) > limit {
		note = strings.ToValidUTF8(note[:limit-len("...")], "") + "..."
	}
	recorder.Eventf(about, related, kind, string(reason), action, "%s", note)
}
