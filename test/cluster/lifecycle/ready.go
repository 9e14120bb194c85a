// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/test/cluster/components"
	"github.com/agent-sandbox/kubectl-sandbox/test/cluster/confine"
	"github.com/agent-sandbox/kubectl-sandbox/test/cluster/network"
)

// pollInterval is the interval at which waits check their condition.
const pollInterval = 50 * time.Millisecond

// kubectl runs the cluster's own kubectl as its administrator and returns its output.
func (c *Cluster) kubectl(ctx context.Context, stdin io.Reader, args ...string) (string, error) {
	known, err := c.loadConfig()
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, filepath.Join(known.Programs, "kubectl"),
		append([]string{"--kubeconfig", c.Kubeconfig()}, args...)...)
	var out, failure bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, &out, &failure
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("kubectl %v: %w\n%s", args, err, failure.Bytes())
	}
	return out.String(), nil
}

// requireAlive returns an error if a component that was started no longer runs.
func (c *Cluster) requireAlive(names ...string) error {
	for _, name := range names {
		if !confine.Record(c.state, name).Alive() {
			return fmt.Errorf("%s has ended; see %s", name, confine.LogFile(c.state, name))
		}
	}
	return nil
}

// waitAPI waits until the API server is ready.
func (c *Cluster) waitAPI(ctx context.Context) error {
	ready, err := c.apiProbe()
	if err != nil {
		return err
	}
	err = pollUntil(ctx, pollInterval, func() (bool, error) {
		if err := c.requireAlive(components.Etcd, components.APIServer); err != nil {
			return false, err
		}
		return ready(ctx), nil
	})
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("the API server is not ready; see %s: %w", confine.LogFile(c.state, components.APIServer), err)
	}
	return err
}

// apiProbe returns a function that reports whether the API server is ready. It uses /readyz, which needs no
// authentication.
func (c *Cluster) apiProbe() (func(context.Context) bool, error) {
	known, err := c.loadConfig()
	if err != nil {
		return nil, err
	}
	pem, err := os.ReadFile(filepath.Join(c.state, "pki", "ca.crt"))
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	client := &http.Client{Timeout: 2 * time.Second, Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}, DisableKeepAlives: true,
	}}
	url := "https://" + net.JoinHostPort(known.Link.Node.String(), strconv.Itoa(network.APIPort)) + "/readyz"
	return func(ctx context.Context) bool {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return false
		}
		response, err := client.Do(request)
		if err != nil {
			return false
		}
		_ = response.Body.Close()
		return response.StatusCode == http.StatusOK
	}, nil
}

// waitContainerd waits until containerd responds. It does not check for the socket, which a killed containerd leaves
// behind.
func (c *Cluster) waitContainerd(ctx context.Context, node *confine.Node) error {
	return pollUntil(ctx, pollInterval, func() (bool, error) {
		if err := c.requireAlive(components.Containerd); err != nil {
			return false, err
		}
		_, err := node.Run(ctx, nil, confine.ProgramsDir+"/ctr", "version")
		return err == nil, nil
	})
}

// waitReady waits until a Pod can be created and would run: the nodes are ready and not tainted, and the default
// service account exists.
func (c *Cluster) waitReady(ctx context.Context, settings components.Settings) error {
	ctx, cancel := context.WithTimeout(ctx, stepTimeout)
	defer cancel()
	const node = `{.status.conditions[?(@.type=="Ready")].status}{.spec.taints}`
	type question struct {
		about string
		args  []string
		want  string
	}
	questions := []question{
		{
			"service account", []string{"get", "serviceaccount", "default", "-n", "default", "-o", "name"},
			"serviceaccount/default\n",
		},
	}
	for _, name := range settings.Nodes() {
		questions = append(questions, question{
			"node " + name, []string{"get", "node", name, "-o", "jsonpath=" + node}, "True",
		})
	}
	var names []string
	for _, one := range settings.All() {
		names = append(names, one.Name)
	}
	for _, question := range questions {
		var answer string
		err := pollUntil(ctx, 2*pollInterval, func() (bool, error) {
			if err := c.requireAlive(names...); err != nil {
				return false, err
			}
			var err error
			answer, err = c.kubectl(ctx, nil, question.args...)
			return err == nil && answer == question.want, nil
		})
		if errors.Is(err, context.DeadlineExceeded) {
			return fmt.Errorf("the %s is not ready (%q); see the logs in %s: %w", question.about, answer,
				filepath.Join(c.state, "logs"), err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
