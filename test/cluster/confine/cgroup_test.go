// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package confine

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// cgroupTree creates a directory tree like the kernel's control groups. groups maps paths to the content of
// cgroup.procs.
func cgroupTree(t *testing.T, groups map[string]string) Cgroup {
	t.Helper()
	root := t.TempDir()
	for group, processes := range groups {
		dir := filepath.Join(root, group)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "cgroup.procs"), []byte(processes), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return Cgroup{root: root, name: "kubectl-sandbox-dev"}
}

func TestMembersAreThoseOfThisClusterAlone(t *testing.T) {
	tests := map[string]map[string]string{
		"cgroup v1": {
			"cpu": "1\n", "pids": "1\n2\n", "pids/kubectl-sandbox-dev": "", "pids/kubectl-sandbox-dev/node": "10\n11\n",
			"pids/kubectl-sandbox-dev/kubepods/pod1": "12\n", "cpu/kubectl-sandbox-dev/kubepods/pod1": "12\n",
			"pids/kubectl-sandbox-dev2/node": "20\n",
		},
		"cgroup v2": {
			".": "1\n", "kubectl-sandbox-dev/node": "10\n11\n", "kubectl-sandbox-dev/kubepods/pod1": "12\n",
			"kubectl-sandbox-dev2/node": "20\n",
		},
	}
	for name, groups := range tests {
		t.Run(name, func(t *testing.T) {
			group := cgroupTree(t, groups)
			if name == "cgroup v2" {
				if err := os.WriteFile(filepath.Join(group.root, "cgroup.controllers"), nil, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			got, err := group.Members()
			if err != nil || !slices.Equal(got, []int{10, 11, 12}) {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
}

func TestComponentsJoinTheHierarchyThatTracks(t *testing.T) {
	group := cgroupTree(t, map[string]string{"cpu": "", "memory": "", "pids": ""})
	join, err := group.Create()
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(group.root, "pids", "kubectl-sandbox-dev", "node", "cgroup.procs"); join != want {
		t.Errorf("got %s, want %s", join, want)
	}
	for _, hierarchy := range []string{"cpu", "memory", "pids"} { // the kubelet needs its root in each of them
		if _, err := os.Stat(filepath.Join(group.root, hierarchy, "kubectl-sandbox-dev")); err != nil {
			t.Error(err)
		}
	}
}

func TestTheGroupGetsMoreOfABusyCPUThanOneThread(t *testing.T) {
	for file, want := range map[string]string{"cpu.shares": "8192", "cpu.weight": "800"} {
		group := cgroupTree(t, map[string]string{"cpu": "", "pids": "", "cpu/kubectl-sandbox-dev": ""})
		weight := filepath.Join(group.root, "cpu", "kubectl-sandbox-dev", file)
		if err := os.WriteFile(weight, []byte("1"), 0o644); err != nil { // the kernel makes it with the group
			t.Fatal(err)
		}
		if _, err := group.Create(); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(weight); string(got) != want || err != nil {
			t.Errorf("%s: got %s, %v", file, got, err)
		}
	}
}

func TestAGroupThatIsNotThereIsRemovedAlready(t *testing.T) {
	group := cgroupTree(t, map[string]string{"cpu": "", "pids": "1\n"})
	if err := group.Remove(t.Context()); err != nil {
		t.Error(err)
	}
}
