// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package world provides what scenarios need: a cluster of simulated nodes, the operator as a separate process with the
// service account of its manifests, and namespaces with a template and a pool.
package world

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/install"
	"github.com/agent-sandbox/kubectl-sandbox/test/bench/measure"
	"github.com/agent-sandbox/kubectl-sandbox/test/bench/report"
)

// World is a cluster with a running operator. It is not safe for concurrent use, but its Client is.
type World struct {
	Client   client.WithWatch
	Operator *Operator
	audit    *measure.AuditLog
	pids     map[report.Figure]int // of the cluster's components, by the figure of their CPU time
	options  Options
	started  int // processes of the operator
	log      io.Writer
	begin    time.Time
}

// Options are the paths and arguments of a World.
type Options struct {
	Kubeconfig string // an administrator's
	Binary     string // the operator's
	AuditLog   string // the API server's log of the operator's requests
	Processes  string // the directory with testcluster's records of the cluster's processes
	Artifacts  string // the directory for the operator's log and kubeconfig
	Args       []string
}

// operatorUser is the operator's name in the audit log.
const operatorUser = "system:serviceaccount:" + apis.OperatorNamespace + ":" + apis.OperatorName

// New installs the operator's definitions and permissions and starts the operator. Close stops it.
func New(ctx context.Context, options Options, log io.Writer) (*World, error) {
	config, err := clientcmd.BuildConfigFromFlags("", options.Kubeconfig)
	if err != nil {
		return nil, err
	}
	config.QPS = -1 // the client must not limit the load
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		clientgoscheme.AddToScheme, agentsv1beta1.AddToScheme, extensionsv1beta1.AddToScheme, apiextensionsv1.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	c, err := client.NewWithWatch(config, client.Options{Scheme: scheme})
	if err != nil {
		return nil, fmt.Errorf("client: %w", err)
	}
	w := &World{Client: c, options: options, log: log, begin: time.Now()}
	if err := w.install(ctx); err != nil {
		return nil, fmt.Errorf("install: %w", err)
	}
	if _, err := os.Stat(options.AuditLog); err != nil {
		return nil, fmt.Errorf("the cluster writes no audit log (start it with --simulated-nodes): %w", err)
	}
	if w.pids, err = readPIDs(options.Processes); err != nil {
		return nil, err
	}
	w.audit = measure.NewAuditLog(options.AuditLog, operatorUser)
	if err := w.writeKubeconfig(ctx, config); err != nil {
		return nil, err
	}
	if w.Operator, err = w.startOperator(ctx); err != nil {
		return nil, fmt.Errorf("start the operator: %w", err)
	}
	w.Logf("the operator runs; its metrics, and profiles with -operator-arg --enable-pprof-debug, are beside %s",
		w.Operator.metrics)
	return w, nil
}

// Logf writes a line of progress.
func (w *World) Logf(format string, args ...any) {
	_, _ = fmt.Fprintf(w.log, "[%4.0fs] %s\n", time.Since(w.begin).Seconds(), fmt.Sprintf(format, args...))
}

// Close stops the operator.
func (w *World) Close() error { return w.Operator.stop() }

// install applies all manifests except the Deployment. The operator runs as a local process, whose CPU time and memory
// can be read.
func (w *World) install(ctx context.Context) error {
	objects, err := install.Render(install.Options{})
	if err != nil {
		return err
	}
	for _, object := range objects {
		if object.GetKind() == "Deployment" {
			continue
		}
		if err := w.Client.Create(ctx, object); err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("create %s %s: %w", object.GetKind(), object.GetName(), err)
		}
	}
	return waitUntil(ctx, "the definitions are served", func() (bool, error) {
		var all apiextensionsv1.CustomResourceDefinitionList
		if err := w.Client.List(ctx, &all); err != nil {
			return false, err
		}
		served := 0
		for _, one := range all.Items {
			for _, condition := range one.Status.Conditions {
				if condition.Type == apiextensionsv1.Established && condition.Status == apiextensionsv1.ConditionTrue {
					served++
				}
			}
		}
		return served == len(all.Items) && served > 0, nil
	})
}

// waitTimeout is the timeout of each wait.
const waitTimeout = 5 * time.Minute

// waitUntil polls until done returns true or an error.
func waitUntil(ctx context.Context, what string, done func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, waitTimeout)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond) // polling more often would add to the load
	defer tick.Stop()
	for {
		ok, err := done()
		if err != nil && ctx.Err() == nil {
			return fmt.Errorf("until %s: %w", what, err)
		}
		if ok && err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.Join(fmt.Errorf("until %s: %w", what, ctx.Err()), err)
		case <-tick.C:
		}
	}
}

// Sleep waits for the given time or until the context ends.
func Sleep(ctx context.Context, how time.Duration) {
	timer := time.NewTimer(how)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// namespaceReady waits until the namespace has its default service account, which Pods need.
func (w *World) namespaceReady(ctx context.Context, name string) error {
	return waitUntil(ctx, "namespace "+name+" has its service account", func() (bool, error) {
		err := w.Client.Get(ctx, client.ObjectKey{Namespace: name, Name: "default"}, &corev1.ServiceAccount{})
		return err == nil, client.IgnoreNotFound(err)
	})
}
