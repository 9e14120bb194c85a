// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build linux

package server

import (
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"syscall"

	"github.com/agent-sandbox/kubectl-sandbox/runtime/workspace"
)

// The bodies of the contract. docs/reference/runtime.openapi.yaml describes them.
type (
	// Health is the answer of GET /.
	Health struct {
		Status string `json:"status"`
	}
	// Execution is the body of POST /execute, and the first line of POST /execute/stream.
	Execution struct {
		Command *string `json:"command"`
		// TimeoutSeconds limits the command; nil: only the runtime's own limit does.
		TimeoutSeconds *float64 `json:"timeout_seconds,omitempty"`
	}
	// Outcome is the answer of POST /execute. Bytes that are not UTF-8 are replaced by U+FFFD.
	Outcome struct {
		Stdout   string `json:"stdout"`
		Stderr   string `json:"stderr"`
		ExitCode int    `json:"exit_code"`
	}
	// Input is a further line of POST /execute/stream: bytes for the standard input.
	Input struct {
		Data []byte `json:"data"`
	}
	// Chunk is a line of the answer of POST /execute/stream: bytes that the command wrote to stdout or stderr.
	Chunk struct {
		Stream string `json:"stream"`
		Data   []byte `json:"data"`
	}
	// End is the last line of that answer.
	End struct {
		ExitCode int `json:"exit_code"`
	}
	// Uploaded is the answer of POST /upload.
	Uploaded struct {
		Path string `json:"path"`
		Size int64  `json:"size"`
	}
	// Listed is an entry in the answer of GET /list/{path}.
	Listed struct {
		Name string `json:"name"`
		Size int64  `json:"size"`
		// Type is file or directory: clients know no other. What is no directory counts as a file.
		Type string `json:"type"`
		// ModTime is in seconds since 1970.
		ModTime float64 `json:"mod_time"`
	}
	// Existence is the answer of GET /exists/{path}.
	Existence struct {
		Path   string `json:"path"`
		Exists bool   `json:"exists"`
	}
	// Refusal is the body of every status from 400 on.
	Refusal struct {
		Detail string `json:"detail"`
	}
)

// reply writes an answer. Its errors are those of the connection, which the server notices itself.
func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(body)
}

func refuse(w http.ResponseWriter, status int, detail string) {
	reply(w, status, Refusal{Detail: detail})
}

// fail refuses a request because of an error.
func fail(w http.ResponseWriter, err error) { refuse(w, statusOf(err), err.Error()) }

// statuses is the consequence of each class of errors. The first that fits decides.
var statuses = []struct {
	class  error
	status int
}{
	{workspace.ErrOutside, http.StatusForbidden},
	{workspace.ErrInvalidName, http.StatusBadRequest},
	{workspace.ErrNotFile, http.StatusNotFound},
	{workspace.ErrNotDirectory, http.StatusNotFound},
	{os.ErrDeadlineExceeded, http.StatusRequestTimeout},
	{errTooLarge, http.StatusRequestEntityTooLarge},
	{errMalformed, http.StatusBadRequest},
	{syscall.ENOSPC, http.StatusInsufficientStorage},
	{syscall.EDQUOT, http.StatusInsufficientStorage},
	{syscall.EFBIG, http.StatusInsufficientStorage},
	{fs.ErrNotExist, http.StatusNotFound},
	{syscall.ENOTDIR, http.StatusNotFound},
	{fs.ErrPermission, http.StatusForbidden},
	{syscall.EROFS, http.StatusForbidden},
	{syscall.ENAMETOOLONG, http.StatusBadRequest},
	{syscall.ELOOP, http.StatusBadRequest},
}

func statusOf(err error) int {
	for _, one := range statuses {
		if errors.Is(err, one.class) {
			return one.status
		}
	}
	return http.StatusInternalServerError
}
