// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agent-sandbox/kubectl-sandbox/test/e2e/harness"
)

const unschedulable = `
apiVersion: agents.x-k8s.io/v1beta1
kind: Sandbox
metadata: {name: large}
spec:
  podTemplate:
    spec:
      containers:
      - {name: main, image: ` + harness.ImageShell + `, resources: {requests: {cpu: "500"}}}
---
apiVersion: agents.x-k8s.io/v1beta1
kind: Sandbox
metadata: {name: queued}
spec:
  podTemplate:
    metadata: {labels: {kueue.x-k8s.io/queue-name: sandboxes}}
    spec:
      schedulingGates: [{name: kueue.x-k8s.io/admission}]
      containers:
      - {name: main, image: ` + harness.ImageShell + `}
`

func TestStatusSaysWhatTheNodesLack(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.Apply(unschedulable)
	h.Eventually("what the node lacks", func() error {
		out := h.Must("status", "large")
		for _, want := range []string{"no node takes it", "cpu: 500 needed, ", " free", "sandbox nodes"} {
			if !strings.Contains(out, want) {
				return fmt.Errorf("no %q in:\n%s", want, out)
			}
		}
		return nil
	})
	// The queue's label is on the Pod. Only the controller that added the gate may remove it.
	h.Eventually("what holds the queued one back", func() error {
		if out := h.Must("status", "queued"); !strings.Contains(out,
			"held back until its scheduling gates are gone: kueue.x-k8s.io/admission") {
			return fmt.Errorf("status says:\n%s", out)
		}
		return nil
	})
	if got := h.MustKubectl("get", "pod", "queued", "-o",
		`jsonpath={.metadata.labels.kueue\.x-k8s\.io/queue-name}`); got != "sandboxes" {
		t.Errorf("the Pod's queue is %q", got)
	}
	h.MustKubectl("patch", "pod", "queued", "--type=merge", "-p", `{"spec":{"schedulingGates":null}}`)
	h.Must("wait", "queued", "--for", "ready")
}

func TestNodesCountWhatTheClusterHas(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.Apply(strings.ReplaceAll(`
apiVersion: agents.x-k8s.io/v1beta1
kind: Sandbox
metadata: {name: one}
spec:
  podTemplate:
    spec:
      terminationGracePeriodSeconds: 1
      containers:
      - {name: main, image: IMAGE, command: [sleep, infinity], resources: {requests: {cpu: 10m, memory: 8Mi}}}
`, "IMAGE", harness.ImageShell))
	h.Must("wait", "one", "--for", "ready")
	out := h.Must("nodes", "-o", "wide")
	fields := strings.Fields(strings.Split(out, "\n")[1])
	if len(fields) < 9 || fields[1] != "Ready" || fields[2] != "1" || fields[3] != "10m" || fields[4] != "8Mi" ||
		fields[len(fields)-1] != "one" {
		t.Errorf("nodes:\n%s", out)
	}
}
