// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/operator/install"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/installer"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/printing"
)

// The names of the checks, as users give them to --skip.
const (
	checkKubernetes          = "kubernetes"
	checkDefinitions         = "definitions"
	checkOperator            = "operator"
	checkLeader              = "leader"
	checkFlags               = "flags"
	checkVersion             = "version"
	checkOperatorPermissions = "operator-permissions"
	checkPermissions         = "permissions"
	checkStreams             = "exec-permissions"
	checkStorage             = "storage"
	checkRuntimeClasses      = "runtimeclasses"
	checkNetworkPolicy       = "networkpolicy"
	checkMetrics             = "metrics"
)

type check struct {
	name string
	run  func(context.Context, *cluster) []Finding
}

// checks are all of them, in the order in which one builds on the other.
func checks() []check {
	return []check{
		{checkKubernetes, kubernetesVersion},
		{checkDefinitions, definitions},
		{checkOperator, operator},
		{checkLeader, leader},
		{checkFlags, flags},
		{checkVersion, versionSkew},
		{checkOperatorPermissions, operatorPermissions},
		{checkPermissions, permissions},
		{checkStreams, streamPermissions},
		{checkStorage, storage},
		{checkRuntimeClasses, runtimeClasses},
		{checkNetworkPolicy, networkPolicy},
		{checkMetrics, metrics},
	}
}

func names() []string {
	var all []string
	for _, check := range checks() {
		all = append(all, check.name)
	}
	return all
}

// cluster is the cluster, with what several checks look at.
type cluster struct {
	kubernetes kubernetes.Interface
	dynamic    dynamic.Interface
	discovery  discovery.DiscoveryInterface
	clock      clock.PassiveClock
	program    string
	namespace  string // the user's

	version           *version.Info
	operatorNamespace string             // the operator's namespace
	deployment        *appsv1.Deployment // nil: there is none, or deploymentErr says why nobody knows

	deploymentErr error
	searchErr     error // why an operator may be where nobody could look
}

// newCluster opens the clients and asks what the checks have in common. It fails when the cluster does not answer.
func newCluster(ctx context.Context, f factory.Factory) (*cluster, error) {
	p := &cluster{clock: f.Clock(), program: f.Program()}
	var err error
	if p.namespace, _, err = f.Namespace(); err != nil {
		return nil, err
	}
	if p.kubernetes, err = f.Kubernetes(); err != nil {
		return nil, err
	}
	if p.dynamic, err = f.Dynamic(); err != nil {
		return nil, err
	}
	if p.discovery, err = f.Discovery(); err != nil {
		return nil, err
	}
	if p.version, err = p.discovery.ServerVersion(); err != nil {
		return nil, fmt.Errorf("the cluster does not answer: %w", err)
	}
	if p.operatorNamespace, err = installer.FindNamespace(ctx, p.kubernetes); err != nil {
		return nil, err
	}
	p.deployment, p.deploymentErr = installer.GetDeployment(ctx, p.kubernetes, p.operatorNamespace)
	if p.deployment == nil && p.deploymentErr == nil {
		_, p.searchErr = p.kubernetes.AppsV1().Deployments(metav1.NamespaceAll).List(ctx, metav1.ListOptions{Limit: 1})
	}
	return p, nil
}

// options are what the operator was installed with; the defaults when nobody knows.
func (p *cluster) options() install.Options {
	if p.deployment == nil {
		return install.Options{Namespace: p.operatorNamespace}
	}
	return install.InstalledOptions(p.deployment)
}

// repairCommand is how somebody puts right what an installation should have made.
func (p *cluster) repairCommand() string {
	if p.deployment == nil {
		return p.program + " install"
	}
	if manager := p.deployment.Labels[install.LabelManagedBy]; manager != "" && manager != apis.FieldOwnerPlugin {
		return "upgrade the release of the chart agent-sandbox with " + manager
	}
	if installer.ImageRequired(p.deployment) {
		return p.program + " upgrade --image " + install.InstalledOptions(p.deployment).Image
	}
	return p.program + " upgrade"
}

// unreadable tells what to say about something that could not be read.
func unreadable(err error, what string) []Finding {
	if apierrors.IsForbidden(err) {
		if verb, resource, found := printing.MissingPermission(err); found {
			return unknown("you may not %s %s: nothing is known of %s", verb, resource, what)
		}
		return unknown("you may not read %s", what)
	}
	return failed("try again; if it stays, look at the API server", "read %s: %v", what, err)
}

// noOperator is what the checks of the operator say without one.
func (p *cluster) noOperator() []Finding {
	if p.deploymentErr != nil {
		return unreadable(p.deploymentErr, "the operator's Deployment in namespace "+p.operatorNamespace)
	}
	if p.searchErr != nil {
		return unreadable(p.searchErr, "operators outside of namespace "+p.operatorNamespace)
	}
	return unknown("there is no operator")
}

func all() metav1.ListOptions { return metav1.ListOptions{} }
