// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package action executes the requests of the dashboard's user, through the SDK.
//
// Invariants:
//   - Dispatch is the only entry point, and refuses changes in a read-only dashboard;
//   - a change applies only to the object that the user saw, not to another one of the same name;
//   - Close ends everything that runs in the background.
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

// Verb is the name of an action.
type Verb string

// The verbs.
const (
	Shell       Verb = "shell"
	Exec        Verb = "exec"
	Logs        Verb = "logs"
	Forward     Verb = "port-forward"
	StopForward Verb = "stop port-forward"
	Copy        Verb = "copy"
	Suspend     Verb = "suspend"
	Resume      Verb = "resume"
	Extend      Verb = "extend"
	Delete      Verb = "delete"
	Scale       Verb = "scale"
	Create      Verb = "create"
	// Inspect reads everything about one object.
	Inspect Verb = "inspect"
)

// Changes reports whether a verb changes anything in the cluster or enters a sandbox.
func (v Verb) Changes() bool {
	switch v {
	case Logs, Copy, Inspect, StopForward:
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

// Ref returns the reference with which commands of the plugin name the target.
func (t Target) Ref() resolve.Ref { return resolve.Ref{Kind: t.Kind, Name: t.Name} }

// Request is an action and its targets.
type Request struct {
	Verb    Verb
	Targets []Target
	// Argument is the command, ports, duration, number, name or ID, depending on the verb.
	Argument string
	// Volumes are those of the targets, as the user saw them.
	Volumes []volume.Outcome
	// Lowered says of Scale that the pool is to keep fewer than now.
	ScalesDown bool
}

// Question returns the question to ask before a request that destroys something, or an empty string for other requests.
func (r Request) Question() string {
	what := describeTargets(r.Targets)
	switch {
	case r.Verb == Delete && len(r.Targets) > 0 && r.Targets[0].Kind == resolve.KindPool:
		return "Delete " + what + " and its unclaimed sandboxes?"
	case r.Verb == Delete:
		return "Delete " + what + "?" + volumes(r.Volumes)
	case r.Verb == Suspend:
		return "Suspend " + what + "? Data that is not on a volume is lost."
	case r.Verb == Scale && r.ScalesDown:
		return fmt.Sprintf("Scale %s down to %s?", what, r.Argument)
	}
	return ""
}

// volumes lists the volumes that are deleted and those that are kept.
func volumes(all []volume.Outcome) (text string) {
	if going := volume.Names(all, false); going != "" {
		text += " Volumes that are deleted with their data: " + going + "."
	}
	if staying := volume.Names(all, true); staying != "" {
		text += " Volumes that are kept: " + staying + "."
	}
	return text
}

// maxNames is the number of names that a question lists.
const maxNames = 6

func describeTargets(targets []Target) string {
	var words []string
	for _, t := range targets[:min(len(targets), maxNames)] {
		words = append(words, t.Ref().String())
	}
	text := strings.Join(words, ", ")
	switch more := len(targets) - maxNames; {
	case len(targets) <= 1:
		return text
	case more > 0:
		return fmt.Sprintf("%d objects: %s and %d more", len(targets), text, more)
	}
	return fmt.Sprintf("%d objects: %s", len(targets), text)
}

// Result is the outcome of a request.
type Result struct {
	Verb Verb
	// Target is the first target of the request, if any.
	Target  Target
	Message string
	Err     error
	// Session, if set, is to be run on the terminal.
	Session *Session
	// Log, if set, has to be read and closed by the caller.
	Log io.ReadCloser
	// Clipboard, if set, is a text for the clipboard.
	Clipboard string
	// Page is the result of Inspect.
	Page *Page
}

// ErrReadOnly is the error of a change in a read-only dashboard.
var ErrReadOnly = errors.New("read-only: restart without --read-only to make changes")
