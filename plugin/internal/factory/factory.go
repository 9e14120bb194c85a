// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package factory hands the commands what they need to reach a cluster, and only when they ask for it.
//
// Invariants:
//   - making a Factory and reading its flags contacts nothing and reads no file;
//   - a command that needs no cluster (--help, completion script, validation) never calls a method that does;
//   - commands take clients from here alone, so that a test can give them others.
package factory

import (
	"io"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/apis/client/clientset/versioned"
)

// Factory gives a command its surroundings. Clients are made at the first call and kept.
type Factory interface {
	// Program is how the user calls us: "kubectl sandbox" or what argv[0] says instead.
	Program() string
	// Clock is the only source of time.
	Clock() clock.WithTicker
	// Color says whether output to the writer is coloured: --color, NO_COLOR and whether it is a terminal decide.
	Color(out io.Writer) bool
	// Namespace is the namespace to work in, and whether the user named it on the command line.
	Namespace() (namespace string, explicit bool, err error)
	// RESTConfig is a configuration that the caller may change.
	RESTConfig() (*rest.Config, error)
	// Sandboxes is the clientset of our own two API groups.
	Sandboxes() (versioned.Interface, error)
	// Kubernetes is the clientset of the built-in kinds.
	Kubernetes() (kubernetes.Interface, error)
	// Dynamic is the client for kinds and fields that we have no types for.
	Dynamic() (dynamic.Interface, error)
	// Discovery tells what the API server serves.
	Discovery() (discovery.DiscoveryInterface, error)
	// RESTMapper maps kinds to resources.
	RESTMapper() (meta.RESTMapper, error)
}
