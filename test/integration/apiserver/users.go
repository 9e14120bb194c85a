// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// User is a user with only the permissions that were granted.
type User struct {
	Config     *rest.Config
	Kubeconfig string
}

// User creates a user and grants the rules in the namespace, or in all namespaces if it is empty. Without rules the
// user can authenticate but has no permissions.
func (s *Server) User(t testing.TB, name, namespace string, rules ...rbacv1.PolicyRule) User {
	t.Helper()
	user, err := s.env.AddUser(envtest.User{Name: name, Groups: []string{"system:authenticated"}}, &rest.Config{QPS: -1})
	if err != nil {
		t.Fatalf("add user %s: %v", name, err)
	}
	kubeconfig, err := user.KubeConfig()
	if err != nil {
		t.Fatalf("write a kubeconfig for %s: %v", name, err)
	}
	file := filepath.Join(t.TempDir(), name+".kubeconfig")
	if err := os.WriteFile(file, kubeconfig, 0o600); err != nil {
		t.Fatal(err)
	}
	if len(rules) > 0 {
		s.Grant(t, name, namespace, rules...)
	}
	return User{Config: user.Config(), Kubeconfig: file}
}

// Grant grants further rules to a user in the namespace, or in all namespaces if it is empty.
func (s *Server) Grant(t testing.TB, name, namespace string, rules ...rbacv1.PolicyRule) {
	t.Helper()
	rbac := kubernetes.NewForConfigOrDie(s.Config()).RbacV1()
	meta := metav1.ObjectMeta{GenerateName: "test-"}
	role, err := rbac.ClusterRoles().Create(t.Context(), &rbacv1.ClusterRole{ObjectMeta: meta, Rules: rules},
		metav1.CreateOptions{})
	if err != nil {
		t.Fatalf("create a role for %s: %v", name, err)
	}
	ref := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name}
	subjects := []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: name}}
	if namespace == "" {
		binding := &rbacv1.ClusterRoleBinding{ObjectMeta: meta, RoleRef: ref, Subjects: subjects}
		_, err = rbac.ClusterRoleBindings().Create(t.Context(), binding, metav1.CreateOptions{})
	} else {
		binding := &rbacv1.RoleBinding{ObjectMeta: meta, RoleRef: ref, Subjects: subjects}
		_, err = rbac.RoleBindings(namespace).Create(t.Context(), binding, metav1.CreateOptions{})
	}
	if err != nil {
		t.Fatalf("grant to %s: %v", name, err)
	}
}

// Namespace creates a namespace for one test and returns its name.
func (s *Server) Namespace(t testing.TB) string {
	t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "test-"}}
	made, err := kubernetes.NewForConfigOrDie(s.Config()).CoreV1().Namespaces().Create(t.Context(), namespace,
		metav1.CreateOptions{})
	if err != nil {
		t.Fatalf("create a namespace: %v", err)
	}
	return made.Name
}

// Kubectl runs kubectl as an administrator with the given standard input and returns its output.
func (s *Server) Kubectl(t testing.TB, input string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), s.kubectl, args...) //nolint:gosec // the kubectl of the test's own assets
	cmd.Env = append(os.Environ(), "KUBECONFIG="+s.kubeconfig, "HOME="+s.dir)
	cmd.Stdin = bytes.NewBufferString(input)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	return out.String(), errs.String(), err
}
