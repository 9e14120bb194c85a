// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"

	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/version"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
)

// minimumKubernetes is the first version of Kubernetes that by default accepts the rules in our
// CustomResourceDefinitions.
const minimumKubernetes = "1.30.0"

func kubernetesVersion(_ context.Context, c *cluster) []Finding {
	have, err := version.ParseGeneric(c.version.GitVersion)
	if err != nil {
		return unknown("the cluster reports %q as its version", c.version.GitVersion)
	}
	if have.LessThan(version.MustParseGeneric(minimumKubernetes)) {
		return failed("upgrade the cluster to v"+minimumKubernetes+" or later",
			"the cluster has version %s, but v%s is needed", c.version.GitVersion, minimumKubernetes)
	}
	return ok("version %s", c.version.GitVersion)
}

func storage(ctx context.Context, c *cluster) []Finding {
	list, err := c.kubernetes.StorageV1().StorageClasses().List(ctx, metav1.ListOptions{})
	if err != nil {
		return c.unreadable(err, "StorageClasses")
	}
	var defaults []string
	for i := range list.Items {
		if list.Items[i].Annotations[apis.AnnotationDefaultStorageClass] == "true" {
			defaults = append(defaults, list.Items[i].Name)
		}
	}
	switch {
	case len(list.Items) == 0:
		return failed(
			"install a storage provisioner, or skip this check with --skip "+checkStorage+" if no sandbox has volumes",
			"there is no StorageClass: sandboxes with volumes stay Pending")
	case len(defaults) == 0:
		return failed(
			fmt.Sprintf("kubectl annotate storageclass %s %s=true", onlyClassName(list.Items),
				apis.AnnotationDefaultStorageClass),
			"no StorageClass is the default: volumes that do not name one stay Pending")
	case len(defaults) > 1:
		return warning("remove the annotation "+apis.AnnotationDefaultStorageClass+" from all but one",
			"several StorageClasses are the default: %s. The newest is used", strings.Join(defaults, ", "))
	}
	return ok("default StorageClass %s", defaults[0])
}

// onlyClassName returns the name of the only StorageClass, or a placeholder if there are several.
func onlyClassName(classes []storagev1.StorageClass) string {
	if len(classes) == 1 {
		return classes[0].Name
	}
	return "NAME"
}

func runtimeClasses(ctx context.Context, c *cluster) []Finding {
	list, err := c.kubernetes.NodeV1().RuntimeClasses().List(ctx, metav1.ListOptions{})
	if err != nil {
		return c.unreadable(err, "RuntimeClasses")
	}
	var have []string
	for i := range list.Items {
		have = append(have, list.Items[i].Name)
	}
	templates, err := c.dynamic.Resource(schema.GroupVersionResource{
		Group: apis.GroupExtensions, Version: apis.VersionV1beta1, Resource: "sandboxtemplates",
	}).List(ctx, metav1.ListOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return c.unreadable(err, "the RuntimeClasses that SandboxTemplates name")
	}
	if err == nil {
		if found := missingRuntimeClasses(templates.Items, have); len(found) > 0 {
			return found
		}
	}
	if len(have) == 0 {
		return ok("there are none: sandboxes use the default container runtime of the nodes")
	}
	return ok("%s", strings.Join(have, ", "))
}

// missingRuntimeClasses finds templates whose RuntimeClass does not exist.
func missingRuntimeClasses(templates []unstructured.Unstructured, have []string) []Finding {
	var found []Finding
	for i := range templates {
		template := &templates[i]
		// the API server validates the type of the field
		class, _, _ := unstructured.NestedString(template.Object, "spec", "podTemplate", "spec", "runtimeClassName")
		if class != "" && !slices.Contains(have, class) {
			found = append(found, failed("install the runtime and its RuntimeClass, or change the template",
				"SandboxTemplate %s/%s names RuntimeClass %s, which does not exist",
				template.GetNamespace(), template.GetName(), class)...)
		}
	}
	return found
}

// networkPlugins maps the names of the DaemonSets of network plugins to whether they enforce NetworkPolicies.
func networkPlugins() map[string]bool {
	return map[string]bool{
		"calico-node":           true,
		"cilium":                true,
		"antrea-agent":          true,
		"kube-router":           true,
		"weave-net":             true,
		"ovnkube-node":          true,
		"azure-npm":             true,
		"kube-network-policies": true,
		"canal":                 true,
		"anetd":                 true,
		"kube-flannel-ds":       false,
		"kube-flannel":          false,
	}
}

func networkPolicy(ctx context.Context, c *cluster) []Finding {
	list, err := c.kubernetes.AppsV1().DaemonSets(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
	if err != nil {
		return c.unreadable(err, "the network plugin")
	}
	without := ""
	for i := range list.Items {
		name := list.Items[i].Name
		enforces, known := networkPlugins()[name]
		if known && enforces {
			return ok("%s enforces NetworkPolicies", name)
		}
		if known {
			without = name
		}
	}
	if without != "" {
		return warning("add a network plugin that enforces them, such as Calico, Cilium or kube-network-policies",
			"%s does not enforce NetworkPolicies: sandboxes can reach the network and each other", without)
	}
	return unknown("no known network plugin runs as a DaemonSet: it is unknown whether NetworkPolicies are enforced")
}

func metrics(ctx context.Context, c *cluster) []Finding {
	if c.deployment == nil {
		return c.noOperator()
	}
	if address, _ := c.options().Flag("metrics-bind-address"); address == "0" {
		return ok("the operator's metrics are turned off")
	}
	_, err := c.kubernetes.CoreV1().Services(c.operatorNamespace).Get(ctx, apis.OperatorName, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return failed(c.repairCommand(), "the Service %s/%s, where metrics are scraped, does not exist",
			c.operatorNamespace, apis.OperatorName)
	case err != nil:
		return c.unreadable(err, "the operator's Service")
	}
	groups, err := c.discovery.ServerGroups()
	if err != nil {
		return c.unreadable(err, "the API groups")
	}
	usage := "; there is no metrics-server, so the resource usage of sandboxes is unknown"
	if slices.ContainsFunc(groups.Groups, func(g metav1.APIGroup) bool { return g.Name == "metrics.k8s.io" }) {
		usage = ""
	}
	return ok("Service %s/%s%s", c.operatorNamespace, apis.OperatorName, usage)
}
