// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package events records Kubernetes events.
package events

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
)

// maxNoteLength is the API's limit for the note of an event, in bytes.
const maxNoteLength = 1024

// Record records an event about an object and, if related is not nil, a related one. eventType is Normal or Warning. A
// note that exceeds the API's limit is truncated. The recorder counts repetitions of an event instead of writing them.
func Record(
	recorder events.EventRecorder, regarding, related runtime.Object, eventType string, reason apis.Reason, action,
	note string,
) {
	if len(note) > maxNoteLength {
		note = strings.ToValidUTF8(note[:maxNoteLength-len("...")], "") + "..."
	}
	recorder.Eventf(regarding, related, eventType, string(reason), action, "%s", note)
}
