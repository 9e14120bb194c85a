// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package soak

import (
	"os/exec"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/test/e2e/harness"
)

// drain drains the node, and uncordons it some seconds later.
func (d *soakRun) drain() {
	d.Helper()
	d.MustKubectl("drain", d.node, "--ignore-daemonsets", "--delete-emptydir-data", "--force", "--timeout=90s")
	over := time.Now().Add(time.Duration(d.random.IntN(10)) * time.Second)
	for time.Now().Before(over) {
		d.actOn(d.active[d.random.IntN(len(d.active))])
	}
	d.MustKubectl("uncordon", d.node)
}

// killOperator ends the operator with SIGKILL and deletes its Pod, because the kubelet waits longer before each
// restart.
func (d *soakRun) killOperator() {
	d.Helper()
	var pods corev1.PodList
	selector := client.MatchingLabels{"app": apis.OperatorName}
	if err := d.Client.List(d.Context(), &pods, client.InNamespace(apis.OperatorNamespace), selector); err != nil {
		d.Error(err)
		return
	}
	for _, pod := range pods.Items {
		pid, found := harness.Process(pod.UID, "/"+apis.OperatorName)
		if !found || syscall.Kill(pid, syscall.SIGKILL) != nil {
			continue
		}
		d.Kubectl("-n", apis.OperatorNamespace, "delete", "pod", pod.Name, "--grace-period=0", "--force")
	}
}

// restartServer kills the API server and waits until it is ready again.
func (d *soakRun) restartServer() {
	d.Helper()
	command := exec.CommandContext(d.Context(), harness.RequireEnv("E2E_TESTCLUSTER"), "restart-apiserver", "--name",
		harness.RequireEnv("E2E_CLUSTER"))
	if output, err := command.CombinedOutput(); err != nil {
		d.Fatalf("restart the API server: %v\n%s", err, output)
	}
}
