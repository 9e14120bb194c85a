// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package wait

import (
	"errors"
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis/ending"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// exitCodes collects the exit codes of what has finished. It is safe for concurrent use.
type exitCodes struct {
	mu     sync.Mutex
	failed []error
}

// add records the exit code of a finished sandbox. It returns an error if nobody knows it.
func (e *exitCodes) add(t *resolve.Target) error {
	code, known := ending.ExitCode(t.Pod)
	if !known || (code == 0 && t.Pod.Status.Phase == corev1.PodFailed) {
		return fmt.Errorf("%s has finished, but its exit code is not known: its Pod is gone, hidden or was ended by "+
			"something else", t.Name())
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.failed = append(e.failed, cli.RemoteExitError(code))
	return nil
}

// err returns the error with the code that those which failed have in common.
func (e *exitCodes) err() error { return errors.Join(e.failed...) }
