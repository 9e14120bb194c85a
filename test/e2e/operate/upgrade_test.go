// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/crds"
	"github.com/agent-sandbox/kubectl-sandbox/operator/install"
	"github.com/agent-sandbox/kubectl-sandbox/test/e2e/harness"
)

// formerDefinition changes a definition to that of an earlier version: Sandboxes have no spec.operatingMode.
func formerDefinition(t *testing.T, o *unstructured.Unstructured) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	definition := &apiextensionsv1.CustomResourceDefinition{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, definition); err != nil {
		t.Fatal(err)
	}
	if definition.Name != apis.CRDSandboxes {
		return definition
	}
	for _, version := range definition.Spec.Versions {
		delete(version.Schema.OpenAPIV3Schema.Properties["spec"].Properties, "operatingMode")
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(definition)
	if err != nil {
		t.Fatal(err)
	}
	o.Object["spec"] = content["spec"]
	return definition
}

// previousManifests returns the manifests of an earlier version: its definitions and their hash, one role for the
// operator, and no roles for users.
func previousManifests(t *testing.T) string {
	t.Helper()
	objects, err := install.Render(install.Options{
		Image: harness.RequireEnv("E2E_IMAGE"), Args: []string{"--kube-api-qps=500"},
	})
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	var definitions []*apiextensionsv1.CustomResourceDefinition
	for _, o := range objects {
		labels := o.GetLabels()
		labels[apis.LabelVersion] = "v0.0.0-alpha"
		o.SetLabels(labels)
		switch {
		case o.GetKind() == "CustomResourceDefinition":
			definitions = append(definitions, formerDefinition(t, o))
		case o.GetKind() == "Deployment":
			hash, err := crds.Hash(definitions)
			if err != nil {
				t.Fatal(err)
			}
			if err := unstructured.SetNestedField(o.Object, hash, "spec", "template", "metadata", "annotations",
				"agents.x-k8s.io/crd-hash"); err != nil {
				t.Fatal(err)
			}
		case o.GetKind() == "ClusterRole" && strings.HasPrefix(o.GetName(), "agent-sandbox-controller-"):
			o.SetName("agent-sandbox-controller-former")
		case o.GetKind() == "ClusterRoleBinding" && strings.HasSuffix(o.GetName(), "-extensions"):
			o.SetName("agent-sandbox-controller-former")
			if err := unstructured.SetNestedField(o.Object, "agent-sandbox-controller-former", "roleRef", "name"); err != nil {
				t.Fatal(err)
			}
		case o.GetName() == "agent-sandbox-edit", o.GetName() == "agent-sandbox-view":
			continue
		}
		content, err := yaml.Marshal(o.Object)
		if err != nil {
			t.Fatal(err)
		}
		text.WriteString("---\n" + string(content))
	}
	return text.String()
}

