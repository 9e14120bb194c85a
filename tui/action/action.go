// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package action does what a user asks the dashboard to do, through the SDK.
//
// Invariants:
//   - there is one way in, Dispatch, and what a read-only dashboard must not do is refused there;
//   - a change is made to the object that the user saw: another one of the same name is left alone;
//   - everything that runs in the background is ended by Close.
package action

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/volume"
)

// Verb is what to do.
type Verb string

// The verbs.
const (
	Shell   Verb = "shell"
	Exec    Verb = "exec"
	Logs    Verb = "logs"
	Forward Verb = "port-forward"
	Unlink  Verb = "stop port-forward"
	Copy    Verb = "copy"
	Suspend Verb = "suspend"
	Resume  Verb = "resume"
	Extend  Verb = "extend"
	Delete  Verb = "delete"
	Scale   Verb = "scale"
	Create  Verb = "create"
	// Inspect reads everything about one object.
	Inspect Verb = "inspect"
)

// Changes says whether a verb changes anything in the cluster or enters a sandbox.
func (v Verb) Changes() bool {
	switch v {
	case Logs, Copy, Inspect, Unlink:
		return false
	default:
		return true
	}
}

// Target is an object as the user saw it.
type Target struct {
	Kind            resolve.Kind
	Namespace, Name string
	UID             types.UID
}

// Ref is how commands of the plugin name the target.
func (t Target) Ref() resolve.Ref { return resolve.Ref{Kind: t.Kind, Name: t.Name} }

// Request is what to do, and to what.
type Request struct {
	Verb    Verb
	Targets []Target
	// Argument is the command, ports, duration, number, name or ID that the verb needs.
	Argument string
	// Volumes are those of the targets, as far as the user saw.
	Volumes []volume.Outcome
	// Lowered says of Scale that the pool is to keep fewer than now.
	Lowered bool
}

// Question is what to ask before a request that destroys something; empty if it does not.
func (r Request) Question() string {
	what := names(r.Targets)
	switch {
	case r.Verb == Delete && len(r.Targets) > 0 && r.Targets[0].Kind == resolve.KindPool:
		return "Delete " + what + ", with the sandboxes in it that nobody has claimed?"
	case r.Verb == Delete:
		return "Delete " + what + "?" + volumes(r.Volumes)
	case r.Verb == Suspend:
		return "Suspend " + what + "? What is not on a volume is lost."
	case r.Verb == Scale && r.Lowered:
		return fmt.Sprintf("Scale %s down to %s?", what, r.Argument)
	}
	return ""
}

// volumes says which volumes go and which stay.
func volumes(all []volume.Outcome) (text string) {
	if going := volume.Names(all, false); going != "" {
		text += " Volumes that are deleted with what is on them: " + going + "."
	}
	if staying := volume.Names(all, true); staying != "" {
		text += " Volumes that stay: " + staying + "."
	}
	return text
}

// shown is how many names a question spells out.
const shown = 6

func names(targets []Target) string {
	var words []string
	for _, t := range targets[:min(len(targets), shown)] {
		words = append(words, t.Ref().String())
	}
	text := strings.Join(words, ", ")
	switch more := len(targets) - shown; {
	case len(targets) <= 1:
		return text
	case more > 0:
		return fmt.Sprintf("%d objects: %s and %d more", len(targets), text, more)
	}
	return fmt.Sprintf("%d objects: %s", len(targets), text)
}

// Result is how a request ended.
type Result struct {
	Verb Verb
	// Target is the first one that it was for, if any.
	Target  Target
	Message string
	Err     error
	// Session, if set, is to be given the terminal.
	Session *Session
	// Log, if set, is to be read and closed.
	Log io.ReadCloser
	// Clipboard, if set, is to be put there.
	Clipboard string
	// Page is what Inspect read.
	Page *Page
}

// ErrReadOnly is why a read-only dashboard does not do something.
var ErrReadOnly = errors.New("read-only: start without --read-only to change anything")
