// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package binaries

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
)

// The versions of the cluster's programs. Those of etcd and Kubernetes must equal pins/kubernetes.mod; a test compares
// them.
const (
	KubernetesVersion = "v1.37.2"
	EtcdVersion       = "v3.7.0"
	ContainerdVersion = "v2.4.2"
	RuncVersion       = "v1.5.3"
	CNIVersion        = "v1.10.0"
	KwokVersion       = "v0.8.0"
)

//go:embed pins/kubernetes.mod
var kubernetesMod []byte

//go:embed pins/kubernetes.sum
var kubernetesSum []byte

// Set selects programs. Each set includes the sets before it.
type Set int

// The sets of programs.
const (
	Integration Set = iota + 1 // etcd, kube-apiserver and kubectl, for tests that need only an API server
	Cluster                    // the programs of a cluster
	All                        // and the simulator of nodes, for benchmarks
)

// binary is one program to build.
type binary struct {
	name    string // of the file
	pkg     string // import path of its main package
	version string // empty: built in the pinned Kubernetes module
	ldflags string
	tags    string
	cgo     bool
	set     Set // the smallest set that includes it
}

const (
	small   = "-s -w"
	stamp   = "k8s.io/component-base/version"
	stamped = small + " -X " + stamp + ".gitVersion=" + KubernetesVersion + " -X " + stamp + ".gitMajor=1 -X " + stamp +
		".gitMinor=37 -X " + stamp + ".gitTreeState=clean"
	kubernetes = "k8s.io/kubernetes/cmd/"
	containerd = "github.com/containerd/containerd/v2"
	cni        = "github.com/containernetworking/plugins/plugins/"
)

// all returns every program, beginning with those that integration tests need.
func all() []binary {
	runtime := small + " -X " + containerd + "/version.Version=" + ContainerdVersion
	list := []binary{
		{name: "etcd", pkg: "go.etcd.io/etcd/server/v3", ldflags: small, set: Integration},
		{name: "kubectl", pkg: kubernetes + "kubectl", ldflags: stamped, set: Integration},
		{name: "kube-apiserver", pkg: kubernetes + "kube-apiserver", ldflags: stamped, set: Integration},
		{name: "kube-controller-manager", pkg: kubernetes + "kube-controller-manager", ldflags: stamped, set: Cluster},
		{name: "kube-scheduler", pkg: kubernetes + "kube-scheduler", ldflags: stamped, set: Cluster},
		{name: "kubelet", pkg: kubernetes + "kubelet", ldflags: stamped, set: Cluster},
		{name: "kube-proxy", pkg: kubernetes + "kube-proxy", ldflags: stamped, set: Cluster},
	}
	for _, name := range []string{"containerd", "containerd-shim-runc-v2", "ctr"} {
		list = append(list, binary{
			name: name, pkg: containerd + "/cmd/" + name, version: ContainerdVersion, ldflags: runtime, set: Cluster,
		})
	}
	for _, plugin := range []struct{ dir, name string }{
		{"main", "bridge"}, {"main", "loopback"}, {"ipam", "host-local"}, {"meta", "portmap"},
	} {
		list = append(list, binary{
			name: plugin.name, pkg: cni + plugin.dir + "/" + plugin.name, version: CNIVersion, ldflags: small, set: Cluster,
		})
	}
	return append(list,
		binary{name: "runc", pkg: "github.com/opencontainers/runc", version: RuncVersion, ldflags: small, tags: "seccomp",
			cgo: true, set: Cluster},
		binary{name: "kwok", pkg: "sigs.k8s.io/kwok/cmd/kwok", version: KwokVersion, ldflags: small, set: All})
}

// key returns the name of the build directory, which changes with any version, flag, or pinned module.
func key() string {
	sum := sha256.New()
	for _, b := range all() {
		_, _ = fmt.Fprintln(sum, b.name, b.pkg, b.version, b.ldflags, b.tags, b.cgo)
	}
	_, _ = sum.Write(kubernetesMod)
	_, _ = sum.Write(kubernetesSum)
	return KubernetesVersion + "-" + hex.EncodeToString(sum.Sum(nil))[:10]
}
