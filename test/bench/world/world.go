// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package world is what scenarios act on: a cluster of simulated nodes, the operator as a process of its own under the service account
// that its manifests give it, and namespaces with a template and a pool.
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
)

// World is not safe for concurrent use, its Client is.
type World struct {
	Client   client.WithWatch
	Operator *Operator
	audit    *measure.AuditLog
	log      io.Writer
	begin    time.Time
}

// Options say where things are.
type Options struct {
	Kubeconfig string // of an administrator
	Binary     string // the operator's
	AuditLog   string // where the API server writes the operator's requests
	Artifacts  string // directory for the operator's log and kubeconfig
	Args       []string
}

// operatorUser is the operator's name in the audit log.
const operatorUser = "system:serviceaccount:" + apis.OperatorNamespace + ":" + apis.OperatorName

// New installs the operator's definitions and permissions and starts it. Close stops it.
func New(ctx context.Context, options Options, log io.Writer) (*World, error) {
	config, err := clientcmd.BuildConfigFromFlags("", options.Kubeconfig)
	if err != nil {
		return nil, err
	}
	config.QPS = -1 // the load is what we are here for
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
	w := &World{Client: c, log: log, begin: time.Now()}
	if err := w.install(ctx); err != nil {
		return nil, fmt.Errorf("install: %w", err)
	}
	if _, err := os.Stat(options.AuditLog); err != nil {
		return nil, fmt.Errorf("the cluster writes no audit log (start it with --simulated-nodes): %w", err)
	}
	w.audit = measure.NewAuditLog(options.AuditLog, operatorUser)
	if w.Operator, err = w.startOperator(ctx, config, options); err != nil {
		return nil, fmt.Errorf("start the operator: %w", err)
	}
	w.Say("the operator runs; its metrics, and profiles with -operator-arg --enable-pprof-debug, are beside %s", w.Operator.metrics)
	return w, nil
}

// Say writes a line of progress.
func (w *World) Say(format string, args ...any) {
	_, _ = fmt.Fprintf(w.log, "[%4.0fs] %s\n", time.Since(w.begin).Seconds(), fmt.Sprintf(format, args...))
}

// Close stops the operator.
func (w *World) Close() error { return w.Operator.stop() }

// install applies all manifests but the Deployment: the operator runs here, where its CPU time and memory can be read.
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
	return until(ctx, "the definitions are served", func() (bool, error) {
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

// patience is how long anything but a scenario's load may take.
const patience = 5 * time.Minute

// until looks again and again until done says so.
func until(ctx context.Context, what string, done func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond) // who asks more often is part of the load
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

// Rest waits, as long as the context lets it.
func Rest(ctx context.Context, how time.Duration) {
	timer := time.NewTimer(how)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// namespaceReady waits until Pods can be created: they need the namespace's service account.
func (w *World) namespaceReady(ctx context.Context, name string) error {
	return until(ctx, "namespace "+name+" has its service account", func() (bool, error) {
		err := w.Client.Get(ctx, client.ObjectKey{Namespace: name, Name: "default"}, &corev1.ServiceAccount{})
		return err == nil, client.IgnoreNotFound(err)
	})
}
