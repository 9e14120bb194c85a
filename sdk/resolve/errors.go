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
	// NotFound: there is no such object.
	NotFound Cause = "NotFound"
	// NotInstalled: the cluster does not serve the kind.
	NotInstalled Cause = "NotInstalled"
	// Suspended: the Sandbox has no Pod because somebody wants it so.
	Suspended Cause = "Suspended"
	// Expired: the time of the claim or Sandbox is over.
	Expired Cause = "Expired"
	// Finished: the Pod has ended and does not start again.
	Finished Cause = "Finished"
	// Deleting: the object is being deleted.
	Deleting Cause = "Deleting"
	// NotReady: the Pod does not run yet.
	NotReady Cause = "NotReady"
	// WrongKind: the reference names something that this operation does not work on.
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

// NextStep is the arguments of the plugin's command that helps, as "resume dev"; empty when none does. The namespace is
// left to the caller, who knows whether it must be said.
func (e *Error) NextStep() string { return e.next }

// Is says whether the error has the cause.
func Is(err error, cause Cause) bool {
	var e *Error
	return errors.As(err, &e) && e.Cause == cause
}

// NotServed says whether the API server does not know the kind at all. A 404 about an object has the server's own
// Status; one about an unknown path has not.
func NotServed(err error) bool {
	if meta.IsNoMatchError(err) {
		return true
	}
	return apierrors.IsNotFound(err) && apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse)
}

// ErrorNotInstalled is the error for a cluster that does not serve one of our kinds.
func ErrorNotInstalled(resource, group string) *Error {
	e := &Error{Cause: NotInstalled, next: "install"}
	e.Message = fmt.Sprintf("this cluster does not serve %s.%s/%s: the sandbox CRDs are not installed", resource, group, apis.VersionV1beta1)
	return e
}

// ErrorNotFound is the error for an object that does not exist.
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
