// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package components

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func example() Settings {
	return Settings{Name: "dev", NodeIP: "10.213.0.2", Cgroup: "/kubectl-sandbox-dev"}
}

func TestWrittenFilesNameWhatIsThisClustersOwn(t *testing.T) {
	dir := t.TempDir()
	if err := example().Write(dir); err != nil {
		t.Fatal(err)
	}
	tests := map[string][]string{
		"kubelet.yaml":         {"cgroupRoot: /kubectl-sandbox-dev\n", "address: 10.213.0.2\n", "failCgroupV1: false\n"},
		"kube-proxy.yaml":      {"hostnameOverride: dev\n", "masqueradeAll: false", "clusterCIDR: 10.244.0.0/16\n"},
		"containerd.toml":      {`sandbox = "localhost/pause:3.10"`, `conf_dir = "/run/cluster/config/cni"`},
		"cni/10-pods.conflist": {`"subnet": "10.244.0.0/16"`},
	}
	for name, wanted := range tests {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range wanted {
				if !strings.Contains(string(data), want) {
					t.Errorf("%q is not in:\n%s", want, data)
				}
			}
			if strings.HasSuffix(name, ".conflist") && !json.Valid(data) {
				t.Errorf("not JSON:\n%s", data)
			}
		})
	}
}

func TestNoFileOrFlagNamesARegistry(t *testing.T) {
	dir := t.TempDir()
	if err := example().Write(dir); err != nil {
		t.Fatal(err)
	}
	for _, place := range configPaths {
		data, err := os.ReadFile(filepath.Join(dir, place))
		if err != nil {
			t.Fatal(err)
		}
		for _, host := range []string{"registry.k8s.io", "docker.io", "gcr.io", "ghcr.io"} {
			if strings.Contains(string(data), host) {
				t.Errorf("%s names %s", place, host)
			}
		}
	}
}

func TestWhatAnswersByItselfStartsFirst(t *testing.T) {
	all := example().All()
	if !slices.IsSortedFunc(all, func(a, b Component) int {
		switch {
		case a.NeedsAPI == b.NeedsAPI:
			return 0
		case a.NeedsAPI:
			return 1
		}
		return -1
	}) {
		t.Error("a component that needs the API server comes before one that does not")
	}
	for _, one := range all {
		if one.Args[0] != "/run/bin/"+one.Name {
			t.Errorf("%s runs %s", one.Name, one.Args[0])
		}
	}
}

func TestFindListsTheNamesThereAre(t *testing.T) {
	if one, err := example().Find(APIServer); err != nil || one.Name != APIServer {
		t.Errorf("got %v, %v", one, err)
	}
	if _, err := example().Find("apiserver"); err == nil || !strings.Contains(err.Error(), APIServer) {
		t.Errorf("error %v does not list the valid names", err)
	}
}

func TestSimulatedNodesNeedNoContainerRuntime(t *testing.T) {
	settings := example()
	settings.Simulated = 2
	var names []string
	for _, one := range settings.All() {
		names = append(names, one.Name)
	}
	want := []string{Etcd, APIServer, ControllerManager, "kube-scheduler", Kwok}
	if !slices.Equal(names, want) {
		t.Errorf("components are %v, want %v", names, want)
	}
	if got := settings.Nodes(); !slices.Equal(got, []string{"dev-0", "dev-1"}) {
		t.Errorf("nodes are %v", got)
	}
	if got := example().Nodes(); !slices.Equal(got, []string{"dev"}) {
		t.Errorf("without simulated nodes there are %v", got)
	}
}

func TestTheManifestMakesTheSimulatedNodes(t *testing.T) {
	settings := example()
	plain, err := settings.Defaults()
	if err != nil || strings.Contains(string(plain), "kind: Node") {
		t.Errorf("%v, or a node in:\n%s", err, plain)
	}
	settings.Simulated = 2
	manifest, err := settings.Defaults()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\n  name: dev-0\n", "\n  name: dev-1\n", "kind: StorageClass"} {
		if !strings.Contains(string(manifest), want) {
			t.Errorf("%q is not in:\n%s", want, manifest)
		}
	}
}

func TestOnlyAClusterOfSimulatedNodesKeepsTheOperatorsRequests(t *testing.T) {
	audits := func(s Settings) bool {
		one, err := s.Find(APIServer)
		return err == nil && slices.ContainsFunc(one.Args, func(arg string) bool {
			return strings.HasSuffix(arg, "/logs/"+AuditLog)
		})
	}
	simulated := example()
	simulated.Simulated = 1
	if audits(example()) || !audits(simulated) {
		t.Errorf("real node: %v, simulated: %v", audits(example()), audits(simulated))
	}
}
