// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

var noon = time.Date(2026, time.April, 13, 12, 0, 0, 0, time.UTC)

// The objects that tests build must be valid in a cluster.
func TestTheServerTakesWhatBuildersMake(t *testing.T) {
	in := builders.InNamespace(server.Namespace(t))
	client := kubernetes.NewForConfigOrDie(server.Config()).CoreV1()
	for name, state := range map[string]builders.PodOption{
		"ready": builders.ReadySince(noon, "10.0.0.1", "fd00::1"), "running-not-ready": builders.RunningNotReady(),
		"unschedulable": builders.Unschedulable("0/1 nodes are available"), "image-pull-error": builders.ImagePullError(),
		"crash-loop": builders.CrashLoop(1, 3), "succeeded": builders.Succeeded(),
		"failed":  builders.Failed(137, "OOMKilled"),
		"evicted": builders.Evicted("the node was low on memory"),
	} {
		t.Run("a Pod "+name, func(t *testing.T) {
			want := builders.Pod(name, in, builders.OnNode("node-1"), state)
			made, err := client.Pods(want.Namespace).Create(t.Context(), want, metav1.CreateOptions{})
			if err != nil {
				t.Fatal(err)
			}
			made.Status = want.Status
			got, err := client.Pods(want.Namespace).UpdateStatus(t.Context(), made, metav1.UpdateOptions{})
			if err != nil || got.Status.Phase != want.Status.Phase || len(got.Status.PodIPs) != len(want.Status.PodIPs) {
				t.Errorf("%v\ngot  %+v\nwant %+v", err, got.Status, want.Status)
			}
		})
	}
	volume := builders.PersistentVolumeClaim("data-box", "1Gi", in)
	if _, err := client.PersistentVolumeClaims(volume.Namespace).Create(t.Context(), volume,
		metav1.CreateOptions{}); err != nil {
		t.Error(err)
	}
	service := builders.Service("box", in, builders.Selecting("a", "b"), builders.WithPort("http", 80))
	if _, err := client.Services(service.Namespace).Create(t.Context(), service, metav1.CreateOptions{}); err != nil {
		t.Error(err)
	}
}
