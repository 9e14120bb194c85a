// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package components says how each program of the cluster is configured and called. It starts none.
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

// Settings is what differs from cluster to cluster.
type Settings struct {
	Name          string // of the cluster and of its one node
	NodeIP        string
	Cgroup        string // absolute, below the hierarchies' root
	Simulated     int    // nodes that exist in the API alone; with any, there is no real one
	MasqueradeAll bool   // for kernels that do not show bridged traffic to the packet filter
}

// StateDir is the cluster's directory, as its components see it.
func (s Settings) StateDir() string { return confine.StateDir }

// ProgramsDir holds the programs, as the components see it.
func (s Settings) ProgramsDir() string { return confine.ProgramsDir }

// PodNetwork is the range of Pod addresses.
func (s Settings) PodNetwork() string { return network.PodNetwork }

// ServiceNetwork is the range of Service addresses.
func (s Settings) ServiceNetwork() string { return network.ServiceNetwork }

// NameServer is an address that refuses lookups at once.
func (s Settings) NameServer() string { return network.NameServer }

// PauseImage holds a Pod's namespaces.
func (s Settings) PauseImage() string { return images.PauseTag }

// placesOf maps each file of configuration to its place below the directory that Write is given.
var placesOf = map[string]string{
	"containerd.toml": "containerd.toml",
	"pods.conflist":   "cni/10-pods.conflist",
	"kubelet.yaml":    "kubelet.yaml",
	"kube-proxy.yaml": "kube-proxy.yaml",
	"audit.yaml":      "audit.yaml",
}

// Write renders every file of configuration into dir.
func (s Settings) Write(dir string) error {
	for name, place := range placesOf {
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
	stages, err := files.ReadFile("files/kwok.yaml") // full of templates that are kwok's
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

// Defaults is the manifest of the objects that the cluster has from the start.
func (s Settings) Defaults() ([]byte, error) {
	defaults, err := files.ReadFile("files/defaults.yaml")
	return append(defaults, s.nodeManifest()...), err
}
