// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package resolve

import (
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
)

// Cause is the class of an Error.
type Cause string

// The causes.
const (
	// NotFound means that the object does not exist.
	NotFound Cause = "NotFound"
	// NotInstalled means that the cluster does not serve the kind.
	NotInstalled Cause = "NotInstalled"
	// Suspended means that the Sandbox has no Pod because its spec says so.
	Suspended Cause = "Suspended"
	// Expired means that the claim or Sandbox has reached its shutdown time.
	Expired Cause = "Expired"
	// Finished means that the Pod has ended and will not start again.
	Finished Cause = "Finished"
	// Deleting means that the object is being deleted.
	Deleting Cause = "Deleting"
	// NotReady means that the Pod is not running yet.
	NotReady Cause = "NotReady"
	// WrongKind means that the operation does not work on that kind of object.
	WrongKind Cause = "WrongKind"
)

// Error says why a name leads to no object, or to none that can be used.
type Error struct {
	Cause   Cause
	Message string
	next    string
}

// Error implements error.
func (e *Error) Error() string { return e.Message }

// NextStep returns the arguments of the plugin command that helps, as "resume dev"; empty if none does. The caller adds
// the namespace if it is needed.
func (e *Error) NextStep() string { return e.next }

// Is reports whether the error has the cause.
func Is(err error, cause Cause) bool {
	var e *Error
	return errors.As(err, &e) && e.Cause == cause
}

// NotServed reports whether the API server does not know the kind. Its 404 for an unknown object has a Status of its
// own; that for an unknown path has none.
func NotServed(err error) bool {
	if meta.IsNoMatchError(err) {
		return true
	}
	return apierrors.IsNotFound(err) && apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse)
}

// ErrorNotInstalled returns the error for a cluster that does not serve one of our kinds.
func ErrorNotInstalled(resource, group string) *Error {
	e := &Error{Cause: NotInstalled, next: "install"}
	e.Message = fmt.Sprintf(
		"this cluster does not serve %s.%s/%s: the sandbox CRDs are not installed", resource, group, apis.VersionV1beta1,
	)
	return e
}

// ErrorNotFound returns the error for an object that does not exist.
func ErrorNotFound(ref Ref, namespace string) *Error { return errorNotFound(ref, namespace, "") }

func errorNotFound(ref Ref, namespace, remark string) *Error {
	what, next := "claim or Sandbox", "list"
	switch ref.Kind {
	case KindPool:
		what, next = "pool", "pool list"
	case KindTemplate:
		what, next = "template", "template list"
	case KindClaim:
		what = "claim"
	case KindSandbox:
		what = "Sandbox"
	case KindPod:
		what = "Pod"
	default:
	}
	return &Error{
		Cause:   NotFound,
		Message: strings.TrimSpace(fmt.Sprintf("no %s is called %q in namespace %q%s", what, ref.Name, namespace, remark)),
		next:    next,
	}
}
