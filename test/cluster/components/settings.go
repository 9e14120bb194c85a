// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package components contains the configuration and the arguments of each program of the cluster. It starts none.
package components

import (
	"bytes"
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"text/template"

	"github.com/agent-sandbox/kubectl-sandbox/test/cluster/confine"
	"github.com/agent-sandbox/kubectl-sandbox/test/cluster/images"
	"github.com/agent-sandbox/kubectl-sandbox/test/cluster/network"
)

//go:embed files
var files embed.FS

// Settings are the values that differ between clusters.
type Settings struct {
	Name          string // of the cluster and of its only node
	NodeIP        string
	Cgroup        string // absolute, below the hierarchies' root
	Simulated     int    // nodes that exist only in the API; with any, there is no real node
	MasqueradeAll bool   // for kernels that do not show bridged traffic to the packet filter
}

// StateDir returns the cluster's directory inside its mount namespace.
func (s Settings) StateDir() string { return confine.StateDir }

// ProgramsDir returns the directory of the programs inside the cluster's mount namespace.
func (s Settings) ProgramsDir() string { return confine.ProgramsDir }

// PodNetwork returns the range of Pod addresses.
func (s Settings) PodNetwork() string { return network.PodNetwork }

// ServiceNetwork returns the range of Service addresses.
func (s Settings) ServiceNetwork() string { return network.ServiceNetwork }

// NameServer returns an address that refuses lookups at once.
func (s Settings) NameServer() string { return network.NameServer }

// PauseImage returns the image of the container that holds a Pod's namespaces.
func (s Settings) PauseImage() string { return images.PauseTag }

// configPaths maps each configuration file to its path below the directory of Write.
var configPaths = map[string]string{
	"containerd.toml": "containerd.toml",
	"pods.conflist":   "cni/10-pods.conflist",
	"kubelet.yaml":    "kubelet.yaml",
	"kube-proxy.yaml": "kube-proxy.yaml",
	"audit.yaml":      "audit.yaml",
}

// Write renders every configuration file into dir.
func (s Settings) Write(dir string) error {
	for name, place := range configPaths {
		data, err := s.render(name)
		if err != nil {
			return err
		}
		path := filepath.Join(dir, place)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			return err
		}
	}
	stages, err := files.ReadFile("files/kwok.yaml") // not rendered: it contains kwok's own templates
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "kwok.yaml"), stages, 0o644)
}

func (s Settings) render(name string) ([]byte, error) {
	parsed, err := template.New(name).Option("missingkey=error").ParseFS(files, "files/"+name)
	if err != nil {
		return nil, fmt.Errorf("parse %s: %w", name, err)
	}
	var out bytes.Buffer
	if err := parsed.Execute(&out, s); err != nil {
		return nil, fmt.Errorf("render %s: %w", name, err)
	}
	return out.Bytes(), nil
}

// Defaults returns the manifest of the objects with which the cluster starts.
func (s Settings) Defaults() ([]byte, error) {
	defaults, err := files.ReadFile("files/defaults.yaml")
	return append(defaults, s.nodeManifest()...), err
}
