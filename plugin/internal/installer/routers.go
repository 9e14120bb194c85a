// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package installer

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/operator/install"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
)

// ListRouters returns the Deployments of the routers in all namespaces, whatever tool installed them.
func ListRouters(ctx context.Context, client kubernetes.Interface) ([]appsv1.Deployment, error) {
	list, err := client.AppsV1().Deployments(metav1.NamespaceAll).List(ctx, metav1.ListOptions{
		LabelSelector: apis.LabelApp + "=" + apis.AppRouter + "," + apis.LabelPartOf + "=" + install.PartOf,
	})
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(list.Items, func(d appsv1.Deployment) bool { return d.Name != apis.RouterDeployment }), nil
}

// readRouters returns the routers that this program installed. known is false if the user may not list them.
func (a *applier) readRouters(ctx context.Context) (routers []appsv1.Deployment, known bool, err error) {
	routers, err = ListRouters(ctx, a.kubernetes)
	if apierrors.IsForbidden(err) {
		return nil, false, nil
	}
	return slices.DeleteFunc(routers, func(d appsv1.Deployment) bool {
		return d.Labels[apis.LabelManagedBy] != apis.FieldOwnerPlugin
	}), err == nil, err
}

// mergeRouters sets the routers that result from the choices and the installed ones. remarks are for the user.
func (c *Choices) mergeRouters(
	o *install.Options, installed []appsv1.Deployment, program, ours string,
) (remarks []string, err error) {
	named := func(namespace string) func(appsv1.Deployment) bool {
		return func(d appsv1.Deployment) bool { return d.Namespace == namespace }
	}
	var merged []install.Router
	for _, namespace := range c.routerNamespaces(o, installed) {
		router, image := install.Router{Namespace: namespace, Env: o.Env}, routerImage(c.RouterImage)
		if at := slices.IndexFunc(installed, named(namespace)); at >= 0 {
			image.from(&installed[at], install.InstalledRouter(&installed[at]).Image)
			if router.Env = nil; !c.Defaults {
				router = install.InstalledRouter(&installed[at])
				if router.Env, err = ownVariables(&installed[at], apis.AppRouter, router.Env); err != nil {
					return nil, err
				}
			}
		} else if len(installed) > 0 { // a new router runs what the others run, with the variables of the operator
			image.from(&installed[0], install.InstalledRouter(&installed[0]).Image)
		}
		router.Args, router.Env = mergeArgs(router.Args, c.RouterArgs), mergeEnv(router.Env, c.Env)
		var remark string
		if router.Image, remark, err = c.chooseImage(image, program, ours); err != nil {
			return nil, err
		}
		if remark != "" && !slices.Contains(remarks, remark) {
			remarks = append(remarks, remark)
		}
		merged = append(merged, router)
	}
	if len(merged) == 0 && (c.RouterImage != "" || len(c.RouterArgs) > 0) {
		return nil, cli.UsageError(errors.New("there is no router that --router-image or --router-arg could be for: " +
			"--router installs one"))
	}
	o.Routers = merged
	return remarks, nil
}

// routerNamespaces returns the namespaces that get or keep a router.
func (c *Choices) routerNamespaces(o *install.Options, installed []appsv1.Deployment) []string {
	home := cmp.Or(o.Namespace, apis.OperatorNamespace)
	var tenants []string
	beside := false
	found := func(namespace string) {
		if namespace == home {
			beside = true
		} else if !slices.Contains(tenants, namespace) {
			tenants = append(tenants, namespace)
		}
	}
	for i := range installed {
		found(installed[i].Namespace)
	}
	for _, router := range o.Routers {
		found(router.Namespace)
	}
	if c.Router != nil {
		beside = *c.Router
	}
	if c.RouterNamespaces != nil {
		tenants = c.RouterNamespaces
	}
	if beside {
		return append([]string{home}, tenants...)
	}
	return tenants
}

// asked returns the routers that the user asked for, for a check of the flags.
func (c *Choices) asked() []install.Router {
	all := []install.Router{{Image: c.RouterImage}}
	for _, namespace := range c.RouterNamespaces {
		all = append(all, install.Router{Namespace: namespace})
	}
	return all
}

// withKeys inserts the Secret with the signing key before the Deployment of each router.
func withKeys(objects []*unstructured.Unstructured) []*unstructured.Unstructured {
	var all []*unstructured.Unstructured
	for _, object := range objects {
		if install.IsRouter(object) {
			all = append(all, install.SigningKey(object.GetNamespace()))
		}
		all = append(all, object)
	}
	return all
}

func isSigningKey(object *unstructured.Unstructured) bool {
	return object.GetKind() == "Secret" && object.GetName() == install.SigningKeyName
}

// createKey creates the Secret with a new signing key. A Secret that exists is left as it is, whoever made it: another
// key would end all tokens.
func (a *applier) createKey(ctx context.Context, s step, dryRun bool) (*unstructured.Unstructured, error) {
	if s.have != nil {
		return s.have, nil
	}
	secret := s.want.DeepCopy()
	key := rand.Text() + rand.Text() // 52 characters, 256 bits of randomness
	if err := unstructured.SetNestedField(secret.Object, key, "stringData", install.SigningKeyEntry); err != nil {
		return nil, err
	}
	options := metav1.CreateOptions{FieldManager: apis.FieldOwnerPlugin}
	if dryRun {
		options.DryRun = []string{metav1.DryRunAll}
	}
	got, err := install.Resource(a.dynamic, secret).Create(ctx, secret, options)
	if apierrors.IsAlreadyExists(err) { // somebody else has just installed the router
		return a.get(ctx, secret)
	}
	return got, err
}
