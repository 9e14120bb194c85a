// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package examples

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	rayv1 "github.com/ray-project/kuberay/ray-operator/apis/ray/v1"
	corev1 "k8s.io/api/core/v1"
	kueuev1beta1 "sigs.k8s.io/kueue/apis/kueue/v1beta1"
	"sigs.k8s.io/yaml"
)

func TestTheQueueOfKueueHasItsTypes(t *testing.T) {
	var flavor kueuev1beta1.ResourceFlavor
	var queue kueuev1beta1.ClusterQueue
	var local kueuev1beta1.LocalQueue
	documents := strings.Split(string(read(t, root+"integrations/kueue-queue.yaml")), "\n---\n")
	if len(documents) != 3 {
		t.Fatalf("there are %d objects", len(documents))
	}
	for i, into := range []any{&flavor, &queue, &local} {
		decode(t, []byte(documents[i]), into)
	}
	group := queue.Spec.ResourceGroups[0]
	if string(group.Flavors[0].Name) != flavor.Name || string(local.Spec.ClusterQueue) != queue.Name {
		t.Errorf("the queues %q, %q do not name the flavor %q and each other", queue.Name, local.Name, flavor.Name)
	}
	for i, quota := range group.Flavors[0].Resources {
		if quota.Name != group.CoveredResources[i] || quota.NominalQuota.Sign() <= 0 {
			t.Errorf("the quota %+v is not for the resource %s", quota, group.CoveredResources[i])
		}
	}
	var sandbox struct {
		Spec struct{ PodTemplate corev1.PodTemplateSpec }
	}
	if err := yaml.Unmarshal(read(t, root+"integrations/kueue.yaml"), &sandbox); err != nil {
		t.Fatal(err)
	}
	if sandbox.Spec.PodTemplate.Labels["kueue.x-k8s.io/queue-name"] != local.Name {
		t.Errorf("the sandbox has the labels %v", sandbox.Spec.PodTemplate.Labels)
	}
}

func TestTheJobOfRayHasItsTypes(t *testing.T) {
	var job rayv1.RayJob
	decode(t, read(t, root+"ray/rayjob.yaml"), &job)
	if job.APIVersion != rayv1.GroupVersion.String() || job.Spec.RayClusterSpec == nil {
		t.Fatalf("got %+v", job)
	}
	cluster := job.Spec.RayClusterSpec
	pods := []corev1.PodSpec{cluster.HeadGroupSpec.Template.Spec}
	for _, group := range cluster.WorkerGroupSpecs {
		pods = append(pods, group.Template.Spec)
	}
	if len(pods) < 2 {
		t.Errorf("there are no workers: %+v", cluster)
	}
	image := "rayproject/ray:" + cluster.RayVersion
	for _, pod := range pods {
		main := pod.Containers[0]
		mounted := slices.ContainsFunc(main.VolumeMounts, func(m corev1.VolumeMount) bool { return m.MountPath == "/code" })
		if main.Image != image || pod.ServiceAccountName != "ray-rollouts" || !mounted {
			t.Errorf("a Pod of another image than %s, of another account, or without the programs: %+v", image, pod)
		}
	}
	program := regexp.MustCompile(`/code/(\S+)$`).FindStringSubmatch(job.Spec.Entrypoint)
	if program == nil {
		t.Fatalf("the entrypoint is %q", job.Spec.Entrypoint)
	}
	read(t, root+"ray/"+program[1])
}
