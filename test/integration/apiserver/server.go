// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/agent-sandbox/kubectl-sandbox/apis/crds"
)

// assetsVariable is envtest's own: the directory of the programs.
const assetsVariable = "KUBEBUILDER_ASSETS"

// patience is how long a start may take on a machine that compiles at the same time.
const patience = 2 * time.Minute

const (
	programServer  = "kube-apiserver"
	programEtcd    = "etcd"
	programKubectl = "kubectl"
)

// Option changes the environment before it starts: other CRDs, flags of the server.
type Option func(*envtest.Environment)

// WithoutCRDs leaves the server as a cluster is before anybody installed us.
func WithoutCRDs() Option { return func(env *envtest.Environment) { env.CRDs = nil } }

// WithCRDsOf serves the definitions of a directory instead of ours: what another operator has installed.
func WithCRDsOf(dir string) Option {
	return func(env *envtest.Environment) {
		env.CRDs, env.CRDDirectoryPaths, env.ErrorIfCRDPathMissing = nil, []string{dir}, true
	}
}

// Server is a running API server.
type Server struct {
	env        *envtest.Environment
	dir        string
	kubectl    string
	kubeconfig string
	guard      *guard
}

// Start starts etcd and an API server with our CRDs. The caller calls Stop.
func Start(options ...Option) (_ *Server, err error) {
	assets, err := assets()
	if err != nil {
		return nil, err
	}
	all, err := crds.All()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "kubectl-sandbox-apiserver-")
	if err != nil {
		return nil, err
	}
	s := &Server{dir: dir, kubectl: filepath.Join(assets, programKubectl), kubeconfig: filepath.Join(dir, "admin.kubeconfig")}
	if s.guard, err = newGuard(dir); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("%w\n%s", err, s.logTail()), s.Stop())
		}
	}()
	if s.env, err = environment(dir, assets, s.guard); err != nil {
		return s, err
	}
	s.env.CRDs = all
	for _, option := range options {
		option(s.env)
	}
	if _, err = s.env.Start(); err != nil {
		return s, fmt.Errorf("start the API server: %w", err)
	}
	// envtest makes certificates for webhooks, which we have none of, outside of dir.
	if err = os.RemoveAll(s.env.WebhookInstallOptions.LocalServingCertDir); err != nil {
		return s, err
	}
	if err = os.WriteFile(s.kubeconfig, s.env.KubeConfig, 0o600); err != nil {
		return s, err
	}
	return s, nil
}

// environment keeps everything in dir and has the guard know the processes.
func environment(dir, assets string, guard *guard) (*envtest.Environment, error) {
	env := &envtest.Environment{
		ControlPlaneStartTimeout: patience,
		ControlPlaneStopTimeout:  patience, // the guard kills them; this waits for their end
		CRDInstallOptions:        envtest.CRDInstallOptions{MaxTime: patience, PollInterval: 50 * time.Millisecond},
	}
	env.ControlPlane.Etcd = &envtest.Etcd{DataDir: filepath.Join(dir, "data")}
	server := env.ControlPlane.GetAPIServer()
	server.CertDir = filepath.Join(dir, "pki")
	for _, needed := range []string{env.ControlPlane.Etcd.DataDir, server.CertDir} {
		if err := os.Mkdir(needed, 0o700); err != nil {
			return nil, err
		}
	}
	log, err := os.Create(filepath.Join(dir, programServer+".log"))
	if err != nil {
		return nil, err
	}
	server.Out, server.Err = log, log
	if server.Path, err = guard.watched(filepath.Join(assets, programServer)); err != nil {
		return nil, err
	}
	env.ControlPlane.Etcd.Path, err = guard.watched(filepath.Join(assets, programEtcd))
	env.ControlPlane.Etcd.Configure().Set("unsafe-no-fsync", "true") // the data does not outlive the test
	return env, err
}

// Stop ends both processes and removes all files.
func (s *Server) Stop() error {
	err := s.guard.end()
	if s.env != nil {
		if stopped := s.env.Stop(); stopped != nil && !errors.Is(stopped, os.ErrProcessDone) && !errors.Is(stopped, syscall.ESRCH) {
			err = errors.Join(err, stopped)
		}
	}
	return errors.Join(err, os.RemoveAll(s.dir))
}

// Config is an administrator's, without client-side throttling.
func (s *Server) Config() *rest.Config {
	config := rest.CopyConfig(s.env.Config)
	config.QPS = -1
	return config
}

// Kubeconfig is the path of an administrator's kubeconfig file.
func (s *Server) Kubeconfig() string { return s.kubeconfig }

// assets is the directory of the programs, if all of them are there.
func assets() (string, error) {
	const cure = "run `make test-integration`, or set it to what `go -C test/cluster run . binaries --only integration` prints"
	dir := os.Getenv(assetsVariable)
	if dir == "" {
		return "", fmt.Errorf("%s is not set: %s", assetsVariable, cure)
	}
	for _, name := range []string{programEtcd, programServer, programKubectl} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return "", fmt.Errorf("%s has no %s (%w): %s", assetsVariable, name, err, cure)
		}
	}
	return filepath.Abs(dir)
}

// Pause ends the API server's process and keeps its data; Resume starts it again at the same address.
func (s *Server) Pause() error { return s.env.ControlPlane.GetAPIServer().Stop() }

// Resume undoes Pause.
func (s *Server) Resume() error { return s.env.ControlPlane.GetAPIServer().Start() }
