// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// Second starts another API server on the same etcd, which runs until the test ends, and returns its address. It serves the same users
// with the same certificates, as the servers of a control plane behind a load balancer do, and has a watch cache of its own.
func (s *Server) Second(t testing.TB) (host string) {
	t.Helper()
	first := s.env.ControlPlane.GetAPIServer()
	dir := t.TempDir()
	script := filepath.Join(s.dir, programServer+"-second")
	text := fmt.Sprintf(record, script+".pid", filepath.Join(os.Getenv(assetsVariable), programServer))
	if err := os.WriteFile(script, []byte(text), 0o700); err != nil { //nolint:gosec // it is a program
		t.Fatal(err)
	}
	log, err := os.Create(filepath.Join(dir, programServer+".log"))
	if err != nil {
		t.Fatal(err)
	}
	second := &envtest.APIServer{
		CertDir: first.CertDir, Path: script, EtcdURL: first.EtcdURL, Out: log, Err: log, StartTimeout: patience, StopTimeout: patience,
	}
	second.Authn, second.CA = first.Authn, first.CA
	second.Configure().Set("service-account-issuer", first.SecureServing.URL("https", "/").String())
	if err := second.Start(); err != nil {
		tail, _ := os.ReadFile(log.Name())
		t.Fatalf("start a second API server: %v\n%s", err, tail[max(0, len(tail)-mostLog):])
	}
	t.Cleanup(func() {
		if err := killRecorded(script + ".pid"); err != nil {
			t.Errorf("end the second API server: %v", err)
		}
		_ = second.Stop() // it has been killed: this waits for its end
		_ = log.Close()
	})
	return second.SecureServing.URL("https", "/").Host
}

// killRecorded ends the process whose id is in the file at once: a graceful end takes an API server many seconds.
func killRecorded(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return err
	}
	return syscall.Kill(pid, syscall.SIGKILL)
}

// Host is the address of the first API server.
func (s *Server) Host() string {
	return s.env.ControlPlane.GetAPIServer().SecureServing.URL("https", "/").Host
}
