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

// StartSecond starts another API server on the same etcd, which runs until the test ends, and returns its address. Like
// the servers of a control plane behind a load balancer, both serve the same users with the same certificates, and each
// has its own watch cache.
func (s *Server) StartSecond(t testing.TB) (host string) {
	t.Helper()
	first := s.env.ControlPlane.GetAPIServer()
	dir := t.TempDir()
	script := filepath.Join(s.dir, programServer+"-second")
	text := fmt.Sprintf(recordScript, script+".pid", filepath.Join(os.Getenv(assetsVariable), programServer))
	if err := os.WriteFile(script, []byte(text), 0o700); err != nil { //nolint:gosec // it is a program
		t.Fatal(err)
	}
	log, err := os.Create(filepath.Join(dir, programServer+".log"))
	if err != nil {
		t.Fatal(err)
	}
	second := &envtest.APIServer{
		CertDir: first.CertDir, Path: script, EtcdURL: first.EtcdURL, Out: log, Err: log, StartTimeout: startTimeout,
		StopTimeout: startTimeout,
	}
	second.Authn, second.CA = first.Authn, first.CA
	second.Configure().Set("service-account-issuer", first.SecureServing.URL("https", "/").String())
	if err := second.Start(); err != nil {
		tail, _ := os.ReadFile(log.Name())
		t.Fatalf("start a second API server: %v\n%s", err, tail[max(0, len(tail)-logTailBytes):])
	}
	t.Cleanup(func() {
		if err := killRecorded(script + ".pid"); err != nil {
			t.Errorf("end the second API server: %v", err)
		}
		_ = second.Stop() // waits for the killed process
		_ = log.Close()
	})
	return second.SecureServing.URL("https", "/").Host
}

// killRecorded kills the process whose ID is in the file. A graceful stop takes an API server many seconds.
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

// Host returns the address of the first API server.
func (s *Server) Host() string {
	return s.env.ControlPlane.GetAPIServer().SecureServing.URL("https", "/").Host
}
