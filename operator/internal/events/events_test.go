// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package events

import (
	"strings"
	"testing"
	"unicode/utf8"

	"k8s.io/client-go/tools/events"

	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

func TestANoteTooLongForTheAPIIsCutBetweenCharacters(t *testing.T) {
	recorder := events.NewFakeRecorder(1)
	Record(recorder, builders.Sandbox("a"), nil, "Warning", "Reason", "Act", "100 %s "+strings.Repeat("é", maxNoteLength))
	note := strings.TrimPrefix(<-recorder.Events, "Warning Reason ")
	if len(note) > maxNoteLength || len(note) < maxNoteLength-1 || !utf8.ValidString(note) ||
		!strings.HasSuffix(note, "é...") || !strings.HasPrefix(note, "100 %s é") {
		t.Errorf("%d bytes: %q", len(note), note)
	}
}
