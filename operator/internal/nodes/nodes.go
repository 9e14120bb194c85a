// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package nodes watches which nodes are about to leave the cluster, so that claims prefer warm Sandboxes on other
// nodes.
//
// This is only a preference: nothing waits for the watch, and an operator without permission to watch nodes works
// without it.
package nodes

import (
	"context"
	"fmt"
	"net/http"
	"sync"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// Nodes is a watch of the nodes. It is safe for concurrent use.
type Nodes struct {
	informer      cache.SharedIndexInformer
	log           logr.Logger
	forbiddenOnce sync.Once
}

// New returns Nodes. They know no node until Start has listed them.
func New(config *rest.Config, httpClient *http.Client, log logr.Logger) (*Nodes, error) {
	config = rest.CopyConfig(config)
	config.AcceptContentTypes = runtime.ContentTypeProtobuf + "," + runtime.ContentTypeJSON
	client, err := typedcorev1.NewForConfigAndClient(config, httpClient)
	if err != nil {
		return nil, fmt.Errorf("client for nodes: %w", err)
	}
	list := cache.NewListWatchFromClient(client.RESTClient(), "nodes", metav1.NamespaceAll, fields.Everything())
	n := &Nodes{informer: cache.NewSharedIndexInformer(list, &corev1.Node{}, 0, nil), log: log}
	if err := n.informer.SetTransform(trim); err != nil {
		return nil, fmt.Errorf("watch nodes: %w", err)
	}
	if err := n.informer.SetWatchErrorHandlerWithContext(n.handleWatchError); err != nil {
		return nil, fmt.Errorf("watch nodes: %w", err)
	}
	return n, nil
}

// Start implements manager.Runnable. It watches until the context ends.
func (n *Nodes) Start(ctx context.Context) error {
	n.informer.RunWithContext(ctx)
	return nil
}

// NeedLeaderElection implements manager.LeaderElectionRunnable. Standbys watch as well, so that they know the nodes
// when they take over.
func (*Nodes) NeedLeaderElection() bool { return false }

// IsLeaving reports whether a node is gone or about to leave the cluster. It returns false until the nodes are known.
func (n *Nodes) IsLeaving(name string) bool {
	if name == "" || !n.informer.HasSynced() {
		return false
	}
	object, there, err := n.informer.GetStore().GetByKey(name)
	node, ok := object.(*corev1.Node)
	return err == nil && (!there || (ok && isLeaving(node)))
}

// isLeaving reports whether a node is cordoned, being deleted, or not Ready.
func isLeaving(node *corev1.Node) bool {
	if node.DeletionTimestamp != nil || node.Spec.Unschedulable {
		return true
	}
	for _, c := range node.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c.Status != corev1.ConditionTrue
		}
	}
	return true // its kubelet has never reported
}

// trim removes everything that isLeaving does not need from a node.
func trim(object any) (any, error) {
	node, ok := object.(*corev1.Node)
	if !ok {
		return object, nil
	}
	small := &corev1.Node{ObjectMeta: metav1.ObjectMeta{
		Name: node.Name, UID: node.UID, ResourceVersion: node.ResourceVersion, DeletionTimestamp: node.DeletionTimestamp,
	}}
	small.Spec.Unschedulable = node.Spec.Unschedulable
	for _, c := range node.Status.Conditions {
		if c.Type == corev1.NodeReady {
			small.Status.Conditions = []corev1.NodeCondition{{Type: c.Type, Status: c.Status}}
		}
	}
	return small, nil
}

// handleWatchError logs errors of the watch, which the informer retries with backoff. It logs a missing permission only
// once.
func (n *Nodes) handleWatchError(_ context.Context, _ *cache.Reflector, err error) {
	if apierrors.IsForbidden(err) {
		n.forbiddenOnce.Do(func() {
			n.log.Info("no permission to watch nodes: claims choose warm Sandboxes without regard to their nodes",
				"cause", err.Error())
		})
		return
	}
	n.log.V(1).Info("the watch of nodes ended and is reopened", "cause", err.Error())
}
