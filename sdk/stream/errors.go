// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package stream

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/remotecommand"
	"k8s.io/client-go/util/exec"
	"k8s.io/streaming/pkg/httpstream"
)

// ExitError reports that the remote command ended with a code other than 0.
type ExitError struct{ Code int }

// Error implements error.
func (e *ExitError) Error() string { return fmt.Sprintf("command ended with exit code %d", e.Code) }

// LostError reports that the connection ended before the remote end reported a status: the result is unknown. It does
// not unwrap, because its cause may look as if the API server had not been reached.
type LostError struct{ Cause error }

// Error implements error.
func (e *LostError) Error() string {
	if e.Cause == nil {
		return "the connection was lost before the remote end reported a status"
	}
	return fmt.Sprintf("the connection was lost before the remote end reported a status: %v", e.Cause)
}

// StartError reports that the container has no such program, or cannot run it.
type StartError struct{ Message string }

// Error implements error.
func (e *StartError) Error() string { return "the command could not be started: " + e.Message }

// ExitCode returns the exit code that a shell or docker gives for the failure: 127 if there is no such program, and 126
// if it cannot be run.
func (e *StartError) ExitCode() int {
	for _, words := range []string{"executable file not found", "no such file or directory"} {
		if strings.Contains(e.Message, words) {
			return exitNotFound
		}
	}
	return exitCannotRun
}

// The exit codes of shells for a program that cannot be run, and for one that does not exist.
const (
	exitCannotRun = 126
	exitNotFound  = 127
)

// outputError is the error if the caller's writer fails.
func outputError(err error) error { return fmt.Errorf("write the output: %w", err) }

// Missing reports whether an Exec failed because the image lacks the program. Some runtimes report that as an exit
// code, as a shell does.
func Missing(err error) bool {
	var start *StartError
	var ended *ExitError
	return errors.As(err, &start) ||
		(errors.As(err, &ended) && (ended.Code == exitCannotRun || ended.Code == exitNotFound))
}

// isStartFailure reports whether a message is that of a container runtime about a program that does not exist or cannot
// be run. The API has no reason for it.
func isStartFailure(message string) bool {
	for _, words := range []string{
		"executable file not found", "no such file or directory", "permission denied", "exec format error",
	} {
		if strings.Contains(message, words) && strings.Contains(message, "exec") {
			return true
		}
	}
	return false
}

// decode converts the status that the remote end reported to an error.
func decode(report []byte) error {
	status := &metav1.Status{}
	if err := json.Unmarshal(report, status); err != nil {
		return &LostError{Cause: fmt.Errorf("the status %q cannot be read: %w", report, err)}
	}
	if status.Status == metav1.StatusSuccess {
		return nil
	}
	if status.Reason == remotecommand.NonZeroExitCodeReason && status.Details != nil {
		for _, cause := range status.Details.Causes {
			if cause.Type != remotecommand.ExitCodeCauseType {
				continue
			}
			if code, err := strconv.ParseUint(cause.Message, 10, 8); err == nil {
				return &ExitError{Code: int(code)}
			}
		}
	}
	if isStartFailure(status.Message) {
		return &StartError{Message: runtimeMessage(status.Message)}
	}
	return &apierrors.StatusError{ErrStatus: *status}
}

// runtimeMessage removes what the layers above put in front of the runtime's message.
func runtimeMessage(message string) string {
	if at := strings.LastIndex(message, "exec: "); at >= 0 {
		message = message[at:]
	}
	return strings.TrimSuffix(message, ": unknown")
}

// translate converts client-go's errors to those of this package. A session that started and has no status was lost.
func translate(err error, reported bool) error {
	var ended exec.CodeExitError
	var status *apierrors.StatusError
	switch {
	case errors.As(err, &ended):
		return &ExitError{Code: ended.Code}
	case !reported:
		return &LostError{Cause: err}
	case err != nil && isStartFailure(err.Error()):
		return &StartError{Message: runtimeMessage(err.Error())}
	case errors.As(err, &status):
		return status
	}
	return err
}

// shouldFallBack reports whether the WebSocket handshake failed, so that SPDY may work. It must use k8s.io/streaming:
// the older package never matches the errors of client-go since 0.36.
func shouldFallBack(err error) bool {
	return httpstream.IsUpgradeFailure(err) || httpstream.IsHTTPSProxyError(err)
}

// preferredError chooses the error to report after both protocols were tried: the API server's status says most, and
// loses its type over SPDY.
func preferredError(first, err error) error {
	var upgrade *httpstream.UpgradeFailureError
	var status *apierrors.StatusError
	var lost *LostError
	var ended *ExitError
	var start *StartError
	if err == nil || errors.As(err, &ended) || errors.As(err, &lost) || errors.As(err, &start) {
		return err
	}
	if errors.As(first, &upgrade) && errors.As(upgrade.Cause, &status) {
		return withReasonOf(status, err)
	}
	return err
}

// withReasonOf adds the reason from another error to a refusal without one: a user who may get pods/exec but not create
// it sees the verb only over SPDY.
func withReasonOf(status *apierrors.StatusError, other error) error {
	unsaid, silent := strings.CutSuffix(status.ErrStatus.Message, ": ")
	if _, why, told := strings.Cut(other.Error(), unsaid+": "); silent && told {
		status = &apierrors.StatusError{ErrStatus: *status.ErrStatus.DeepCopy()}
		status.ErrStatus.Message = unsaid + ": " + why
	}
	return status
}
