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

// ExitError says that the remote command ended with a code other than 0.
type ExitError struct{ Code int }

// Error implements error.
func (e *ExitError) Error() string { return fmt.Sprintf("command ended with exit code %d", e.Code) }

// LostError says that the connection ended before the remote end reported a status: nobody knows how the command ended.
// It does not unwrap: that the API server was reached is certain, whatever the cause looks like.
type LostError struct{ Cause error }

// Error implements error.
func (e *LostError) Error() string {
	if e.Cause == nil {
		return "the connection was lost before the remote end reported a status"
	}
	return fmt.Sprintf("the connection was lost before the remote end reported a status: %v", e.Cause)
}

// StartError says that the container has no such program, or cannot run it.
type StartError struct{ Message string }

// Error implements error.
func (e *StartError) Error() string { return "the command could not be started: " + e.Message }

// outputError is the error when our side cannot take the output.
func outputError(err error) error { return fmt.Errorf("write the output: %w", err) }

// Missing says whether an Exec failed because the image does not have the program. Some runtimes report that as an exit
// code, as a shell does.
func Missing(err error) bool {
	var start *StartError
	var ended *ExitError
	return errors.As(err, &start) || (errors.As(err, &ended) && (ended.Code == 126 || ended.Code == 127))
}

// isStartFailure are the words that container runtimes have for a program that is not there or cannot be run.
func isStartFailure(message string) bool {
	for _, words := range []string{"executable file not found", "no such file or directory", "permission denied", "exec format error"} {
		if strings.Contains(message, words) && strings.Contains(message, "exec") {
			return true
		}
	}
	return false
}

// decode turns the status that the remote end reported into an error.
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

// runtimeMessage takes off what each layer put in front of the runtime's own words.
func runtimeMessage(message string) string {
	if at := strings.LastIndex(message, "exec: "); at >= 0 {
		message = message[at:]
	}
	return strings.TrimSuffix(message, ": unknown")
}

// translate gives client-go's errors our types. Without a status from the remote end, a session that had begun was lost.
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

// shouldFallBack says whether the WebSocket handshake failed, so that SPDY may do better. The check must be that of
// k8s.io/streaming: the older package's never matches what client-go returns since 0.36.
func shouldFallBack(err error) bool {
	return httpstream.IsUpgradeFailure(err) || httpstream.IsHTTPSProxyError(err)
}

// preferredError chooses what to report when SPDY was tried after WebSocket: the API server's own answer tells most, and SPDY
// loses its type.
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

// withReasonOf gives a refusal without a reason the words of another one: who may get pods/exec and not create it is told of the verb over
// SPDY alone.
func withReasonOf(status *apierrors.StatusError, other error) error {
	unsaid, silent := strings.CutSuffix(status.ErrStatus.Message, ": ")
	if _, why, told := strings.Cut(other.Error(), unsaid+": "); silent && told {
		status = &apierrors.StatusError{ErrStatus: *status.ErrStatus.DeepCopy()}
		status.ErrStatus.Message = unsaid + ": " + why
	}
	return status
}
