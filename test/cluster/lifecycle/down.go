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

// Down ends the cluster and removes all that it had, its data included. A cluster that is not there is no error.
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
		c.say("cluster %s was not up", c.name)
		return nil
	}
	c.say("cluster %s is down after %s", c.name, time.Since(start).Round(100*time.Millisecond))
	return nil
}

// remove ends every process of the cluster, containers included; with the last one the kernel drops its mounts, interfaces and rules.
func (c *Cluster) remove(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
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
	// Mounts of namespaces that have just ended may hold the files for a moment longer.
	err := every(ctx, poll, func() (bool, error) {
		err := os.RemoveAll(c.state)
		if errors.Is(err, syscall.EBUSY) {
			return false, nil
		}
		return true, err
	})
	if err != nil {
		return fmt.Errorf("remove %s: %w", c.state, err)
	}
	_ = os.Remove(places.Clusters()) // unless other clusters have their directories there
	return nil
}

// unmountBelow unmounts whatever somebody mounted below a directory in this command's own namespace, so that removing the directory cannot
// reach through it. The cluster itself mounts nothing here.
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
