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
	"strconv"
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
	Save        Verb = "save"
	Suspend     Verb = "suspend"
	Resume      Verb = "resume"
	Extend      Verb = "extend"
	Delete      Verb = "delete"
	Scale       Verb = "scale"
	Create      Verb = "create"
	// Inspect reads everything about one object.
	Inspect Verb = "inspect"
	// ReadPod reads which containers and ports the Pod of one sandbox has.
	ReadPod Verb = "read Pod"
)

// Changes reports whether a verb changes anything in the cluster or enters a sandbox.
func (v Verb) Changes() bool {
	switch v {
	case Logs, Copy, Save, Inspect, ReadPod, StopForward:
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
	// Argument is the command, ports, duration, number, name, ID or file, depending on the verb.
	Argument string
	// Container is the container of Shell, Exec and Logs; empty for the Pod's default.
	Container string
	// Previous says of Logs that the previous run of the container is meant.
	Previous bool
	// Lines are what Save saves.
	Lines []string
	// Volumes are those of the targets, as the user saw them.
	Volumes []volume.Outcome
	// Sizes are the desired sizes of the pools, as the user saw them, for Scale.
	Sizes []int
}

// Question returns the question to ask before a request that destroys something or starts many sandboxes, or an empty
// string for other requests.
func (r Request) Question() string {
	what := describeTargets(r.Targets)
	switch {
	case r.Verb == Delete && len(r.Targets) > 0 && r.Targets[0].Kind == resolve.KindPool:
		return "Delete " + what + " and its unclaimed sandboxes?" + volumes(r.Volumes)
	case r.Verb == Delete:
		return "Delete " + what + "?" + volumes(r.Volumes)
	case r.Verb == Suspend:
		return "Suspend " + what + "? Data that is not on a volume is lost."
	case r.Verb == Scale:
		return r.scaleQuestion(what)
	}
	return ""
}

// fewMembers is how much larger a pool may become without a question.
const fewMembers = 5

// scaleQuestion returns the question before pools become smaller or much larger. A size that is not a number has none:
// it is an error.
func (r Request) scaleQuestion(what string) string {
	size, err := strconv.Atoi(strings.TrimSpace(r.Argument))
	if err != nil {
		return ""
	}
	var fewer, more int
	for _, now := range r.Sizes {
		fewer += max(0, now-size)
		more += max(0, size-now)
	}
	text := fmt.Sprintf("Scale %s to %d?", what, size)
	if len(r.Sizes) == 1 {
		text = fmt.Sprintf("Scale %s from %d to %d?", what, r.Sizes[0], size)
	}
	switch {
	case fewer == 0 && more <= fewMembers:
		return ""
	case fewer > 0:
		text += fmt.Sprintf(" That deletes %s that no claim has taken.", sandboxes(fewer))
	}
	if more > 0 {
		text += fmt.Sprintf(" That starts %s.", sandboxes(more))
	}
	return text
}

func sandboxes(n int) string {
	if n == 1 {
		return "1 sandbox"
	}
	return fmt.Sprintf("%d sandboxes", n)
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
	// Log, if set, has to be read and closed by the caller. Each of its lines begins with a timestamp and a space.
	// Container is the container that it is from, and Previous says that it is of the container's previous run.
	Log       io.ReadCloser
	Container string
	Previous  bool
	// Clipboard, if set, is a text for the clipboard.
	Clipboard string
	// Page is the result of Inspect, Pod that of ReadPod.
	Page *Page
	Pod  *Pod
}

// ErrReadOnly is the error of a change in a read-only dashboard.
var ErrReadOnly = errors.New("read-only: restart without --read-only to make changes")
