// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package list_test

import (
	"encoding/json"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakecluster"
)

func stored(name, sandbox, unusedSince string) *corev1.PersistentVolumeClaim {
	v := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{
		Namespace: "ns", Name: name,
		Labels: map[string]string{"agents.x-k8s.io/sandbox-name-hash": "x"}, Annotations: map[string]string{},
	}}
	for key, value := range map[string]string{
		"agents.x-k8s.io/sandbox-name": sandbox, "agents.x-k8s.io/unused-since": unusedSince,
	} {
		if value != "" {
			v.Annotations[key] = value
		}
	}
	v.Spec.Resources.Requests = corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}
	v.Spec.StorageClassName = new("fast")
	v.Status.Phase = corev1.ClaimBound
	return v
}

func volumes() *fakecluster.Cluster {
	foreign := stored("theirs", "", "")
	foreign.Labels = nil
	return fakecluster.New(
		builders.Sandbox("dev", builders.InNamespace("ns"), builders.WithVolume("data", "1Gi")),
		stored("data-dev", "dev", ""),
		stored("data-old", "old", now.Add(-3*time.Hour).Format(time.RFC3339)),
		stored("data-older", "", ""),
		foreign,
	)
}

func TestListVolumes(t *testing.T) {
	const header = "NAME         SIZE   SANDBOX   USED BY       UNUSED FOR"
	tests := map[string]struct {
		args []string
		want string
	}{
		"used or not": {want: header + `
data-dev     1Gi    dev       sandbox/dev   -
data-old     1Gi    old       -             3h
data-older   1Gi    -         -             unknown
`},
		"one name":             {args: []string{"data-old", "--no-headers"}, want: "data-old   1Gi   old   -     3h\n"},
		"one that was printed": {args: []string{"volume/data-old", "-o", "name"}, want: "persistentvolumeclaim/data-old\n"},
		"wide": {
			args: []string{"data-old", "-o", "wide", "--no-headers"},
			want: "data-old   1Gi   old   -     3h    Bound   fast\n",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			out, errOut, err := run(t, volumes(), append([]string{"--volumes"}, tt.args...)...)
			if err != nil || errOut != "" || trimmed(out) != tt.want {
				t.Errorf("%v, stderr %q, stdout:\n%s", err, errOut, out)
			}
		})
	}
}

func TestListVolumesThatAreNotThere(t *testing.T) {
	if out, errOut, err := run(t, fakecluster.New(), "--volumes"); err != nil || out != "" ||
		errOut != "No volumes found.\n" {
		t.Errorf("%v, %q, %q", err, out, errOut)
	}
	out, _, err := run(t, fakecluster.New(), "--volumes", "-o", "json")
	list := struct{ Items []any }{}
	if err != nil || json.Unmarshal([]byte(out), &list) != nil || list.Items == nil {
		t.Errorf("%v, %q", err, out)
	}
	if _, _, err := run(t, volumes(), "--volumes", "nope"); !resolve.Is(err, resolve.NotFound) {
		t.Errorf("got %v", err)
	}
	if _, _, err := run(t, volumes(), "--volumes", "-w"); cli.ExitCode(err) != cli.ExitUsage {
		t.Errorf("got %v", err)
	}
}
