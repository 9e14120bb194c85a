// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package confine keeps all that belongs to one cluster together, so that nothing is left when it ends.
//
// Every process of a cluster, its containers and their shims included, is in the cluster's cgroup, so the kernel itself knows what to
// end. Every mount, network interface and packet filter rule is in the mount and network namespaces of the cluster, so the kernel drops
// them with the last process. A crash or a reboot needs no other cure than removing a directory.
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

// Cgroup is the control group of a cluster. Components are in its child "node"; the kubelet puts Pods beside that.
type Cgroup struct {
	root string // where the kernel's hierarchies are mounted
	name string
}

// NewCgroup names the control group of the cluster of that name.
func NewCgroup(cluster string) Cgroup {
	return Cgroup{root: "/sys/fs/cgroup", name: "kubectl-sandbox-" + cluster}
}

// Name is the path below the hierarchies' root, as the kubelet's cgroupRoot takes it.
func (c Cgroup) Name() string { return "/" + c.name }

// hierarchies lists the mounted hierarchies: the one of cgroup v2, or each of v1.
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

// tracking picks the hierarchy whose membership says what belongs to the cluster.
func tracking(hierarchies []string) string {
	for _, dir := range hierarchies {
		if filepath.Base(dir) == "pids" {
			return dir
		}
	}
	return hierarchies[0]
}

// Create makes the group in every hierarchy and returns the file that a component writes its pid to in order to join.
func (c Cgroup) Create() (join string, err error) {
	hierarchies, err := c.hierarchies()
	if err != nil {
		return "", err
	}
	for _, dir := range hierarchies {
		if err := os.MkdirAll(filepath.Join(dir, c.name), 0o755); err != nil {
			return "", fmt.Errorf("create cgroup: %w", err)
		}
	}
	node := filepath.Join(tracking(hierarchies), c.name, "node")
	if err := os.MkdirAll(node, 0o755); err != nil {
		return "", fmt.Errorf("create cgroup: %w", err)
	}
	return filepath.Join(node, "cgroup.procs"), nil
}

// Members lists the processes in the group and below it, in any hierarchy.
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

// Remove ends every process of the group and deletes the group. A group that does not exist is no error.
func (c Cgroup) Remove(ctx context.Context) error {
	for {
		members, err := c.Members()
		if err != nil {
			return err
		}
		for _, pid := range members {
			_ = syscall.Kill(pid, syscall.SIGKILL) // a member that has ended meanwhile is what we want
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

// groups lists the group and all below it in one hierarchy, parents first.
func (c Cgroup) groups(hierarchy string) ([]string, error) {
	var groups []string
	err := filepath.WalkDir(filepath.Join(hierarchy, c.name), func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // removed while we walk
		}
		if err == nil && entry.IsDir() {
			groups = append(groups, path)
		}
		return err
	})
	return groups, err
}
