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

// poll is the pause between two looks at something that is about to happen.
const poll = 50 * time.Millisecond

// kubectl runs the cluster's own kubectl as its administrator and returns what it printed.
func (c *Cluster) kubectl(ctx context.Context, stdin io.Reader, args ...string) (string, error) {
	known, err := c.recall()
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, filepath.Join(known.Programs, "kubectl"), append([]string{"--kubeconfig", c.Kubeconfig()}, args...)...)
	var out, failure bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, &out, &failure
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("kubectl %v: %w\n%s", args, err, failure.Bytes())
	}
	return out.String(), nil
}

// died fails if a component that was started does not run any more.
func (c *Cluster) died(names ...string) error {
	for _, name := range names {
		if !confine.Record(c.state, name).Alive() {
			return fmt.Errorf("%s has ended; see %s", name, confine.LogFile(c.state, name))
		}
	}
	return nil
}

// waitAPI waits until the API server says that it is ready.
func (c *Cluster) waitAPI(ctx context.Context) error {
	ready, err := c.apiProbe()
	if err != nil {
		return err
	}
	err = every(ctx, poll, func() (bool, error) {
		if err := c.died(components.Etcd, components.APIServer); err != nil {
			return false, err
		}
		return ready(ctx), nil
	})
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("the API server is not ready; see %s: %w", confine.LogFile(c.state, components.APIServer), err)
	}
	return err
}

// apiProbe returns a function that asks the API server whether it is ready. It needs no user: that path is open to everybody.
func (c *Cluster) apiProbe() (func(context.Context) bool, error) {
	known, err := c.recall()
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

// waitContainerd waits until containerd answers. Its socket alone says nothing: one that was killed leaves it behind.
func (c *Cluster) waitContainerd(ctx context.Context, node *confine.Node) error {
	return every(ctx, poll, func() (bool, error) {
		if err := c.died(components.Containerd); err != nil {
			return false, err
		}
		_, err := node.Run(ctx, nil, confine.ProgramsDir+"/ctr", "version")
		return err == nil, nil
	})
}

// waitReady waits until a Pod can be created and would run: the node is ready and not tainted, and there is a default service account.
func (c *Cluster) waitReady(ctx context.Context, settings components.Settings) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	const node = `{.status.conditions[?(@.type=="Ready")].status}{.spec.taints}`
	type question struct {
		about string
		args  []string
		want  string
	}
	questions := []question{
		{"service account", []string{"get", "serviceaccount", "default", "-n", "default", "-o", "name"}, "serviceaccount/default\n"},
	}
	for _, name := range settings.Nodes() {
		questions = append(questions, question{"node " + name, []string{"get", "node", name, "-o", "jsonpath=" + node}, "True"})
	}
	var names []string
	for _, one := range settings.All() {
		names = append(names, one.Name)
	}
	for _, question := range questions {
		var answer string
		err := every(ctx, 2*poll, func() (bool, error) {
			if err := c.died(names...); err != nil {
				return false, err
			}
			var err error
			answer, err = c.kubectl(ctx, nil, question.args...)
			return err == nil && answer == question.want, nil
		})
		if errors.Is(err, context.DeadlineExceeded) {
			return fmt.Errorf("the %s is not ready (%q); see the logs in %s: %w", question.about, answer, filepath.Join(c.state, "logs"), err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
