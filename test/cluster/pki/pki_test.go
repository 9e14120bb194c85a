// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pki

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func writeAll(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "pki")
	c := Cluster{Name: "dev", NodeIP: "10.213.0.2", ServiceIP: "10.96.0.1", Server: "https://10.213.0.2:6443"}
	if err := WriteAll(dir, c, now); err != nil {
		t.Fatal(err)
	}
	return dir
}

func certificate(t *testing.T, path string) *x509.Certificate {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	block, _ := pem.Decode(data)
	parsed, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func TestServersAreTrustedByEveryNameTheyHave(t *testing.T) {
	dir := writeAll(t)
	roots := x509.NewCertPool()
	roots.AddCert(certificate(t, filepath.Join(dir, "ca.crt")))
	tests := map[string][]string{
		"apiserver":      {"10.213.0.2", "10.96.0.1", "kubernetes.default.svc", "localhost"},
		"kubelet-server": {"10.213.0.2", "dev"},
	}
	for server, hosts := range tests {
		for _, host := range hosts {
			_, err := certificate(t, filepath.Join(dir, server+".crt")).Verify(x509.VerifyOptions{
				Roots: roots, DNSName: host, CurrentTime: now,
			})
			if err != nil {
				t.Errorf("%s as %s: %v", server, host, err)
			}
		}
		if _, err := tls.LoadX509KeyPair(filepath.Join(dir, server+".crt"), filepath.Join(dir, server+".key")); err != nil {
			t.Errorf("%s: %v", server, err)
		}
	}
}

func TestClientsSpeakForTheirUsers(t *testing.T) {
	got := certificate(t, filepath.Join(writeAll(t), "kubelet-client.crt"))
	if got.Subject.CommonName != "kube-apiserver-kubelet-client" ||
		strings.Join(got.Subject.Organization, ",") != "system:masters" {
		t.Errorf("subject %v", got.Subject)
	}
	if len(got.ExtKeyUsage) != 1 || got.ExtKeyUsage[0] != x509.ExtKeyUsageClientAuth {
		t.Errorf("a client's certificate has the usages %v", got.ExtKeyUsage)
	}
}

func TestWhatHoldsAKeyIsReadableByItsOwnerAlone(t *testing.T) {
	dir := writeAll(t)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(entry.Name(), ".crt") && info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v", entry.Name(), info.Mode())
		}
	}
	for _, name := range []string{"ca.key", "service-accounts.key", "admin.kubeconfig", "kube-proxy.kubeconfig"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}
