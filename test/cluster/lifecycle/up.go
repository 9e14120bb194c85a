// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/test/cluster/components"
	"github.com/agent-sandbox/kubectl-sandbox/test/cluster/confine"
	"github.com/agent-sandbox/kubectl-sandbox/test/cluster/network"
	"github.com/agent-sandbox/kubectl-sandbox/test/cluster/pki"
	"github.com/agent-sandbox/kubectl-sandbox/test/cluster/prerequisites"
)

// stepTimeout is the timeout of each step of a start.
const stepTimeout = 2 * time.Minute

// Up starts the cluster, or those of its components that have ended, with pause and the named images (see
// images.Names). It returns when Pods can run. With simulated nodes there are no real nodes and no images. Up starts a
// new cluster without the old data if the namespaces are gone, after a crash or a reboot, or if the versions or nodes
// differ.
func (c *Cluster) Up(ctx context.Context, imageNames []string, simulated int) error {
	if err := prerequisites.RequireRoot(); err != nil {
		return err
	}
	if err := prerequisites.Ensure(ctx, c.progress); err != nil {
		return err
	}
	programs, err := c.build(ctx, simulated)
	if err != nil {
		return err
	}
	var archives []string
	if simulated == 0 {
		if archives, err = c.archives(ctx, imageNames); err != nil {
			return err
		}
	}
	release, err := c.lock()
	if err != nil {
		return err
	}
	defer release()
	start := time.Now()
	node, known, fresh, err := c.node(ctx, programs, simulated)
	if err != nil {
		return err
	}
	settings := c.settings(known)
	started, err := c.startMissing(ctx, node, settings, archives)
	if err != nil {
		return err
	}
	if err := c.waitReady(ctx, settings); err != nil {
		return err
	}
	switch {
	case fresh:
		c.logf("cluster %s is up after %s", c.name, time.Since(start).Round(100*time.Millisecond))
	case len(started) > 0:
		c.logf("cluster %s is up again; started %v", c.name, started)
	default:
		c.logf("cluster %s is up", c.name)
	}
	return nil
}

func (c *Cluster) archives(ctx context.Context, names []string) ([]string, error) {
	var paths []string
	for _, name := range append([]string{"pause"}, names...) {
		path, err := c.imageCache().Archive(ctx, name, false)
		if err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// node returns the running node of the cluster, or creates one with new keys and configuration.
func (c *Cluster) node(
	ctx context.Context, programs string, simulated int,
) (node *confine.Node, known clusterConfig, fresh bool, err error) {
	known, err = c.loadConfig()
	if err == nil && known.Programs == programs && known.Simulated == simulated {
		if node, ok := confine.Open(c.state, c.group); ok {
			return node, known, false, nil
		}
	}
	if _, statErr := os.Stat(c.state); statErr == nil {
		c.logf("what is left of cluster %s cannot be used; starting it anew", c.name)
	}
	if err := c.remove(ctx); err != nil {
		return nil, known, true, err
	}
	if known, err = c.allocate(programs, simulated); err != nil {
		return nil, known, true, err
	}
	server := "https://" + net.JoinHostPort(known.Link.Node.String(), strconv.Itoa(network.APIPort))
	if err := pki.WriteAll(filepath.Join(c.state, "pki"), pki.Cluster{
		Name: c.name, NodeIP: known.Link.Node.String(), ServiceIP: network.APIServiceIP, Server: server,
	}, time.Now()); err != nil {
		return nil, known, true, fmt.Errorf("make keys: %w", err)
	}
	if err := c.settings(known).Write(filepath.Join(c.state, "config")); err != nil {
		return nil, known, true, fmt.Errorf("write configuration: %w", err)
	}
	c.logf("starting cluster %s at %s", c.name, server)
	if node, err = confine.New(ctx, c.state, programs, c.group); err != nil {
		return nil, known, true, err
	}
	return node, known, true, network.Connect(ctx, c.name, known.Link, node.PID())
}

// startMissing starts the components that do not run, and returns their names. It starts those that need the API server
// after the others respond.
func (c *Cluster) startMissing(
	ctx context.Context, node *confine.Node, settings components.Settings, archives []string,
) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, stepTimeout)
	defer cancel()
	var started []string
	start := func(needsAPI bool) error {
		for _, one := range settings.All() {
			if one.NeedsAPI != needsAPI || confine.Record(c.state, one.Name).Alive() {
				continue
			}
			if err := node.Start(one.Name, one.Args); err != nil {
				return err
			}
			started = append(started, one.Name)
		}
		return nil
	}
	if err := start(false); err != nil {
		return nil, err
	}
	var loading sync.WaitGroup
	var loadErr error
	if settings.Simulated == 0 {
		loading.Go(func() {
			loadErr = c.loadUnlessLoaded(ctx, node, archives, slices.Contains(started, components.Containerd))
		})
	}
	defer loading.Wait()
	if err := c.waitAPI(ctx); err != nil {
		return nil, err
	}
	if settings.Simulated == 0 {
		if err := c.waitContainerd(ctx, node); err != nil {
			return nil, err
		}
	}
	if err := start(true); err != nil {
		return nil, err
	}
	if len(started) > 0 {
		if err := c.applyDefaults(ctx, settings); err != nil {
			return nil, err
		}
	}
	loading.Wait()
	return started, loadErr
}

// loadUnlessLoaded loads the archives that this cluster has not loaded before, or all if containerd has just started.
func (c *Cluster) loadUnlessLoaded(ctx context.Context, node *confine.Node, archives []string, all bool) error {
	if err := c.waitContainerd(ctx, node); err != nil {
		return err
	}
	for _, archive := range archives {
		mark := filepath.Join(c.state, "loaded", filepath.Base(archive))
		if _, err := os.Stat(mark); err == nil && !all {
			continue
		}
		if err := importImage(ctx, node, archive); err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(mark), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(mark, nil, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func (c *Cluster) applyDefaults(ctx context.Context, settings components.Settings) error {
	manifest, err := settings.Defaults()
	if err != nil {
		return err
	}
	_, err = c.kubectl(ctx, bytes.NewReader(manifest), "apply", "--server-side", "-f", "-")
	return err
}
