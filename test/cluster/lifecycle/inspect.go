// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/test/cluster/binaries"
	"github.com/agent-sandbox/kubectl-sandbox/test/cluster/components"
	"github.com/agent-sandbox/kubectl-sandbox/test/cluster/confine"
)

// errNotUp returns the error of commands that need a running cluster.
func (c *Cluster) errNotUp() error {
	return fmt.Errorf("cluster %s is not up; start it with: up --name %s", c.name, c.name)
}

// running returns the node and the configuration of a cluster that is up.
func (c *Cluster) running() (*confine.Node, clusterConfig, error) {
	known, err := c.loadConfig()
	if err != nil {
		return nil, known, c.errNotUp()
	}
	node, ok := confine.Open(c.state, c.group)
	if !ok {
		return nil, known, c.errNotUp()
	}
	return node, known, nil
}

// RequireUp fails unless the cluster was started and its namespaces exist.
func (c *Cluster) RequireUp() error {
	_, _, err := c.running()
	return err
}

// Load imports the images of archives into the cluster, with any tags.
func (c *Cluster) Load(ctx context.Context, archives []string) error {
	node, known, err := c.running()
	if err != nil {
		return err
	}
	if known.Simulated > 0 {
		return fmt.Errorf("the nodes of cluster %s are simulated: they take any image and run none", c.name)
	}
	for _, archive := range archives {
		if err := importImage(ctx, node, archive); err != nil {
			return err
		}
	}
	return nil
}

// importImage passes the archive as standard input, because the node has its own /tmp and /var and may not see the
// file.
func importImage(ctx context.Context, node *confine.Node, archive string) error {
	file, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	if _, err := node.Run(ctx, file, confine.ProgramsDir+"/ctr", "--namespace", "k8s.io", "images", "import",
		"-"); err != nil {
		return fmt.Errorf("load %s: %w", archive, err)
	}
	return nil
}

// Status writes the state of each component. It fails if the cluster is not up, or after writing if a component does
// not run.
func (c *Cluster) Status(out io.Writer) error {
	_, known, err := c.running()
	if err != nil {
		return err
	}
	var ended []string
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	_, _ = fmt.Fprintf(w, "cluster\t%s\nnode address\t%s\nkubeconfig\t%s\nlogs\t%s\nprograms\t%s\n", c.name,
		known.Link.Node, c.Kubeconfig(),
		filepath.Join(c.state, "logs"), known.Programs)
	_, _ = fmt.Fprintf(w, "versions\tKubernetes %s, etcd %s, containerd %s, runc %s, CNI plugins %s, kwok %s\n",
		binaries.KubernetesVersion,
		binaries.EtcdVersion, binaries.ContainerdVersion, binaries.RuncVersion, binaries.CNIVersion, binaries.KwokVersion)
	for _, one := range c.settings(known).All() {
		state := "not running"
		if record := confine.Record(c.state, one.Name); record.Alive() {
			state = fmt.Sprintf("running, pid %d", record.PID)
		} else {
			ended = append(ended, one.Name)
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\n", one.Name, state)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if len(ended) > 0 {
		return fmt.Errorf("not running: %s; start them with: up --name %s", strings.Join(ended, ", "), c.name)
	}
	return nil
}

// Kill ends a component with SIGKILL.
func (c *Cluster) Kill(name string) error {
	_, known, err := c.running()
	if err != nil {
		return err
	}
	if _, err := c.settings(known).Find(name); err != nil {
		return err
	}
	return confine.Record(c.state, name).Kill(stepTimeout)
}

// Start starts a component unless it runs, and waits until it responds if it is the API server or containerd.
func (c *Cluster) Start(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(ctx, stepTimeout)
	defer cancel()
	node, known, err := c.running()
	if err != nil {
		return err
	}
	component, err := c.settings(known).Find(name)
	if err != nil {
		return err
	}
	if !confine.Record(c.state, name).Alive() {
		if err := node.Start(component.Name, component.Args); err != nil {
			return err
		}
	}
	switch name {
	case components.APIServer:
		return c.waitAPI(ctx)
	case components.Containerd:
		return c.waitContainerd(ctx, node)
	}
	return nil
}

// Logs copies the logs of all components and containers, and a list of the cluster's objects, into dir. The error
// contains what cannot be read; the rest is copied.
func (c *Cluster) Logs(ctx context.Context, dir string) error {
	if _, err := os.Stat(c.state); err != nil {
		return c.errNotUp()
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	err := errors.Join(
		copyTree(filepath.Join(c.state, "logs"), dir),
		copyTree(filepath.Join(c.state, "var", "log", "pods"), filepath.Join(dir, "pods")),
	)
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	for file, kinds := range map[string]string{
		"objects.txt": "nodes,pods,services,persistentvolumeclaims", "events.txt": "events",
	} {
		text, listErr := c.kubectl(ctx, nil, "get", kinds, "-A", "-o", "wide")
		if listErr != nil {
			text += listErr.Error() // the API server may have failed; the logs are more important
		}
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644))
	}
	return err
}

// copyTree copies regular files. It succeeds if the source does not exist.
func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // it may vanish while Pods are deleted
		}
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		relative, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, relative)
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		return os.WriteFile(target, data, 0o644)
	})
}
