// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package lifecycle starts, repairs, looks into and ends clusters.
//
// Invariants: one run at a time works on a cluster; a cluster that is down has left nothing but the cache; nothing is ever ended that the
// cluster does not own.
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

// Cluster is one cluster on this machine, up or not.
type Cluster struct {
	name     string
	state    string // its directory
	cache    string
	group    confine.Cgroup
	progress io.Writer
}

// facts are what must not change while a cluster is up; they are in its directory.
type facts struct {
	Link     network.Link `json:"link"`
	Programs string       `json:"programs"` // directory of the binaries that it runs
	// Simulated is how many nodes exist in the API alone; zero is a cluster of one real node.
	Simulated int `json:"simulated,omitempty"`
}

// Named returns the cluster of that name. Lines about what takes long go to progress. It fails for a name that cannot be one.
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

// Kubeconfig is the path of the administrator's kubeconfig; it exists while the cluster is up.
func (c *Cluster) Kubeconfig() string { return filepath.Join(c.state, "pki", "admin.kubeconfig") }

func (c *Cluster) say(format string, args ...any) {
	_, _ = fmt.Fprintf(c.progress, format+"\n", args...)
}

func (c *Cluster) lock() (release func(), err error) {
	return filelock.Lock(filepath.Join(c.cache, "locks", "cluster-"+c.name), func() {
		c.say("waiting for another run on cluster %s", c.name)
	})
}

func (c *Cluster) factsFile() string { return filepath.Join(c.state, "cluster.json") }

// recall reads the facts of a cluster that was started; fs.ErrNotExist if it was not.
func (c *Cluster) recall() (facts, error) {
	var known facts
	data, err := os.ReadFile(c.factsFile())
	if err != nil {
		return known, err
	}
	return known, json.Unmarshal(data, &known)
}

// allocate picks the address of a new cluster and reserves it by writing it down.
func (c *Cluster) allocate(programs string, simulated int) (facts, error) {
	release, err := filelock.Lock(filepath.Join(c.cache, "locks", "addresses"), func() {})
	if err != nil {
		return facts{}, err
	}
	defer release()
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		return facts{}, fmt.Errorf("list this machine's addresses: %w", err)
	}
	inUse, others := network.InUse(addresses), reserved()
	link, err := network.Allocate(c.name, func(prefix netip.Prefix) bool {
		return inUse(prefix) || others[prefix.Masked().Addr()]
	})
	if err != nil {
		return facts{}, err
	}
	known := facts{Link: link, Programs: programs, Simulated: simulated}
	data, err := json.MarshalIndent(known, "", "  ")
	if err != nil {
		return facts{}, err
	}
	return known, errors.Join(os.MkdirAll(c.state, 0o755), os.WriteFile(c.factsFile(), data, 0o644))
}

// reserved lists the networks of clusters that are starting and have no interface yet.
func reserved() map[netip.Addr]bool {
	taken := map[netip.Addr]bool{}
	paths, _ := filepath.Glob(filepath.Join(places.Clusters(), "*", "cluster.json")) // the pattern is well-formed
	for _, path := range paths {
		var known facts
		data, err := os.ReadFile(path)
		if err == nil && json.Unmarshal(data, &known) == nil && known.Link.Host.IsValid() {
			taken[netip.PrefixFrom(known.Link.Host, 30).Masked().Addr()] = true
		}
	}
	return taken
}

func (c *Cluster) settings(known facts) components.Settings {
	_, err := os.Stat("/proc/sys/net/bridge/bridge-nf-call-iptables")
	return components.Settings{
		Name: c.name, NodeIP: known.Link.Node.String(), Cgroup: c.group.Name(), Simulated: known.Simulated, MasqueradeAll: err != nil,
	}
}

// imageCache keeps the images that clusters load when they start.
func (c *Cluster) imageCache() *images.Cache { return images.NewCache(c.cache, c.say) }

// build builds the binaries; it waits for nothing if they are there.
func (c *Cluster) build(ctx context.Context, simulated int) (string, error) {
	set := binaries.Cluster
	if simulated > 0 {
		set = binaries.All
	}
	return binaries.NewBuilder(c.cache, c.progress).Build(ctx, set)
}

// every runs check again and again until it returns true, or an error, or the time is over.
func every(ctx context.Context, pause time.Duration, check func() (bool, error)) error {
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
