// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/test/e2e/harness"
)

// foreignPermissions are those of a program that creates claims and reaches their sandboxes.
const foreignPermissions = `
apiVersion: v1
kind: ServiceAccount
metadata: {name: agent}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: stranger}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: agent}
rules:
- apiGroups: [extensions.agents.x-k8s.io]
  resources: [sandboxclaims]
  verbs: [create, delete, get, list, watch]
- apiGroups: [agents.x-k8s.io]
  resources: [sandboxes]
  verbs: [get, list, patch, watch]
- apiGroups: [agents.x-k8s.io, extensions.agents.x-k8s.io]
  resources: [sandboxes/proxy, sandboxclaims/proxy]
  verbs: [create]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: agent}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: agent}
subjects:
- {kind: ServiceAccount, name: agent}
`

// TestAForeignProgramSpeaksTheContract runs contract/client.py, which checks what SDKs of other projects rely on, in a
// Pod: warm and cold claims, files, streams and access through the router, and suspension.
func TestAForeignProgramSpeaksTheContract(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.Apply(example(h, "templates/runtime-copied.yaml"))
	h.Apply(foreignPermissions)
	h.CreateAll(h.NewPool("warm", "runtime-copied", 1), foreignProgram(h))
	h.FullPool("warm")
	for launch, pool := range map[string]string{"cold": "none", "warm": "default"} {
		t.Run(launch, func(t *testing.T) {
			t.Parallel()
			runForeignProgram(h.In(t), launch, pool)
		})
	}
}

func foreignProgram(h *harness.T) *corev1.ConfigMap {
	h.Helper()
	program := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "contract"}, Data: map[string]string{}}
	for _, name := range []string{"client.py", "server.py"} {
		text, err := os.ReadFile(filepath.Join("contract", name))
		if err != nil {
			h.Fatal(err)
		}
		program.Data[name] = string(text)
	}
	return program
}

// runForeignProgram runs the program to its end, and reports each check that failed.
func runForeignProgram(h *harness.T, launch, pool string) {
	h.Helper()
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "agent-" + launch}}
	pod.Spec.ServiceAccountName, pod.Spec.RestartPolicy = "agent", corev1.RestartPolicyNever
	pod.Spec.Containers = []corev1.Container{{
		Name: "agent", Image: harness.ImagePython, Command: []string{"python3", "/contract/client.py"},
		Env: []corev1.EnvVar{
			{Name: "ROUTER", Value: routerAddress(h)}, {Name: "TEMPLATE", Value: "runtime-copied"},
			{Name: "WARMPOOL", Value: pool}, {Name: "LAUNCH", Value: launch},
			{Name: "STRANGER", Value: strings.TrimSpace(h.MustKubectl("create", "token", "stranger"))},
		},
		VolumeMounts: []corev1.VolumeMount{{Name: "contract", MountPath: "/contract"}},
	}}
	pod.Spec.Volumes = []corev1.Volume{{Name: "contract", VolumeSource: corev1.VolumeSource{
		ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: "contract"}},
	}}}
	h.CreateAll(pod)
	h.Within(3*time.Minute, "the end of the program", func() error {
		if h.Get(pod.Name, pod); pod.Status.Phase != corev1.PodSucceeded && pod.Status.Phase != corev1.PodFailed {
			return fmt.Errorf("the Pod is %s", pod.Status.Phase)
		}
		return nil
	})
	said := h.MustKubectl("logs", pod.Name)
	h.Logf("%s", said)
	for line := range strings.Lines(said) {
		if strings.HasPrefix(line, "FAILED") {
			h.Errorf("%s", line)
		}
	}
	if pod.Status.Phase != corev1.PodSucceeded || !strings.HasSuffix(said, "all is as agreed\n") {
		h.Errorf("the program did not come to a good end")
	}
}

// routerAddress returns the address of the router's Service.
func routerAddress(h *harness.T) string {
	h.Helper()
	var service corev1.Service
	key := client.ObjectKey{Namespace: "agent-sandbox-system", Name: "sandbox-router-svc"}
	if err := h.Client.Get(h.Context(), key, &service); err != nil {
		h.Fatal(err)
	}
	return fmt.Sprintf("http://%s:8080", service.Spec.ClusterIP)
}
