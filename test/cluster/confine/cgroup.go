// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package confine confines each cluster to a cgroup and to namespaces, so that nothing is left when it ends.
//
// Every process of a cluster, including containers and their shims, is in the cluster's cgroup, which lists the
// processes to end. Every mount, network interface and packet filter rule is in the cluster's mount and network
// namespaces, so the kernel removes them with the last process. After a crash or a reboot, only a directory is left to
// remove.
package confine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Cgroup is the control group of a cluster. Its components are in the child "node"; the kubelet puts Pods beside it.
type Cgroup struct {
	root string // where the kernel's hierarchies are mounted
	name string
}

// NewCgroup returns the control group of a cluster. It does not create the group.
func NewCgroup(cluster string) Cgroup {
	return Cgroup{root: "/sys/fs/cgroup", name: "kubectl-sandbox-" + cluster}
}

// Name returns the path below the hierarchies' root, which is the value of the kubelet's cgroupRoot.
func (c Cgroup) Name() string { return "/" + c.name }

// hierarchies returns the mounted hierarchies: the only one of cgroup v2, or all of v1.
func (c Cgroup) hierarchies() ([]string, error) {
	if _, err := os.Stat(filepath.Join(c.root, "cgroup.controllers")); err == nil {
		return []string{c.root}, nil
	}
	entries, err := os.ReadDir(c.root)
	if err != nil {
		return nil, fmt.Errorf("list cgroup hierarchies: %w", err)
	}
	var list []string
	for _, entry := range entries {
		dir := filepath.Join(c.root, entry.Name())
		if _, err := os.Stat(filepath.Join(dir, "cgroup.procs")); err == nil && entry.IsDir() {
			list = append(list, dir)
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("no cgroup hierarchy is mounted below %s", c.root)
	}
	return list, nil
}

// trackingHierarchy returns the hierarchy whose members are the processes of the cluster.
func trackingHierarchy(hierarchies []string) string {
	for _, dir := range hierarchies {
		if filepath.Base(dir) == "pids" {
			return dir
		}
	}
	return hierarchies[0]
}

// Create creates the group in every hierarchy, and returns the file to which a component writes its PID in order to
// join.
func (c Cgroup) Create() (join string, err error) {
	hierarchies, err := c.hierarchies()
	if err != nil {
		return "", err
	}
	for _, dir := range hierarchies {
		if err := os.MkdirAll(filepath.Join(dir, c.name), 0o755); err != nil {
			return "", fmt.Errorf("create cgroup: %w", err)
		}
		if err := weigh(filepath.Join(dir, c.name)); err != nil {
			return "", err
		}
	}
	node := filepath.Join(trackingHierarchy(hierarchies), c.name, "node")
	if err := os.MkdirAll(node, 0o755); err != nil {
		return "", fmt.Errorf("create cgroup: %w", err)
	}
	return filepath.Join(node, "cgroup.procs"), nil
}

// weigh gives the group eight times the default share of a busy CPU. Otherwise all Pods together would get as much as
// one thread of a test.
func weigh(group string) error {
	for file, weight := range map[string]string{"cpu.shares": "8192", "cpu.weight": "800"} { // cgroup v1 and v2
		path := filepath.Join(group, file)
		if _, err := os.Stat(path); err != nil {
			continue // not the hierarchy of CPU time, or the other version
		}
		if err := os.WriteFile(path, []byte(weight), 0o644); err != nil {
			return fmt.Errorf("set the weight of the cgroup: %w", err)
		}
	}
	return nil
}

// Members returns the processes in the group and below it, in all hierarchies.
func (c Cgroup) Members() ([]int, error) {
	hierarchies, err := c.hierarchies()
	if err != nil {
		return nil, err
	}
	var members []int
	for _, dir := range hierarchies {
		groups, err := c.groups(dir)
		if err != nil {
			return nil, err
		}
		for _, group := range groups {
			data, err := os.ReadFile(filepath.Join(group, "cgroup.procs"))
			if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENODEV) {
				return nil, fmt.Errorf("list processes of cgroup: %w", err)
			}
			for word := range strings.FieldsSeq(string(data)) {
				if pid, err := strconv.Atoi(word); err == nil && pid > 0 {
					members = append(members, pid)
				}
			}
		}
	}
	slices.Sort(members)
	return slices.Compact(members), nil
}

// Remove kills every process of the group and deletes the group. It succeeds if the group does not exist.
func (c Cgroup) Remove(ctx context.Context) error {
	for {
		members, err := c.Members()
		if err != nil {
			return err
		}
		for _, pid := range members {
			_ = syscall.Kill(pid, syscall.SIGKILL) // the process may have ended
		}
		if len(members) == 0 {
			if err = c.delete(); err == nil {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("cgroup %s still has processes %v: %w", c.name, members, errors.Join(err, ctx.Err()))
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func (c Cgroup) delete() error {
	hierarchies, err := c.hierarchies()
	if err != nil {
		return err
	}
	for _, dir := range hierarchies {
		groups, err := c.groups(dir)
		if err != nil {
			return err
		}
		for _, group := range slices.Backward(groups) { // children before parents
			if err := os.Remove(group); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("delete cgroup: %w", err)
			}
		}
	}
	return nil
}

// groups returns the group and all groups below it in one hierarchy, parents first.
func (c Cgroup) groups(hierarchy string) ([]string, error) {
	var groups []string
	err := filepath.WalkDir(filepath.Join(hierarchy, c.name), func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // removed during the walk
		}
		if err == nil && entry.IsDir() {
			groups = append(groups, path)
		}
		return err
	})
	return groups, err
}
