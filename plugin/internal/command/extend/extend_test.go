// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package extend_test

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/command/extend"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory/fake"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakecluster"
)

var now = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func run(t *testing.T, cluster *fakecluster.Cluster, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	streams, _, out, errOut := genericiooptions.NewTestIOStreams()
	cmd := extend.NewCommand(&fake.Factory{
		In:               "ns",
		Time:             clocktesting.NewFakeClock(now),
		SandboxesClient:  cluster.Sandboxes,
		KubernetesClient: cluster.Kubernetes,
	}, streams)
	cmd.SetArgs(args)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err = cmd.ExecuteContext(t.Context())
	return out.String(), errOut.String(), err
}

func TestAClaimThatLostItsSandbox(t *testing.T) {
	over := builders.Claim(
		"dev", "t", builders.InNamespace("ns"), builders.WithUID("c"),
		builders.WithClaimShutdown(now.Add(-time.Hour), "Retain"),
	)
	kept := &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "data-p-a", Labels: map[string]string{
			"agents.x-k8s.io/sandbox-name-hash": "x", "agents.x-k8s.io/claim-uid": "c",
		}},
	}
	others := kept.DeepCopy()
	others.Labels["agents.x-k8s.io/claim-uid"] = "other"
	const done = "claim/dev extended to 2026-05-01T13:00:00Z\n"
	tests := map[string]struct {
		volume *corev1.PersistentVolumeClaim
		blind  bool
		args   []string
		out    string
		fails  string
	}{
		"is revived with its kept volumes":             {volume: kept, out: done},
		"is not revived without volumes":               {volume: others, fails: "extend dev --by 1h0m0s --fresh"},
		"is revived without volumes, with --fresh":     {volume: others, args: []string{"--fresh"}, out: done},
		"is not revived if the volumes cannot be read": {volume: kept, blind: true, fails: "it is unknown whether"},
		"is revived if the volumes cannot be read, with --fresh": {
			volume: kept, blind: true, args: []string{"--fresh"}, out: done,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			cluster := fakecluster.New([]runtime.Object{over.DeepCopy(), tt.volume}...)
			if tt.blind {
				cluster.Refuse("list", "persistentvolumeclaims", fakecluster.Forbidden("list", "persistentvolumeclaims", ""))
			}
			out, errOut, err := run(t, cluster, append([]string{"dev", "--by", "1h"}, tt.args...)...)
			if out != tt.out || (err == nil) != (tt.fails == "") || (err != nil && !strings.Contains(err.Error(), tt.fails)) {
				t.Errorf("%v, stdout %q", err, out)
			}
			if err == nil && !strings.Contains(errOut, "at that time: the claim stays and its Sandbox is deleted") {
				t.Errorf("the output does not say what happens then: %q", errOut)
			}
		})
	}
}

func TestWhatGoesAtTheNewEndIsTold(t *testing.T) {
	box := builders.Sandbox(
		"dev", builders.InNamespace("ns"), builders.WithUID("s"), builders.WithVolume("data", "1Gi"),
		builders.WithShutdown(now.Add(time.Hour), "Delete"),
	)
	out, errOut, err := run(t, fakecluster.New(box), "dev", "--by", "1h")
	if err != nil || out != "sandbox/dev extended to 2026-05-01T14:00:00Z\n" ||
		errOut != "sandbox/dev, at that time: the Sandbox is deleted, with volume data-dev (1Gi)\n" {
		t.Errorf("%v, %q, %q", err, out, errOut)
	}
}
