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

// assetsVariable is envtest's variable for the directory of the binaries.
const assetsVariable = "KUBEBUILDER_ASSETS"

// startTimeout is how long a start may take. It allows for a machine that compiles at the same time.
const startTimeout = 2 * time.Minute

const (
	programServer  = "kube-apiserver"
	programEtcd    = "etcd"
	programKubectl = "kubectl"
)

// Option changes the environment before it starts: other CRDs, flags of the server.
type Option func(*envtest.Environment)

// WithoutCRDs starts the server without the project's CRDs.
func WithoutCRDs() Option { return func(env *envtest.Environment) { env.CRDs = nil } }

// WithCRDsOf installs the CRDs of a directory, for example those of another operator, instead of the project's.
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

// Start starts etcd and an API server with the project's CRDs. The caller must call Stop.
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
	s := &Server{
		dir: dir, kubectl: filepath.Join(assets, programKubectl), kubeconfig: filepath.Join(dir, "admin.kubeconfig"),
	}
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
	// envtest creates webhook certificates outside of dir, although there are no webhooks.
	if err = os.RemoveAll(s.env.WebhookInstallOptions.LocalServingCertDir); err != nil {
		return s, err
	}
	if err = os.WriteFile(s.kubeconfig, s.env.KubeConfig, 0o600); err != nil {
		return s, err
	}
	return s, nil
}

// environment returns an environment that keeps all files in dir and whose processes the guard knows.
func environment(dir, assets string, guard *guard) (*envtest.Environment, error) {
	env := &envtest.Environment{
		ControlPlaneStartTimeout: startTimeout,
		ControlPlaneStopTimeout:  startTimeout, // waits for the processes that the guard has killed
		CRDInstallOptions:        envtest.CRDInstallOptions{MaxTime: startTimeout, PollInterval: 50 * time.Millisecond},
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
	if server.Path, err = guard.wrapProgram(filepath.Join(assets, programServer)); err != nil {
		return nil, err
	}
	env.ControlPlane.Etcd.Path, err = guard.wrapProgram(filepath.Join(assets, programEtcd))
	env.ControlPlane.Etcd.Configure().Set("unsafe-no-fsync", "true") // the data does not outlive the test
	return env, err
}

// Stop ends both processes and removes all files.
func (s *Server) Stop() error {
	err := s.guard.stop()
	if s.env != nil {
		if stopped := s.env.Stop(); stopped != nil && !errors.Is(stopped, os.ErrProcessDone) &&
			!errors.Is(stopped, syscall.ESRCH) {
			err = errors.Join(err, stopped)
		}
	}
	return errors.Join(err, os.RemoveAll(s.dir))
}

// Config returns an administrator's configuration without client-side throttling.
func (s *Server) Config() *rest.Config {
	config := rest.CopyConfig(s.env.Config)
	config.QPS = -1
	return config
}

// Kubeconfig returns the path of an administrator's kubeconfig file.
func (s *Server) Kubeconfig() string { return s.kubeconfig }

// assets returns the directory of the binaries, or an error if one is missing.
func assets() (string, error) {
	const cure = "run `make test-integration`, or set it to what `go -C test/cluster run . binaries --only integration` " +
		"prints"
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

// Pause stops the API server and keeps its data. Resume starts it again at the same address.
func (s *Server) Pause() error { return s.env.ControlPlane.GetAPIServer().Stop() }

// Resume starts the API server again after Pause.
func (s *Server) Resume() error { return s.env.ControlPlane.GetAPIServer().Start() }
