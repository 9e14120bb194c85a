// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package apply installs, upgrades and uninstalls the chart with Helm on a real API server.
package apply

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"helm.sh/helm/v4/pkg/action"
	helmchart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/kube"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/yaml"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/operator/install"
	"github.com/agent-sandbox/kubectl-sandbox/test/chart"
	"github.com/agent-sandbox/kubectl-sandbox/test/integration/apiserver"
)

const (
	directory         = "../../../operator/chart/agent-sandbox"
	operatorNamespace = apis.OperatorNamespace
)

var server *apiserver.Server

func TestMain(m *testing.M) {
	os.Exit(apiserver.Run(m, func(s *apiserver.Server) { server = s }, apiserver.WithoutCRDs()))
}

// helm returns a configuration of Helm for the operator's namespace.
func helm(t *testing.T) *action.Configuration {
	t.Helper()
	flags := genericclioptions.NewConfigFlags(false)
	file, namespace := server.Kubeconfig(), operatorNamespace
	flags.KubeConfig, flags.Namespace = &file, &namespace
	config := action.NewConfiguration()
	if err := config.Init(flags, operatorNamespace, "secret"); err != nil {
		t.Fatal(err)
	}
	return config
}

func values(t *testing.T, text string) map[string]any {
	t.Helper()
	all := map[string]any{}
	if err := yaml.Unmarshal([]byte("image: {tag: v1}\n"+text), &all); err != nil {
		t.Fatal(err)
	}
	return all
}

