// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package world

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/test/bench/measure"
)

// Operator is the operator's process.
type Operator struct {
	cmd     *exec.Cmd
	ended   chan struct{}
	metrics string // URL
	health  string
}

// startOperator runs the binary with its defaults and extensions. It sets only the addresses and the lease's namespace,
// because the operator runs outside of the cluster.
func (w *World) startOperator(ctx context.Context, admin *rest.Config, options Options) (*Operator, error) {
	kubeconfig := filepath.Join(options.Artifacts, "operator.kubeconfig")
	if err := w.writeKubeconfig(ctx, admin, kubeconfig); err != nil {
		return nil, err
	}
	metrics, err := freeAddress(ctx)
	if err != nil {
		return nil, err
	}
	health, err := freeAddress(ctx)
	if err != nil {
		return nil, err
	}
	log, err := os.Create(filepath.Join(options.Artifacts, "operator.log"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }()
	args := append([]string{
		"--extensions", "--kubeconfig=" + kubeconfig, "--leader-election-namespace=" + apis.OperatorNamespace,
		"--metrics-bind-address=" + metrics, "--health-probe-bind-address=" + health,
	}, options.Args...)
	cmd := exec.Command(options.Binary, args...) //nolint:gosec // the binary is a flag
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Env = []string{"POD_NAMESPACE=" + apis.OperatorNamespace, "PATH=" + os.Getenv("PATH")}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	o := &Operator{
		cmd: cmd, ended: make(chan struct{}), metrics: "http://" + metrics + "/metrics",
		health: "http://" + health + "/readyz",
	}
	go func() {
		_ = cmd.Wait()
		close(o.ended)
	}()
	err = waitUntil(ctx, "the operator is ready", func() (bool, error) {
		select {
		case <-o.ended:
			return false, fmt.Errorf("it ended; see %s", log.Name())
		default:
		}
		response, err := fetch(ctx, o.health)
		return err == nil && len(response) > 0, nil
	})
	if err != nil {
		return nil, errors.Join(err, o.stop())
	}
	return o, nil
}

// writeKubeconfig writes a kubeconfig with the credentials of the operator's service account.
func (w *World) writeKubeconfig(ctx context.Context, admin *rest.Config, path string) error {
	const day = 24 * 60 * 60
	account := &corev1.ServiceAccount{}
	account.Namespace, account.Name = apis.OperatorNamespace, apis.OperatorName
	token := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: new(int64(day))}}
	if err := w.Client.SubResource("token").Create(ctx, account, token); err != nil {
		return fmt.Errorf("token of the service account: %w", err)
	}
	config := clientcmdapi.NewConfig()
	config.Clusters["bench"] = &clientcmdapi.Cluster{Server: admin.Host, CertificateAuthorityData: admin.CAData}
	config.AuthInfos["bench"] = &clientcmdapi.AuthInfo{Token: token.Status.Token}
	config.Contexts["bench"] = &clientcmdapi.Context{Cluster: "bench", AuthInfo: "bench"}
	config.CurrentContext = "bench"
	return clientcmd.WriteToFile(*config, path)
}

func freeAddress(ctx context.Context) (string, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}

// stop sends SIGTERM to the process and waits until it ends.
func (o *Operator) stop() error {
	if o == nil {
		return nil
	}
	select {
	case <-o.ended:
		return errors.New("the operator ended too early; see operator.log")
	default:
	}
	if err := o.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	select {
	case <-o.ended:
		return nil
	case <-time.After(20 * time.Second):
		return errors.Join(errors.New("the operator did not end"), o.cmd.Process.Kill())
	}
}

// Use returns the resource usage of the process so far.
func (o *Operator) Use() (measure.Process, error) { return measure.ReadProcess(o.cmd.Process.Pid) }

// Scrape reads the metrics endpoint as Prometheus does. It returns the response, its size in bytes, and the time it
// took.
func (o *Operator) Scrape(ctx context.Context) (measure.Scrape, int, time.Duration, error) {
	begin := time.Now()
	data, err := fetch(ctx, o.metrics)
	took := time.Since(begin)
	if err != nil {
		return nil, 0, 0, err
	}
	scrape, err := measure.ReadScrape(bytes.NewReader(data))
	return scrape, len(data), took, err
}

func fetch(ctx context.Context, url string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return nil, errors.New(url + " responds with status " + strconv.Itoa(response.StatusCode))
	}
	return io.ReadAll(response.Body)
}