func TestAnUpgradeKeepsSandboxesAndChoices(t *testing.T) {
	h := harness.New(t)
	operator(h, "uninstall", "--yes")
	manifests := filepath.Join(t.TempDir(), "previous.yaml")
	if err := os.WriteFile(manifests, []byte(previousManifests(t)), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := h.KubectlWithoutNamespace("apply", "--server-side", "-f", manifests); r.Code != 0 {
		t.Fatal(r)
	}
	h.MustKubectl("-n", operatorNamespace, "rollout", "status", "deployment/"+apis.OperatorName, "--timeout=120s")
	h.Eventually("a Sandbox", func() error {
		if r := h.Plugin("create", "box", "--image", harness.ImageShell, "--wait"); r.Code != 0 {
			return fmt.Errorf("%v", r)
		}
		return nil
	})
	was := h.Ready("box")
	pod, process := h.OwnedPods(was)[0].UID, operatorPods(h)

	if r := h.Plugin("upgrade", "--namespace", operatorNamespace); r.Code != 2 || !strings.Contains(r.Stderr, "--image") {
		t.Errorf("an upgrade to an unpublished image: %v", r)
	}
	out := operator(h, "upgrade", "--image", harness.RequireEnv("E2E_IMAGE"))
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if first := lines[0]; first != "customresourcedefinition.apiextensions.k8s.io/"+apis.CRDSandboxes+" configured" {
		t.Errorf("the first thing that was done is %q", first)
	}
	for _, want := range []string{
		"clusterrole.rbac.authorization.k8s.io/agent-sandbox-edit created",
		"clusterrole.rbac.authorization.k8s.io/agent-sandbox-controller-extensions created",
		"clusterrole.rbac.authorization.k8s.io/agent-sandbox-controller-former deleted",
		"clusterrolebinding.rbac.authorization.k8s.io/agent-sandbox-controller-former deleted",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("not %q in:\n%s", want, out)
		}
	}
	now := h.Ready("box")
	if pods := h.OwnedPods(now); now.UID != was.UID || len(pods) != 1 || pods[0].UID != pod {
		t.Error("the upgrade touched a Sandbox")
	}
	args := h.MustKubectl("-n", operatorNamespace, "get", "deployment", apis.OperatorName, "-o",
		"jsonpath={.spec.template.spec.containers[0].args}")
	if !strings.Contains(args, "--kube-api-qps=500") {
		t.Errorf("the upgrade lost an argument: %s", args)
	}
	// The image is the same, but the changed definitions must replace the operator: its cache lacks the new field.
	replaced := operatorPods(h)
	if slices.Contains(replaced, process[0]) {
		t.Errorf("the operator %v still runs with the former definitions", process)
	}
	h.Edit("box", func(s *agentsv1beta1.Sandbox) { s.Spec.OperatingMode = new(agentsv1beta1.OperatingModeSuspended) })
	h.Condition("box", "Suspended=True/PodTerminated")
	waitUntilHealthy(h)

	if out := operator(h, "upgrade", "--image",
		harness.RequireEnv("E2E_IMAGE")); !strings.Contains(out, "deployment.apps/"+apis.OperatorName+" unchanged") {
		t.Errorf("an upgrade to the same:\n%s", out)
	}
	if now := operatorPods(h); !slices.Equal(now, replaced) {
		t.Errorf("an upgrade to the same replaced the operator %v by %v", replaced, now)
	}
}

// operatorPods returns the names of the operator's Pods that are not being deleted.
func operatorPods(h *harness.T) []string {
	h.Helper()
	names := `{{range .items}}{{if not .metadata.deletionTimestamp}}{{.metadata.name}} {{end}}{{end}}`
	return strings.Fields(h.MustKubectl("-n", operatorNamespace, "get", "pods", "-l", "app="+apis.OperatorName, "-o",
		"go-template="+names))
}

func TestAnOperatorOfSomeNamespacesLeavesTheOthersAlone(t *testing.T) {
	mine, other := harness.New(t), harness.New(t)
	image := harness.RequireEnv("E2E_IMAGE")
	operator(mine, "install", "--image", image, "--watch-namespaces", mine.Namespace)
	if r := mine.KubectlWithoutNamespace("get", "clusterrolebinding", apis.OperatorName); r.Code == 0 {
		t.Error("the operator still has permissions in all namespaces")
	}
	mine.Must("create", "box", "--image", harness.ImageShell, "--wait")
	waitUntilHealthy(mine)
	found, _ := runDoctor(other)
	if f := found["flags"]; !strings.Contains(f.Message, "no operator manages sandboxes in namespace "+other.Namespace) {
		t.Errorf("%+v", f)
	}
	other.Create(other.NewSandbox("ignored"))
	mine.Must("create", "second", "--image", harness.ImageShell, "--wait")
	var ignored agentsv1beta1.Sandbox
	if other.Get("ignored", &ignored); len(ignored.Status.Conditions) > 0 {
		t.Errorf("%v", harness.FormatConditions(&ignored))
	}
	operator(mine, "install", "--watch-namespaces=")
	other.Ready("ignored")
	if r := mine.Kubectl("get", "roles,rolebindings", "-o", "name"); r.Stdout != "" {
		t.Errorf("left behind: %s", r.Stdout)
	}
}
