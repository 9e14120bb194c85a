// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package binaries

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestPinsAreTheVersionsThatAreNamed(t *testing.T) {
	for _, want := range []string{"k8s.io/kubernetes " + KubernetesVersion, "go.etcd.io/etcd/server/v3 " + EtcdVersion} {
		if !strings.Contains(string(kubernetesMod), want) {
			t.Errorf("pins/kubernetes.mod does not require %s", want)
		}
	}
	staging := strings.Replace(KubernetesVersion, "v1.", "v0.", 1)
	for line := range strings.SplitSeq(string(kubernetesMod), "\n") {
		if strings.Contains(line, "=>") && !strings.HasSuffix(line, " "+staging) {
			t.Errorf("%s: not %s", line, staging)
		}
	}
}

func TestMissing(t *testing.T) {
	builder := NewBuilder(t.TempDir(), io.Discard)
	if got := builder.Missing(Integration); !slices.Equal(got, []string{"etcd", "kubectl", "kube-apiserver"}) {
		t.Errorf("integration tests want %v", got)
	}
	if err := os.MkdirAll(builder.Dir(), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"etcd", "kube-apiserver", "kubectl"} {
		if err := os.WriteFile(filepath.Join(builder.Dir(), name), nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if got := builder.Missing(Integration); len(got) != 0 {
		t.Errorf("still missing %v", got)
	}
	if got := builder.Missing(Cluster); !slices.Contains(got, "runc") || slices.Contains(got, "kwok") ||
		slices.Contains(got, "etcd") {
		t.Errorf("a cluster lacks %v", got)
	}
	if dir, err := builder.Build(t.Context(), Integration); err != nil || dir != builder.Dir() {
		t.Errorf("with nothing missing: %s, %v", dir, err)
	}
}

func TestTheKeyNamesTheVersion(t *testing.T) {
	first, second := key(), key()
	if !strings.HasPrefix(first, KubernetesVersion+"-") || first != second {
		t.Errorf("keys %s and %s", first, second)
	}
}

func TestProgramsOfOneModuleAreBuiltByOneCommand(t *testing.T) {
	var got []string
	for _, batch := range batches(all()) {
		got = append(got, strings.Join(names(batch), " "))
	}
	want := []string{
		"etcd",
		"kubectl kube-apiserver kube-controller-manager kube-scheduler kubelet kube-proxy",
		"containerd containerd-shim-runc-v2 ctr",
		"bridge loopback host-local portmap",
		"runc",
		"kwok",
	}
	if !slices.Equal(got, want) {
		t.Errorf("batches are %q", got)
	}
}
