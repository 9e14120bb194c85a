// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package install

import (
	"bytes"
	"os"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	manifests "github.com/agent-sandbox/kubectl-sandbox/operator/install"
	"github.com/agent-sandbox/kubectl-sandbox/plugin"
	"github.com/agent-sandbox/kubectl-sandbox/test/integration/apiserver"
)

var server *apiserver.Server

func TestMain(m *testing.M) {
	os.Exit(apiserver.Run(m, func(s *apiserver.Server) { server = s }, apiserver.WithoutCRDs()))
}

// runAs runs install or uninstall as the user of a kubeconfig.
func runAs(t *testing.T, kubeconfig, command string, args ...string) (out, errOut string, err error) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	streams := genericiooptions.IOStreams{In: strings.NewReader(""), Out: &stdout, ErrOut: &stderr}
	cmd := plugin.NewCommand("kubectl sandbox", clock.RealClock{}, streams)
	cmd.SetArgs(append([]string{command, "--kubeconfig", kubeconfig}, args...))
	err = cmd.ExecuteContext(t.Context())
	return stdout.String(), stderr.String(), err
}

// presentObjects returns the names of the manifests' objects that exist in the cluster.
func presentObjects(t *testing.T) []string {
	t.Helper()
	objects, err := manifests.Render(manifests.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, object := range objects {
		_, err := manifests.Resource(dynamic.NewForConfigOrDie(server.Config()),
			object).Get(t.Context(), object.GetName(), metav1.GetOptions{})
		switch {
		case err == nil:
			names = append(names, manifests.ResourceName(object))
		case !apierrors.IsNotFound(err):
			t.Fatal(err)
		}
	}
	return names
}

// TestInstall tests an installation from the first refusal to uninstall. Each step needs the results of earlier ones.
func TestInstall(t *testing.T) {
	admin := server.Kubeconfig()

	nobody := server.User(t, "nobody", "")
	_, _, err := runAs(t, nobody.Kubeconfig, "install", "--wait=false")
	if err == nil || !strings.Contains(err.Error(), "create customresourcedefinitions.apiextensions.k8s.io") ||
		!strings.Contains(err.Error(), "cluster-admin") {
		t.Errorf("without permissions: %v", err)
	}

	// This user may write all installed objects, but must not grant the operator more permissions than it has.
	every := []string{"*"}
	limited := server.User(t, "limited", "", rbacv1.PolicyRule{
		APIGroups: []string{"", "apps", "apiextensions.k8s.io", "rbac.authorization.k8s.io"}, Resources: every,
		Verbs: []string{"get", "list", "create", "patch"},
	})
	_, _, err = runAs(t, limited.Kubeconfig, "install", "--wait=false")
	if err == nil || !strings.Contains(err.Error(), "nothing was changed") {
		t.Errorf("with an escalation: %v", err)
	}

	if _, _, err := runAs(t, admin, "install", "--dry-run=server"); err != nil {
		t.Errorf("dry run: %v", err)
	}
	foreign := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: apis.OperatorName}}
	roles := kubernetes.NewForConfigOrDie(server.Config()).RbacV1().ClusterRoles()
	if _, err := roles.Create(t.Context(), foreign, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	_, _, err = runAs(t, admin, "install", "--wait=false")
	if err == nil || !strings.Contains(err.Error(), "clusterrole.rbac.authorization.k8s.io/"+apis.OperatorName) {
		t.Errorf("with a foreign ClusterRole: %v", err)
	}
	if got := strings.Join(presentObjects(t), " "); got != "clusterrole.rbac.authorization.k8s.io/"+apis.OperatorName {
		t.Fatalf("something was written although it was refused: %s", got)
	}
	if _, _, err = runAs(t, admin, "uninstall", "--yes"); err != nil {
		t.Errorf("uninstall of nothing: %v", err)
	}
	if err := roles.Delete(t.Context(), apis.OperatorName, metav1.DeleteOptions{}); err != nil {
		t.Fatalf("the foreign ClusterRole is gone: %v", err)
	}

	out, _, err := runAs(t, admin, "install", "--wait=false")
	if err != nil || strings.Count(out, " created\n") != len(presentObjects(t)) {
		t.Errorf("first install: %v\n%s", err, out)
	}
	out, _, err = runAs(t, admin, "install", "--wait=false")
	if err != nil || strings.Count(out, " unchanged\n") != len(presentObjects(t)) {
		t.Errorf("second install: %v\n%s", err, out)
	}
	out, _, err = runAs(t, admin, "install", "--wait=false", "--image", "localhost/operator:v2")
	if err != nil || strings.Count(out, " configured\n") != 1 ||
		!strings.Contains(out, "deployment.apps/"+apis.OperatorName+" configured\n") {
		t.Errorf("another image: %v\n%s", err, out)
	}
	checkServedVersions(t)
	checkRouters(t)
	checkKeptChanges(t)
	_, errOut, err := runAs(t, admin, "install", "--timeout", "1s")
	if plugin.ExitCode(err) != 124 || !strings.Contains(errOut, "its Pod is not there yet") {
		t.Errorf("without kubelets the operator cannot run: %v\n%s", err, errOut)
	}
	if _, _, err := runAs(t, admin, "uninstall"); plugin.ExitCode(err) != 2 {
		t.Errorf("uninstall without a terminal and --yes: %v", err)
	}
	if _, _, err := runAs(t, nobody.Kubeconfig, "uninstall", "--yes"); err == nil {
		t.Error("uninstall without permissions did not fail")
	}
	if len(presentObjects(t)) != 16 {
		t.Errorf("after refused uninstalls there are %d objects", len(presentObjects(t)))
	}
}
