// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package factory provides the commands with clients of the cluster, when they need them.
//
// Invariants:
//   - creating a Factory and parsing its flags contacts no cluster and reads no file;
//   - what needs no cluster (--help, completion scripts, validation) calls no method that does;
//   - commands get their clients from here alone, so that a test can replace them.
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

// Factory provides what a command needs from outside. A client is created at the first call and kept.
type Factory interface {
	// Program returns the name of the program as the user types it, as in "kubectl sandbox".
	Program() string
	// Clock returns the only source of time.
	Clock() clock.WithTicker
	// Color reports whether output to the writer is coloured. It depends on --color, NO_COLOR and whether the writer is
	// a terminal.
	Color(out io.Writer) bool
	// Namespace returns the namespace, and whether the command line names it.
	Namespace() (namespace string, explicit bool, err error)
	// RESTConfig returns a configuration that the caller may modify.
	RESTConfig() (*rest.Config, error)
	// Sandboxes returns the clientset of our two API groups.
	Sandboxes() (versioned.Interface, error)
	// Kubernetes returns the clientset of the built-in kinds.
	Kubernetes() (kubernetes.Interface, error)
	// Dynamic returns the client for kinds and fields without Go types.
	Dynamic() (dynamic.Interface, error)
	// Discovery returns the client that lists what the API server serves.
	Discovery() (discovery.DiscoveryInterface, error)
	// RESTMapper returns the mapper of kinds to resources.
	RESTMapper() (meta.RESTMapper, error)
}
