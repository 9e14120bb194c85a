// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// artifactsVariable names the directory for the logs of failed tests.
const artifactsVariable = "ARTIFACTS"

// logTailBytes is how many bytes of the server's log an error contains.
const logTailBytes = 4096

// Run runs the tests of a package against one server and returns the exit code. It calls ready with the server before
// the first test.
func Run(m *testing.M, ready func(*Server), options ...Option) (code int) {
	s, err := Start(options...)
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "cannot run these tests:", err)
		return 1
	}
	defer func() {
		if code != 0 {
			s.keepLog()
		}
		if err := s.Stop(); err != nil {
			_, _ = fmt.Fprintln(os.Stderr, "stop the API server:", err)
			code = 1
		}
	}()
	ready(s)
	return m.Run()
}

func (s *Server) log() string { return filepath.Join(s.dir, programServer+".log") }

func (s *Server) logTail() string {
	text, err := os.ReadFile(s.log())
	if err != nil {
		return ""
	}
	return string(text[max(0, len(text)-logTailBytes):])
}

// keepLog copies the server's log to $ARTIFACTS, under the name of the test binary.
func (s *Server) keepLog() {
	artifacts := os.Getenv(artifactsVariable)
	if artifacts == "" {
		return
	}
	text, err := os.ReadFile(s.log())
	if err == nil {
		kept := filepath.Join(artifacts, filepath.Base(os.Args[0])+"-"+programServer+".log")
		err = os.WriteFile(kept, text, 0o600)
	}
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "keep the API server's log:", err)
	}
}
