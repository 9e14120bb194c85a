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
	begin   time.Time // when the process started
	cmd     *exec.Cmd
	ended   chan struct{}
	log     string // path
	metrics string // URL
	health  string
}

// startProcess runs the binary with its defaults and extensions. It sets only the addresses and the lease's namespace,
// because the operator runs outside of the cluster.
func (w *World) startProcess(ctx context.Context) (*Operator, error) {
	metrics, err := freeAddress(ctx)
	if err != nil {
		return nil, err
	}
	health, err := freeAddress(ctx)
	if err != nil {
		return nil, err
	}
	w.started++
	log, err := os.Create(filepath.Join(w.options.Artifacts, logName(w.started)))
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }()
	args := append([]string{
		"--extensions", "--kubeconfig=" + w.operatorKubeconfig(), "--leader-election-namespace=" + apis.OperatorNamespace,
		"--metrics-bind-address=" + metrics, "--health-probe-bind-address=" + health,
	}, w.options.Args...)
	cmd := exec.Command(w.options.Binary, args...) //nolint:gosec // the binary is a flag
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Env = []string{"POD_NAMESPACE=" + apis.OperatorNamespace, "PATH=" + os.Getenv("PATH")}
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	o := &Operator{
		begin: begin, cmd: cmd, ended: make(chan struct{}), log: log.Name(),
		metrics: "http://" + metrics + "/metrics", health: "http://" + health + "/readyz",
	}
	go func() {
		_ = cmd.Wait()
		close(o.ended)
	}()
	return o, nil
}

// logName returns the name of the log of the operator's process that was started as number n.
func logName(n int) string {
	if n == 1 {
		return "operator.log"
	}
	return fmt.Sprintf("operator-%d.log", n)
}

// startOperator starts a process and waits until it is ready, which an operator is before it leads.
func (w *World) startOperator(ctx context.Context) (*Operator, error) {
	o, err := w.startProcess(ctx)
	if err != nil {
		return nil, err
	}
	err = waitUntil(ctx, "the operator is ready", func() (bool, error) {
		if !o.runs() {
			return false, fmt.Errorf("it ended; see %s", o.log)
		}
		response, err := fetch(ctx, o.health)
		return err == nil && len(response) > 0, nil
	})
	if err != nil {
		return nil, errors.Join(err, o.stop())
	}
	return o, nil
}

func (o *Operator) runs() bool {
	select {
	case <-o.ended:
		return false
	default:
		return true
	}
}

// operatorKubeconfig returns the path of the file that writeKubeconfig writes.
func (w *World) operatorKubeconfig() string {
	return filepath.Join(w.options.Artifacts, "operator.kubeconfig")
}

// writeKubeconfig writes a kubeconfig with the credentials of the operator's service account.
func (w *World) writeKubeconfig(ctx context.Context, admin *rest.Config) error {
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
	return clientcmd.WriteToFile(*config, w.operatorKubeconfig())
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
	if !o.runs() {
		return fmt.Errorf("the operator ended too early; see %s", o.log)
	}
	if err := o.signal(syscall.SIGTERM); err != nil {
		return errors.Join(err, o.cmd.Process.Kill())
	}
	return nil
}

// signal sends a signal that ends the process, and waits for its end.
func (o *Operator) signal(signal os.Signal) error {
	if err := o.cmd.Process.Signal(signal); err != nil {
		return err
	}
	select {
	case <-o.ended:
		return nil
	case <-time.After(20 * time.Second):
		return errors.New("the operator did not end")
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
