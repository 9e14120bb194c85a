// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package install

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
)

const tenant = "team-a"

// routed is an installation with routers.
type routed struct {
	*testing.T

	client kubernetes.Interface
}

// install runs install or upgrade, and returns what it prints.
func (r *routed) install(command string, args ...string) string {
	r.Helper()
	out, errOut, err := runAs(r.T, server.Kubeconfig(), command, append([]string{"--wait=false"}, args...)...)
	if err != nil {
		r.Fatalf("%s %v: %v\n%s%s", command, args, err, out, errOut)
	}
	return out
}

// keys returns the signing keys of both routers.
func (r *routed) keys() [2]string {
	r.Helper()
	var keys [2]string
	for i, namespace := range []string{apis.OperatorNamespace, tenant} {
		secrets := r.client.CoreV1().Secrets(namespace)
		secret, err := secrets.Get(r.Context(), "sandbox-router-signing-key", metav1.GetOptions{})
		if err != nil || len(secret.Data["signing-key"]) < 32 {
			r.Fatalf("the key in %s: %v", namespace, err)
		}
		keys[i] = string(secret.Data["signing-key"])
	}
	return keys
}

// checkRouters tests routers from their installation to their removal, beside the operator and in a tenant's namespace.
func checkRouters(t *testing.T) {
	t.Helper()
	r := &routed{t, kubernetes.NewForConfigOrDie(server.Config())}
	before := len(presentObjects(t))
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: tenant}}
	if _, err := r.client.CoreV1().Namespaces().Create(t.Context(), namespace, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if out := r.install("install", "--router", "--router-namespaces", tenant, "--dry-run=server"); !strings.Contains(out,
		"secret/sandbox-router-signing-key created (server dry run)") {
		t.Errorf("a dry run: %s", out)
	}
	out := r.install("install", "--router", "--router-namespaces", tenant)
	for what, want := range map[string]int{
		"deployment.apps/sandbox-router-deployment created": 2, "secret/sandbox-router-signing-key created": 2,
		"service/sandbox-router-svc created": 2, "deployment.apps/agent-sandbox-controller configured": 1,
	} {
		if got := strings.Count(out, what); got != want {
			t.Errorf("%d times %q in:\n%s", got, what, out)
		}
	}
	r.checkUpgrades()
	r.checkIdentity()
	if out := r.install("install", "--router=false", "--router-namespaces="); strings.Count(out,
		"sandbox-router-deployment deleted") != 2 {
		t.Errorf("without routers: %s", out)
	}
	if now := len(presentObjects(t)); now != before {
		t.Errorf("%d objects of %d are left", now, before)
	}
	for _, resources := range []string{
		"serviceaccounts,services,networkpolicies,poddisruptionbudgets,deployments,secrets,roles,rolebindings",
		"clusterroles,clusterrolebindings,validatingadmissionpolicies,validatingadmissionpolicybindings",
	} {
		left, stderr, err := server.Kubectl(t, "", "get", resources, "--all-namespaces", "-l", "app=sandbox-router",
			"-o", "name")
		if err != nil || left != "" {
			t.Errorf("left behind: %s%s", left, stderr)
		}
	}
}

// checkUpgrades checks that what is installed over routers keeps them, their keys and what an administrator chose.
func (r *routed) checkUpgrades() {
	r.Helper()
	keys := r.keys()
	if keys[0] == keys[1] {
		r.Error("a tenant's router has the key of the other one")
	}
	const router = "deployment/sandbox-router-deployment"
	for _, change := range [][]string{
		{"scale", router, "--replicas=3"}, {"set", "env", router, "PROXY_TIMEOUT_SECONDS=60"},
	} {
		if _, stderr, err := server.Kubectl(r.T, "", append(change, "--namespace", tenant)...); err != nil {
			r.Fatal(stderr)
		}
	}
	out := r.install("upgrade")
	for line := range strings.SplitSeq(strings.TrimSpace(out), "\n") {
		if !strings.HasSuffix(line, " unchanged") {
			r.Errorf("an upgrade to the same: %s", line)
		}
	}
	if strings.Count(out, "deployment.apps/sandbox-router-deployment unchanged") != 2 {
		r.Errorf("an upgrade lost a router:\n%s", out)
	}
	d, err := r.client.AppsV1().Deployments(tenant).Get(r.Context(), "sandbox-router-deployment", metav1.GetOptions{})
	if err != nil {
		r.Fatal(err)
	}
	if env := d.Spec.Template.Spec.Containers[0].Env; *d.Spec.Replicas != 3 || len(env) != 1 || env[0].Value != "60" {
		r.Errorf("%d replicas, environment %v", *d.Spec.Replicas, env)
	}
	out = r.install("install", "--force-conflicts", "--image", "localhost/operator:v2", "--router-arg=--resume-on-request")
	if strings.Count(out, "sandbox-router-deployment configured") != 2 ||
		!strings.Contains(out, "role.rbac.authorization.k8s.io/sandbox-router-local configured") {
		r.Errorf("a flag with its permission: %s", out)
	}
	if now := r.keys(); now != keys {
		r.Error("an upgrade replaced a key")
	}
}

