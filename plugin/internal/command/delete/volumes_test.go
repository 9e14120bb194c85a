// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package delete_test

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	clocktesting "k8s.io/utils/clock/testing"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/command/delete"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory/fake"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakecluster"
)

// storage returns a Sandbox "goes" whose volume is deleted, a Sandbox "keeps" whose volume stays, and an unused volume
// "data-old".
func storage() []runtime.Object {
	box := func(name string, policy agentsv1beta1.PersistentVolumeClaimRetentionPolicyType) *agentsv1beta1.Sandbox {
		s := builders.Sandbox(name, builders.InNamespace("ns"), builders.WithUID("uid"), builders.WithVolume("data", "1Gi"))
		s.Spec.PersistentVolumeClaimRetentionPolicy = &agentsv1beta1.PersistentVolumeClaimRetentionPolicy{WhenDeleted: policy}
		return s
	}
	volume := func(name string) *corev1.PersistentVolumeClaim {
		return &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{
			Namespace: "ns", Name: name, UID: "uid-of-volume",
			Labels: map[string]string{"agents.x-k8s.io/sandbox-name-hash": "x"},
		}}
	}
	return []runtime.Object{box("goes", "Delete"), box("keeps", "Retain"), volume("data-old"), volume("data-keeps")}
}

func runOn(t *testing.T, cluster *fakecluster.Cluster, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	streams, _, out, errOut := genericiooptions.NewTestIOStreams()
	cmd := delete.NewCommand(&fake.Factory{
		In: "ns", Time: clocktesting.NewFakeClock(time.Unix(0, 0)), SandboxesClient: cluster.Sandboxes,
		KubernetesClient: cluster.Kubernetes,
	}, streams)
	cmd.SetArgs(args)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err = cmd.ExecuteContext(t.Context())
	return out.String(), errOut.String(), err
}

func TestDeleteNamesTheVolumes(t *testing.T) {
	const goes, stays = "Volumes that are deleted with their data: data-goes (1Gi)\n", "Volumes that stay: data-keeps\n"
	tests := map[string]struct {
		args []string
		want string
	}{
		"that go":                {args: []string{"goes"}, want: goes},
		"that stay":              {args: []string{"keeps"}, want: stays},
		"of all that is deleted": {args: []string{"--all"}, want: goes + stays},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if _, errOut, err := runOn(t, fakecluster.New(storage()...), append(tt.args, "--yes")...); err != nil ||
				errOut != tt.want {
				t.Errorf("%v, stderr %q", err, errOut)
			}
		})
	}
	forbidden := fakecluster.Forbidden("list", "persistentvolumeclaims", "")
	blind := fakecluster.New(storage()...).Refuse("list", "persistentvolumeclaims", forbidden)
	if _, errOut, err := runOn(t, blind, "--all", "--yes"); err != nil ||
		errOut != goes+"Volumes that stay: data-keeps (1Gi)\n" {
		t.Errorf("without permission to read volumes: %v, stderr %q", err, errOut)
	}
}

func TestDeleteVolumes(t *testing.T) {
	tests := map[string]struct {
		args []string
		out  string
		says string
		left bool
		code int
	}{
		"an unused volume":                 {args: []string{"data-old", "--yes"}, out: "volume/data-old deleted\n"},
		"a name with its kind, as printed": {args: []string{"volume/data-old", "--yes"}, out: "volume/data-old deleted\n"},
		"not without a terminal or --yes":  {args: []string{"data-old"}, left: true, code: cli.ExitUsage},
		"not a volume in use, but the others": {
			args: []string{"data-keeps", "data-old", "--yes"}, out: "volume/data-old deleted\n", says: "sandbox/keeps uses it",
			code: cli.ExitFailed,
		},
		"not a missing volume": {
			args: []string{"data-goes", "--yes"}, says: `no volume is called "data-goes"`, left: true, code: cli.ExitFailed,
		},
		"not with --all": {args: []string{"--all", "--yes"}, says: "takes names", left: true, code: cli.ExitUsage},
		"not with a label selector": {
			args: []string{"-l", "a=b", "--yes"}, says: "takes names", left: true, code: cli.ExitUsage,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			cluster := fakecluster.New(storage()...)
			out, _, err := runOn(t, cluster, append([]string{"--volumes"}, tt.args...)...)
			if cli.ExitCode(err) != tt.code || out != tt.out ||
				(tt.says != "" && (err == nil || !strings.Contains(err.Error(), tt.says))) {
				t.Errorf("%v, stdout %q", err, out)
			}
			_, gone := cluster.Kubernetes.CoreV1().PersistentVolumeClaims("ns").Get(t.Context(), "data-old", metav1.GetOptions{})
			_, used := cluster.Kubernetes.CoreV1().PersistentVolumeClaims("ns").Get(t.Context(), "data-keeps",
				metav1.GetOptions{})
			if (gone == nil) != tt.left || used != nil {
				t.Errorf("data-old: %v, data-keeps: %v", gone, used)
			}
		})
	}
}
