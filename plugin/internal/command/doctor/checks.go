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
	checkRouter              = "router"
)

// check is a named check, which returns one or more findings.
type check struct {
	name string
	run  func(context.Context, *cluster) []Finding
}

// checks returns all checks, in an order in which later ones build on earlier ones.
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
		{checkRouter, routers},
	}
}

func names() []string {
	var all []string
	for _, check := range checks() {
		all = append(all, check.name)
	}
	return all
}

// cluster has the clients, and the objects that several checks read.
type cluster struct {
	kubernetes kubernetes.Interface
	dynamic    dynamic.Interface
	discovery  discovery.DiscoveryInterface
	clock      clock.PassiveClock
	program    string
	namespace  string // the user's
	// impersonated is the user of --as, whom all checks are about; empty without it.
	impersonated string

	version           *version.Info
	operatorNamespace string
	deployment        *appsv1.Deployment // nil if there is none, or if deploymentErr says why it is unknown

	deploymentErr error
	searchErr     error // why other namespaces, which may have the operator, could not be searched
}

// newCluster creates the clients and reads what the checks have in common. It fails if the cluster does not answer.
func newCluster(ctx context.Context, f factory.Factory) (*cluster, error) {
	c := &cluster{clock: f.Clock(), program: f.Program()}
	var err error
	if c.namespace, _, err = f.Namespace(); err != nil {
		return nil, err
	}
	if config, err := f.RESTConfig(); err == nil { // otherwise the next call fails too
		c.impersonated = config.Impersonate.UserName
	}
	if c.kubernetes, err = f.Kubernetes(); err != nil {
		return nil, err
	}
	if c.dynamic, err = f.Dynamic(); err != nil {
		return nil, err
	}
	if c.discovery, err = f.Discovery(); err != nil {
		return nil, err
	}
	if c.version, err = c.discovery.ServerVersion(); err != nil {
		return nil, fmt.Errorf("the cluster does not answer: %w", err)
	}
	if c.operatorNamespace, err = installer.FindNamespace(ctx, c.kubernetes); err != nil {
		return nil, err
	}
	c.deployment, c.deploymentErr = installer.GetDeployment(ctx, c.kubernetes, c.operatorNamespace)
	if c.deployment == nil && c.deploymentErr == nil {
		_, c.searchErr = c.kubernetes.AppsV1().Deployments(metav1.NamespaceAll).List(ctx, metav1.ListOptions{Limit: 1})
	}
	return c, nil
}

// options returns the options of the installation, or the defaults if they are unknown.
func (c *cluster) options() install.Options {
	if c.deployment == nil {
		return install.Options{Namespace: c.operatorNamespace}
	}
	return install.InstalledOptions(c.deployment)
}

// repairCommand returns the command, or an instruction, that restores what an installation creates.
func (c *cluster) repairCommand() string {
	if c.deployment == nil {
		return c.program + " install"
	}
	if manager := c.deployment.Labels[apis.LabelManagedBy]; manager != "" && manager != apis.FieldOwnerPlugin {
		return "upgrade the release of the chart agent-sandbox with " + manager
	}
	if installer.ImageRequired(c.deployment) {
		return c.program + " upgrade --image " + install.InstalledOptions(c.deployment).Image
	}
	return c.program + " upgrade"
}

// unreadable returns the finding for something that could not be read: unknown without permission, otherwise failed.
func (c *cluster) unreadable(err error, what string) []Finding {
	if apierrors.IsForbidden(err) {
		if verb, resource, found := printing.MissingPermission(err); found {
			return unknown("%s may not %s %s, which is needed to check %s", c.subject(), verb, resource, what)
		}
		return unknown("%s may not read %s", c.subject(), what)
	}
	return failed("try again; if the error persists, check the API server", "read %s: %v", what, err)
}

// noOperator returns the finding of the operator's checks if there is no Deployment, or if it could not be read.
func (c *cluster) noOperator() []Finding {
	if c.deploymentErr != nil {
		return c.unreadable(c.deploymentErr, "the operator's Deployment in namespace "+c.operatorNamespace)
	}
	if c.searchErr != nil {
		return c.unreadable(c.searchErr, "operators outside of namespace "+c.operatorNamespace)
	}
	return unknown("there is no operator")
}
