// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package lifecycle starts, repairs, inspects and ends clusters.
//
// Invariants: one run at a time works on a cluster; a cluster that is down leaves only the cache; only processes of the
// cluster are ended.
package lifecycle

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/test/cluster/binaries"
	"github.com/agent-sandbox/kubectl-sandbox/test/cluster/components"
	"github.com/agent-sandbox/kubectl-sandbox/test/cluster/confine"
	"github.com/agent-sandbox/kubectl-sandbox/test/cluster/filelock"
	"github.com/agent-sandbox/kubectl-sandbox/test/cluster/images"
	"github.com/agent-sandbox/kubectl-sandbox/test/cluster/network"
	"github.com/agent-sandbox/kubectl-sandbox/test/cluster/places"
)

// Cluster is one cluster on this machine, which may be up or down.
type Cluster struct {
	name     string
	state    string // its directory
	cache    string
	group    confine.Cgroup
	progress io.Writer
}

// clusterConfig are the values that must not change while a cluster is up. A file in its directory contains them.
type clusterConfig struct {
	Link     network.Link `json:"link"`
	Programs string       `json:"programs"` // the directory of its binaries
	// Simulated is the number of nodes that exist only in the API; with zero, the cluster has one real node.
	Simulated int `json:"simulated,omitempty"`
}

// Named returns the cluster with the name, which reports long steps to progress. It fails for an invalid name.
func Named(name string, progress io.Writer) (*Cluster, error) {
	state, err := places.Cluster(name)
	if err != nil {
		return nil, err
	}
	cache, err := places.Cache()
	if err != nil {
		return nil, err
	}
	return &Cluster{name: name, state: state, cache: cache, group: confine.NewCgroup(name), progress: progress}, nil
}

// Kubeconfig returns the path of the administrator's kubeconfig, which exists while the cluster is up.
func (c *Cluster) Kubeconfig() string { return filepath.Join(c.state, "pki", "admin.kubeconfig") }

func (c *Cluster) logf(format string, args ...any) {
	_, _ = fmt.Fprintf(c.progress, format+"\n", args...)
}

func (c *Cluster) lock() (release func(), err error) {
	return filelock.Lock(filepath.Join(c.cache, "locks", "cluster-"+c.name), func() {
		c.logf("waiting for another run on cluster %s", c.name)
	})
}

func (c *Cluster) configFile() string { return filepath.Join(c.state, "cluster.json") }

// loadConfig reads the configuration of a cluster that was started. It returns fs.ErrNotExist if there is none.
func (c *Cluster) loadConfig() (clusterConfig, error) {
	var known clusterConfig
	data, err := os.ReadFile(c.configFile())
	if err != nil {
		return known, err
	}
	return known, json.Unmarshal(data, &known)
}

// allocate chooses the address of a new cluster and reserves it by writing the cluster's configuration.
func (c *Cluster) allocate(programs string, simulated int) (clusterConfig, error) {
	release, err := filelock.Lock(filepath.Join(c.cache, "locks", "addresses"), func() {})
	if err != nil {
		return clusterConfig{}, err
	}
	defer release()
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		return clusterConfig{}, fmt.Errorf("list this machine's addresses: %w", err)
	}
	inUse, others := network.InUse(addresses), reserved()
	link, err := network.Allocate(c.name, func(prefix netip.Prefix) bool {
		return inUse(prefix) || others[prefix.Masked().Addr()]
	})
	if err != nil {
		return clusterConfig{}, err
	}
	known := clusterConfig{Link: link, Programs: programs, Simulated: simulated}
	data, err := json.MarshalIndent(known, "", "  ")
	if err != nil {
		return clusterConfig{}, err
	}
	return known, errors.Join(os.MkdirAll(c.state, 0o755), os.WriteFile(c.configFile(), data, 0o644))
}

// reserved returns the networks of all clusters, including those that are starting and have no interface yet.
func reserved() map[netip.Addr]bool {
	taken := map[netip.Addr]bool{}
	paths, _ := filepath.Glob(filepath.Join(places.Clusters(), "*", "cluster.json")) // the pattern is well-formed
	for _, path := range paths {
		var known clusterConfig
		data, err := os.ReadFile(path)
		if err == nil && json.Unmarshal(data, &known) == nil && known.Link.Host.IsValid() {
			taken[netip.PrefixFrom(known.Link.Host, 30).Masked().Addr()] = true
		}
	}
	return taken
}

func (c *Cluster) settings(known clusterConfig) components.Settings {
	_, err := os.Stat("/proc/sys/net/bridge/bridge-nf-call-iptables")
	return components.Settings{
		Name: c.name, NodeIP: known.Link.Node.String(), Cgroup: c.group.Name(), Simulated: known.Simulated,
		MasqueradeAll: err != nil,
	}
}

// imageCache returns the cache of the images that clusters load when they start.
func (c *Cluster) imageCache() *images.Cache { return images.NewCache(c.cache, c.logf) }

// build builds the missing binaries and returns their directory.
func (c *Cluster) build(ctx context.Context, simulated int) (string, error) {
	set := binaries.Cluster
	if simulated > 0 {
		set = binaries.All
	}
	return binaries.NewBuilder(c.cache, c.progress).Build(ctx, set)
}

// pollUntil runs check periodically until it returns true or an error, or the context ends.
func pollUntil(ctx context.Context, pause time.Duration, check func() (bool, error)) error {
	for {
		done, err := check()
		if done || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}