func load(t *testing.T, directory string) *helmchart.Chart {
	t.Helper()
	c, err := loader.Load(directory)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func ensureNamespace(t *testing.T, name string) {
	t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
	_, err := kubernetes.NewForConfigOrDie(server.Config()).CoreV1().Namespaces().Create(t.Context(), namespace,
		metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		t.Fatal(err)
	}
}

func installChart(t *testing.T, c *helmchart.Chart, text string, change func(*action.Install)) error {
	t.Helper()
	i := action.NewInstall(helm(t))
	i.ReleaseName, i.Namespace, i.WaitStrategy, i.ServerSideApply = chart.Name, operatorNamespace, kube.HookOnlyStrategy,
		true
	if change != nil {
		change(i)
	}
	_, err := i.Run(c, values(t, text))
	return err
}

func uninstallChart(t *testing.T) {
	t.Helper()
	u := action.NewUninstall(helm(t))
	u.WaitStrategy = kube.HookOnlyStrategy
	if _, err := u.Run(chart.Name); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, resource schema.GroupVersionResource, namespace, name string) *unstructured.Unstructured {
	t.Helper()
	client := dynamic.NewForConfigOrDie(server.Config()).Resource(resource)
	var object *unstructured.Unstructured
	var err error
	if namespace == "" {
		object, err = client.Get(t.Context(), name, metav1.GetOptions{})
	} else {
		object, err = client.Namespace(namespace).Get(t.Context(), name, metav1.GetOptions{})
	}
	if err != nil && !apierrors.IsNotFound(err) {
		t.Fatal(err)
	}
	if err != nil {
		return nil
	}
	return object
}

var (
	definitions = schema.GroupVersionResource{
		Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions",
	}
	sandboxes   = schema.GroupVersionResource{Group: apis.GroupAgents, Version: apis.VersionV1beta1, Resource: "sandboxes"}
	deployments = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
	secrets     = schema.GroupVersionResource{Version: "v1", Resource: "secrets"}
)

// definesField reports whether the definition of Sandboxes has the field.
func definesField(t *testing.T, field string) bool {
	t.Helper()
	content, err := json.Marshal(get(t, definitions, "", apis.CRDSandboxes).Object)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Contains(content, []byte(`"`+field+`":{`))
}

// olderChart returns the chart with a definition of Sandboxes without spec.operatingMode.
func olderChart(t *testing.T) *helmchart.Chart {
	t.Helper()
	c := load(t, directory)
	for _, file := range c.Files {
		if strings.HasSuffix(file.Name, "_sandboxes.yaml") {
			file.Data = bytes.ReplaceAll(file.Data, []byte("operatingMode:\n"), []byte("formerMode:\n"))
		}
	}
	return c
}

// TestALifeOfARelease installs an older chart, upgrades it, uninstalls it and installs it again. Each step needs the
// one before.
func TestALifeOfARelease(t *testing.T) {
	ensureNamespace(t, operatorNamespace)
	if err := installChart(t, olderChart(t), "", nil); err != nil {
		t.Fatal(err)
	}
	if definesField(t, "operatingMode") {
		t.Fatal("the older chart has the newer definition")
	}
	box := `{"apiVersion":"agents.x-k8s.io/v1beta1","kind":"Sandbox","metadata":{"name":"box"},` +
		`"spec":{"podTemplate":{"spec":{"containers":[{"name":"main","image":"x"}]}}}}`
	stderr := ""
	_ = wait.PollUntilContextTimeout(t.Context(), 100*time.Millisecond, time.Minute, true,
		func(context.Context) (created bool, _ error) {
			var err error // the API server serves a new kind a moment after its definition
			_, stderr, err = server.Kubectl(t, box, "-n", "default", "create", "-f", "-")
			return err == nil, nil
		})
	was := get(t, sandboxes, "default", "box")
	if was == nil {
		t.Fatalf("no Sandbox: %s", stderr)
	}

	u := action.NewUpgrade(helm(t))
	u.Namespace, u.WaitStrategy, u.ServerSideApply = operatorNamespace, kube.HookOnlyStrategy, "true"
	if _, err := u.Run(chart.Name, load(t, directory),
		values(t, "controller: {extensions: true}\nreplicaCount: 2")); err != nil {
		t.Fatal(err)
	}
	if !definesField(t, "operatingMode") {
		t.Error("the upgrade left the old definition")
	}
	if now := get(t, sandboxes, "default", "box"); now == nil || now.GetUID() != was.GetUID() {
		t.Error("the upgrade lost a Sandbox")
	}
	// the Deployment is valid
	replicas, _, _ := unstructured.NestedInt64(get(t, deployments, operatorNamespace, apis.OperatorName).Object, "spec",
		"replicas")
	if replicas != 2 {
		t.Errorf("%d replicas", replicas)
	}
	checkReleaseSize(t)

	uninstallChart(t)
	if get(t, deployments, operatorNamespace, apis.OperatorName) != nil {
		t.Error("the operator still exists")
	}
	if now := get(t, sandboxes, "default", "box"); now == nil || now.GetUID() != was.GetUID() {
		t.Error("uninstalling deleted the Sandboxes")
	}

	// The kept definitions have Helm's metadata, so the release can be installed again, and removed with them.
	if err := installChart(t, load(t, directory), "crds: {keep: false}", nil); err != nil {
		t.Fatal(err)
	}
	if _, stderr, err := server.Kubectl(t, "", "-n", "default", "delete", "sandbox", "box"); err != nil {
		t.Fatal(stderr)
	}
	uninstallChart(t)
	err := wait.PollUntilContextTimeout(t.Context(), 100*time.Millisecond, time.Minute, true,
		func(context.Context) (bool, error) {
			return get(t, definitions, "", apis.CRDSandboxes) == nil &&
				get(t, definitions, "", apis.CRDSandboxTemplates) == nil, nil
		})
	if err != nil {
		t.Error("with keep=false the definitions still exist")
	}
}

// checkReleaseSize checks the size of Helm's release Secret, which contains all definitions.
func checkReleaseSize(t *testing.T) {
	t.Helper()
	list, err := kubernetes.NewForConfigOrDie(server.Config()).CoreV1().Secrets(operatorNamespace).List(t.Context(),
		metav1.ListOptions{LabelSelector: "owner=helm,status=deployed"})
	if err != nil || len(list.Items) != 1 {
		t.Fatalf("%d releases (%v)", len(list.Items), err)
	}
	if size := len(list.Items[0].Data["release"]); size > 500_000 {
		t.Errorf("Helm's Secret has %d bytes, and the limit of a Secret is a million", size)
	}
}

func TestHelmTakesOverWhatThePluginInstalled(t *testing.T) {
	ensureNamespace(t, operatorNamespace)
	objects, err := install.Render(install.Options{})
	if err != nil {
		t.Fatal(err)
	}
	client := dynamic.NewForConfigOrDie(server.Config())
	for _, object := range objects {
		content, err := json.Marshal(object.Object)
		if err != nil {
			t.Fatal(err)
		}
		_, err = install.Resource(client, object).Patch(t.Context(), object.GetName(), types.ApplyPatchType, content,
			metav1.PatchOptions{FieldManager: apis.FieldOwnerPlugin, Force: new(true)})
		if err != nil {
			t.Fatal(err)
		}
	}
	was := get(t, deployments, operatorNamespace, apis.OperatorName).GetUID()
	err = installChart(t, load(t, directory), "controller: {extensions: true}", func(i *action.Install) {
		i.TakeOwnership, i.ForceConflicts = true, true
	})
	if err != nil {
		t.Fatal(err)
	}
	defer uninstallChart(t)
	if now := get(t, deployments, operatorNamespace, apis.OperatorName); now.GetUID() != was ||
		now.GetLabels()["app.kubernetes.io/managed-by"] != "Helm" {
		t.Errorf("%v", now.GetLabels())
	}
}
