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

// minimumKubernetes is the first Kubernetes whose API server takes the rules in our CustomResourceDefinitions by default.
const minimumKubernetes = "1.30.0"

func kubernetesVersion(_ context.Context, p *cluster) []Finding {
	have, err := version.ParseGeneric(p.version.GitVersion)
	if err != nil {
		return unknown("the cluster calls its version %q", p.version.GitVersion)
	}
	if have.LessThan(version.MustParseGeneric(minimumKubernetes)) {
		return failed(
			"upgrade the cluster to v"+minimumKubernetes+" or later", "the cluster is of version %s, and v%s is needed",
			p.version.GitVersion, minimumKubernetes,
		)
	}
	return ok("version %s", p.version.GitVersion)
}

// annotationDefaultClass marks the StorageClass of volumes that name none.
const annotationDefaultClass = "storageclass.kubernetes.io/is-default-class"

func storage(ctx context.Context, p *cluster) []Finding {
	list, err := p.kubernetes.StorageV1().StorageClasses().List(ctx, all())
	if err != nil {
		return unreadable(err, "StorageClasses")
	}
	var defaults []string
	for i := range list.Items {
		if list.Items[i].Annotations[annotationDefaultClass] == "true" {
			defaults = append(defaults, list.Items[i].Name)
		}
	}
	switch {
	case len(list.Items) == 0:
		return failed(
			"install a storage provisioner, or leave this out with --skip "+checkStorage+" if no sandbox has volumes",
			"there is no StorageClass: sandboxes with volumes stay Pending",
		)
	case len(defaults) == 0:
		return failed(fmt.Sprintf("kubectl annotate storageclass %s %s=true", onlyClassName(list.Items), annotationDefaultClass),
			"no StorageClass is the default: volumes that name none stay Pending")
	case len(defaults) > 1:
		return warning(
			"take the annotation "+annotationDefaultClass+" from all but one",
			"several StorageClasses are the default: %s. "+
				"The newest is used",
			strings.Join(defaults, ", "),
		)
	}
	return ok("default StorageClass %s", defaults[0])
}

// onlyClassName is the only StorageClass, or a word in its place.
func onlyClassName(classes []storagev1.StorageClass) string {
	if len(classes) == 1 {
		return classes[0].Name
	}
	return "NAME"
}

func runtimeClasses(ctx context.Context, p *cluster) []Finding {
	list, err := p.kubernetes.NodeV1().RuntimeClasses().List(ctx, all())
	if err != nil {
		return unreadable(err, "RuntimeClasses")
	}
	var have []string
	for i := range list.Items {
		have = append(have, list.Items[i].Name)
	}
	templates, err := p.dynamic.Resource(schema.GroupVersionResource{
		Group: apis.GroupExtensions, Version: apis.VersionV1beta1, Resource: "sandboxtemplates",
	}).List(ctx, all())
	if err != nil && !apierrors.IsNotFound(err) {
		return unreadable(err, "the RuntimeClasses that SandboxTemplates want")
	}
	if err == nil {
		if found := missingRuntimeClasses(templates.Items, have); len(found) > 0 {
			return found
		}
	}
	if len(have) == 0 {
		return ok("there is none: sandboxes run with the nodes' own container runtime")
	}
	return ok("%s", strings.Join(have, ", "))
}

// missingRuntimeClasses finds templates whose RuntimeClass does not exist.
func missingRuntimeClasses(templates []unstructured.Unstructured, have []string) []Finding {
	var found []Finding
	for i := range templates {
		class, _, _ := unstructured.NestedString(
			templates[i].Object, "spec", "podTemplate", "spec", "runtimeClassName",
		) // of a valid object
		if class != "" && !slices.Contains(have, class) {
			found = append(found, failed(
				"install the runtime and its RuntimeClass, or change the template",
				"SandboxTemplate %s/%s wants RuntimeClass %s, which does not exist", templates[i].GetNamespace(),
				templates[i].GetName(), class,
			)...)
		}
	}
	return found
}

// networkPlugins are network plugins by the names of their DaemonSets, and whether they enforce NetworkPolicies.
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

func networkPolicy(ctx context.Context, p *cluster) []Finding {
	list, err := p.kubernetes.AppsV1().DaemonSets(metav1.NamespaceAll).List(ctx, all())
	if err != nil {
		return unreadable(err, "the network plugin")
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
		return warning("add a network plugin that does, such as Calico, Cilium or kube-network-policies",
			"%s enforces no NetworkPolicies: sandboxes reach the network and each other", without)
	}
	return unknown(
		"no known network plugin is installed as a DaemonSet: whether NetworkPolicies are enforced cannot be told",
	)
}

func metrics(ctx context.Context, p *cluster) []Finding {
	if p.deployment == nil {
		return p.noOperator()
	}
	if address, _ := p.options().Flag("metrics-bind-address"); address == "0" {
		return ok("the operator's metrics are turned off")
	}
	_, err := p.kubernetes.CoreV1().Services(p.operatorNamespace).Get(ctx, apis.OperatorName, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return failed(p.repairCommand(), "the Service %s/%s, where metrics are scraped, does not exist", p.operatorNamespace, apis.OperatorName)
	case err != nil:
		return unreadable(err, "the operator's Service")
	}
	groups, err := p.discovery.ServerGroups()
	if err != nil {
		return unreadable(err, "the API groups")
	}
	usage := "; no metrics-server tells what sandboxes use"
	if slices.ContainsFunc(groups.Groups, func(g metav1.APIGroup) bool { return g.Name == "metrics.k8s.io" }) {
		usage = ""
	}
	return ok("Service %s/%s%s", p.operatorNamespace, apis.OperatorName, usage)
}
