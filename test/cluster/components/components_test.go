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
	for _, place := range placesOf {
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
		t.Errorf("error %v does not say which names there are", err)
	}
}