// checkIdentity checks that nobody who may create Pods in the tenant's namespace gets one that policies take for the
// router.
func (r *routed) checkIdentity() {
	r.Helper()
	every := []string{"get", "create", "update", "patch", "delete"}
	user := server.User(r.T, "tenant", "", rbacv1.PolicyRule{
		APIGroups: []string{"", "apps"}, Resources: []string{"pods", "replicasets", "deployments"}, Verbs: every,
	})
	mine := kubernetes.NewForConfigOrDie(user.Config)
	pod := func(name string, labels map[string]string) *corev1.Pod {
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}, Spec: corev1.PodSpec{
			Containers: []corev1.Container{{Name: "main", Image: "localhost/x:v1"}},
		}}
	}
	router := map[string]string{apis.LabelApp: apis.AppRouter}
	create := func(client kubernetes.Interface, namespace string, labels map[string]string) error {
		options := metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}
		_, err := client.CoreV1().Pods(namespace).Create(r.Context(), pod("poser", labels), options)
		return err
	}
	err := wait.PollUntilContextTimeout(r.Context(), 100*time.Millisecond, time.Minute, true,
		func(context.Context) (bool, error) { // the API server takes a moment to apply a policy
			return apierrors.IsForbidden(create(mine, tenant, router)), nil
		})
	if err == nil {
		err = create(mine, tenant, router)
	}
	if err == nil || !strings.Contains(err.Error(), "as its router") {
		r.Fatalf("a tenant's Pod poses as the router: %v", err)
	}
	if err := create(mine, tenant, map[string]string{apis.LabelApp: "other"}); err != nil {
		r.Errorf("another Pod: %v", err)
	}
	if err := create(mine, "default", router); err != nil {
		r.Errorf("in a namespace without a router: %v", err)
	}
	if err := create(r.client, tenant, router); err != nil {
		r.Errorf("an administrator's Pod: %v", err)
	}
	if _, err := mine.CoreV1().Pods(tenant).Create(r.Context(), pod("plain", nil), metav1.CreateOptions{}); err != nil {
		r.Fatal(err)
	}
	if _, err := r.client.CoreV1().Pods(tenant).Create(r.Context(), pod("real", router),
		metav1.CreateOptions{}); err != nil {
		r.Fatal(err)
	}
	const deployments, pods = "deployments", "pods"
	for patch, refused := range map[[3]string]bool{
		{pods, "plain", `{"metadata":{"labels":{"app":"sandbox-router"}}}`}:                                         true,
		{pods, "plain", `{"metadata":{"labels":{"app":"plain"}}}`}:                                                  false,
		{pods, "real", `{"metadata":{"annotations":{"a":"b"}}}`}:                                                    false,
		{pods, "real", `{"spec":{"containers":[{"name":"main","image":"localhost/evil:v1"}]}}`}:                     true,
		{deployments, "sandbox-router-deployment", `{"metadata":{"annotations":{"a":"b"}}}`}:                        false,
		{deployments, "sandbox-router-deployment", `{"spec":{"template":{"spec":{"hostNetwork":true}}}}`}:           true,
		{deployments, "sandbox-router-deployment", `{"spec":{"template":{"spec":{"serviceAccountName":"other"}}}}`}: true,
	} {
		if err := r.patch(mine, patch); apierrors.IsForbidden(err) != refused || err != nil && !refused {
			r.Errorf("%v: %v", patch, err)
		}
	}
	for _, name := range []string{"plain", "real"} {
		if err := r.client.CoreV1().Pods(tenant).Delete(r.Context(), name, metav1.DeleteOptions{}); err != nil {
			r.Error(fmt.Errorf("delete %s: %w", name, err))
		}
	}
}

// patch patches an object of the tenant's namespace in a dry run: a resource, a name, and the patch.
func (r *routed) patch(client kubernetes.Interface, what [3]string) error {
	request := client.CoreV1().RESTClient().Patch(types.StrategicMergePatchType)
	if what[0] == "deployments" {
		request = client.AppsV1().RESTClient().Patch(types.StrategicMergePatchType)
	}
	return request.Namespace(tenant).Resource(what[0]).Name(what[1]).Param("dryRun", metav1.DryRunAll).
		Body([]byte(what[2])).Do(r.Context()).Error()
}
