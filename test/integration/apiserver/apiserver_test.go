// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package apiserver_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"

	"github.com/agent-sandbox/kubectl-sandbox/test/integration/apiserver"
)

// roleVariable makes this test binary run as a helper process of a test.
const roleVariable = "APISERVER_TEST_ROLE"

var server *apiserver.Server

func TestMain(m *testing.M) {
	if os.Getenv(roleVariable) == "killed" {
		os.Exit(apiserver.Run(m, func(*apiserver.Server) { select {} }))
	}
	os.Exit(apiserver.Run(m, func(s *apiserver.Server) { server = s }))
}

func TestStartNamesTheMakeTargetWhenTheBinariesAreMissing(t *testing.T) {
	for name, value := range map[string]string{"the variable is unset": "", "the directory is empty": t.TempDir()} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("KUBEBUILDER_ASSETS", value)
			_, err := apiserver.Start()
			if err == nil || !strings.Contains(err.Error(), "make test-integration") ||
				!strings.Contains(err.Error(), "KUBEBUILDER_ASSETS") {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestAUserMayDoWhatWasGrantedAndNothingElse(t *testing.T) {
	namespace, other := server.Namespace(t), server.Namespace(t)
	read := rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"list"}}
	tests := map[string]struct {
		user    apiserver.User
		here    bool
		outside bool
	}{
		"nothing":                 {server.User(t, "nobody", ""), false, false},
		"read in one namespace":   {server.User(t, "local", namespace, read), true, false},
		"read in every namespace": {server.User(t, "everywhere", "", read), true, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			pods := kubernetes.NewForConfigOrDie(test.user.Config).CoreV1()
			for in, allowed := range map[string]bool{namespace: test.here, other: test.outside} {
				_, err := pods.Pods(in).List(t.Context(), metav1.ListOptions{})
				if allowed && err != nil || !allowed && !apierrors.IsForbidden(err) {
					t.Errorf("allowed %t, got %v", allowed, err)
				}
			}
			stdout, stderr, err := server.Kubectl(t, "", "--kubeconfig", test.user.Kubeconfig, "auth", "whoami")
			if err != nil {
				t.Errorf("kubectl with the user's kubeconfig: %v\n%s%s", err, stdout, stderr)
			}
		})
	}
}

func TestNothingIsLeftWhenTheTestProcessIsKilled(t *testing.T) {
	temp := t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleVariable+"=killed", "TMPDIR="+temp)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	poll(t, "a kubeconfig of the other server", func() bool {
		files, _ := filepath.Glob(filepath.Join(temp, "*", "admin.kubeconfig"))
		return len(files) == 1
	})
	pids, err := filepath.Glob(filepath.Join(temp, "*", "*.pid"))
	if err != nil || len(pids) != 2 {
		t.Fatalf("got process files %v, %v", pids, err)
	}
	var processes []string
	for _, file := range pids {
		pid, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		processes = append(processes, "/proc/"+strings.TrimSpace(string(pid))+"/exe")
	}
	var left []string
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	t.Cleanup(func() { t.Logf("left: %v", left) })
	poll(t, "the end of both processes and of their files", func() bool {
		left, _ = filepath.Glob(filepath.Join(temp, "*"))
		for _, process := range processes {
			if _, err := os.Readlink(process); err == nil {
				left = append(left, process)
			}
		}
		return len(left) == 0
	})
}

func poll(t *testing.T, what string, done func() bool) {
	t.Helper()
	err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, 2*time.Minute, true,
		func(context.Context) (bool, error) {
			return done(), nil
		})
	if err != nil {
		t.Fatalf("waiting for %s: %v", what, err)
	}
}
