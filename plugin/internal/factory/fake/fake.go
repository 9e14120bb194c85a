// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package fake is a Factory for tests. It returns the clients of its fields, and an error for a client that is not set.
package fake

import (
	"errors"
	"io"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/apis/client/clientset/versioned"
)

// ErrNotGiven is the error for a client that the test did not set. A test that a command contacts no cluster uses an
// empty Factory.
var ErrNotGiven = errors.New("the test gave the factory no such client")

// Factory implements factory.Factory with the values of its fields.
type Factory struct {
	Name              string
	Time              clock.WithTicker
	Colored           bool
	In                string // namespace; empty means "default"
	InGiven           bool   // the namespace came from the command line
	Config            *rest.Config
	SandboxesClient   versioned.Interface
	KubernetesClient  kubernetes.Interface
	DynamicClient     dynamic.Interface
	DiscoveryClient   discovery.DiscoveryInterface
	RESTMapperOfKinds meta.RESTMapper
}

// Program implements factory.Factory.
func (f *Factory) Program() string {
	if f.Name == "" {
		return "kubectl sandbox"
	}
	return f.Name
}

// Clock implements factory.Factory.
func (f *Factory) Clock() clock.WithTicker {
	if f.Time == nil {
		return clock.RealClock{}
	}
	return f.Time
}

// Color implements factory.Factory.
func (f *Factory) Color(io.Writer) bool { return f.Colored }

// Namespace implements factory.Factory.
func (f *Factory) Namespace() (string, bool, error) {
	if f.In == "" {
		return "default", false, nil
	}
	return f.In, f.InGiven, nil
}

// RESTConfig implements factory.Factory.
func (f *Factory) RESTConfig() (*rest.Config, error) { return given(f.Config, f.Config != nil) }

// Sandboxes implements factory.Factory.
func (f *Factory) Sandboxes() (versioned.Interface, error) {
	return given(f.SandboxesClient, f.SandboxesClient != nil)
}

// Kubernetes implements factory.Factory.
func (f *Factory) Kubernetes() (kubernetes.Interface, error) {
	return given(f.KubernetesClient, f.KubernetesClient != nil)
}

// Dynamic implements factory.Factory.
func (f *Factory) Dynamic() (dynamic.Interface, error) {
	return given(f.DynamicClient, f.DynamicClient != nil)
}

// Discovery implements factory.Factory.
func (f *Factory) Discovery() (discovery.DiscoveryInterface, error) {
	return given(f.DiscoveryClient, f.DiscoveryClient != nil)
}

// RESTMapper implements factory.Factory.
func (f *Factory) RESTMapper() (meta.RESTMapper, error) {
	return given(f.RESTMapperOfKinds, f.RESTMapperOfKinds != nil)
}

func given[C any](client C, ok bool) (C, error) {
	if !ok {
		return client, ErrNotGiven
	}
	return client, nil
}
