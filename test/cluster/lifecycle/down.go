// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/test/cluster/network"
	"github.com/agent-sandbox/kubectl-sandbox/test/cluster/places"
	"github.com/agent-sandbox/kubectl-sandbox/test/cluster/prerequisites"
)

// Down ends the cluster and removes it with its data. It succeeds if the cluster does not exist.
func (c *Cluster) Down(ctx context.Context) error {
	if err := prerequisites.RequireRoot(); err != nil {
		return err
	}
	release, err := c.lock()
	if err != nil {
		return err
	}
	defer release()
	start := time.Now()
	_, statErr := os.Stat(c.state)
	if err := c.remove(ctx); err != nil {
		return err
	}
	if statErr != nil {
		c.logf("cluster %s was not up", c.name)
		return nil
	}
	c.logf("cluster %s is down after %s", c.name, time.Since(start).Round(100*time.Millisecond))
	return nil
}

// remove kills every process of the cluster, including containers. With the last one the kernel removes the cluster's
// mounts, interfaces and packet filter rules.
func (c *Cluster) remove(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, stepTimeout)
	defer cancel()
	if err := c.group.Remove(ctx); err != nil {
		return err
	}
	if err := network.Disconnect(ctx, c.name); err != nil {
		return err
	}
	if err := unmountBelow(c.state); err != nil {
		return err
	}
	// Mounts of namespaces that have just ended may keep files busy for a moment.
	err := pollUntil(ctx, pollInterval, func() (bool, error) {
		err := os.RemoveAll(c.state)
		if errors.Is(err, syscall.EBUSY) {
			return false, nil
		}
		return true, err
	})
	if err != nil {
		return fmt.Errorf("remove %s: %w", c.state, err)
	}
	_ = os.Remove(places.Clusters()) // fails if there are other clusters
	return nil
}

// unmountBelow unmounts everything below a directory in this command's own namespace, so that removing the directory
// does not remove files of mounts. The cluster itself mounts nothing there.
func unmountBelow(dir string) error {
	file, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	var points []string
	for scanner := bufio.NewScanner(file); scanner.Scan(); {
		if fields := strings.Fields(scanner.Text()); len(fields) > 4 && strings.HasPrefix(fields[4], dir+"/") {
			points = append(points, fields[4])
		}
	}
	slices.SortFunc(points, func(a, b string) int { return cmp.Compare(len(b), len(a)) }) // the deepest first
	for _, point := range points {
		if err := syscall.Unmount(point, syscall.MNT_DETACH); err != nil {
			return fmt.Errorf("unmount %s: %w", point, err)
		}
	}
	return nil
}
