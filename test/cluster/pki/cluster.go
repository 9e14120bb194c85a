// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pki

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"
	"text/template"
	"time"
)

// Cluster contains the names and addresses in the certificates of a cluster.
type Cluster struct {
	Name      string // of the cluster and of its node
	NodeIP    string // where the API server and the kubelet listen
	ServiceIP string // of the kubernetes Service
	Server    string // URL of the API server
}

// clients returns the users of the kubeconfigs, by file name.
func clients(c Cluster) map[string]Subject {
	return map[string]Subject{
		"admin":                   {User: "kubernetes-admin", Groups: []string{"system:masters"}},
		"kubelet":                 {User: "system:node:" + c.Name, Groups: []string{"system:nodes"}},
		"kube-controller-manager": {User: "system:kube-controller-manager"},
		"kube-scheduler":          {User: "system:kube-scheduler"},
		"kube-proxy":              {User: "system:kube-proxy"},
	}
}

// pairs returns the subjects of the certificate files, by file name.
func pairs(c Cluster) map[string]Subject {
	return map[string]Subject{
		"apiserver": {User: "kube-apiserver", Hosts: []string{c.NodeIP, c.ServiceIP, "127.0.0.1", "localhost", "kubernetes",
			"kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local"}},
		"kubelet-server": {
			User: "system:node:" + c.Name, Groups: []string{"system:nodes"}, Hosts: []string{c.NodeIP, c.Name},
		},
		"kubelet-client": {User: "kube-apiserver-kubelet-client", Groups: []string{"system:masters"}},
	}
}

// WriteAll writes to dir: ca.crt and ca.key, a .crt and .key file for each server and client that needs them,
// service-accounts.key, and NAME.kubeconfig for each client. Only the owner can read keys.
func WriteAll(dir string, c Cluster, now time.Time) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	authority, own, err := NewAuthority("kubectl-sandbox "+c.Name, now)
	if err != nil {
		return err
	}
	if err := own.Write(filepath.Join(dir, "ca")); err != nil {
		return err
	}
	for name, subject := range pairs(c) {
		pair, err := authority.Issue(subject)
		if err != nil {
			return err
		}
		if err := pair.Write(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	for name, subject := range clients(c) {
		pair, err := authority.Issue(subject)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name+".kubeconfig"), kubeconfig(c, own.Certificate, pair),
			0o600); err != nil {
			return err
		}
	}
	return writeServiceAccountKey(filepath.Join(dir, "service-accounts.key"))
}

//nolint:gochecknoglobals // read only
var kubeconfigTemplate = template.Must(template.New("kubeconfig").Parse(`apiVersion: v1
kind: Config
clusters:
- name: {{.Name}}
  cluster:
    server: {{.Server}}
    certificate-authority-data: {{.CA}}
users:
- name: {{.Name}}
  user:
    client-certificate-data: {{.Certificate}}
    client-key-data: {{.Key}}
contexts:
- name: {{.Name}}
  context:
    cluster: {{.Name}}
    user: {{.Name}}
current-context: {{.Name}}
`))

func kubeconfig(c Cluster, ca []byte, pair Pair) []byte {
	encode := base64.StdEncoding.EncodeToString
	var out bytes.Buffer
	// Rendering strings to memory cannot fail.
	_ = kubeconfigTemplate.Execute(&out, map[string]string{
		"Name": c.Name, "Server": c.Server, "CA": encode(ca), "Certificate": encode(pair.Certificate),
		"Key": encode(pair.Key),
	})
	return out.Bytes()
}

func writeServiceAccountKey(path string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return fmt.Errorf("generate the service accounts' key: %w", err)
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return fmt.Errorf("encode the service accounts' key: %w", err)
	}
	return os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}), 0o600)
}
