// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package diagnose_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/diagnose"
)

// repeated returns an event that happened count times. Its message does not matter.
func repeated(kind, name, field, reason string, count int32) []corev1.Event {
	about := corev1.ObjectReference{Kind: kind, Name: name, FieldPath: field}
	return []corev1.Event{{InvolvedObject: about, Reason: reason, Message: "whatever", Count: count}}
}

func mounting(source corev1.VolumeSource) *corev1.Pod {
	p := pod(waiting("ContainerCreating", ""))
	p.Spec.Volumes = []corev1.Volume{{Name: "v", VolumeSource: source}}
	return p
}

func ofClass(class *string) []corev1.PersistentVolumeClaim {
	all := unbound()
	all[0].Spec.StorageClassName = class
	return all
}

func operatorError(action string, after time.Duration) corev1.Event {
	e := repeated("Sandbox", "dev", "", "ReconcilerError", 1)[0]
	e.Action = action
	e.LastTimestamp = metav1.NewTime(time.Unix(1_800_000_000, 0).Add(after))
	return e
}

func TestWhetherAnObstacleLastsFollowsFromReasonsAndObjects(t *testing.T) {
	refused := condition(apis.ConditionReady, false, apis.ReasonReconcilerError, 2)
	pods := func(used string) []corev1.ResourceQuota {
		return []corev1.ResourceQuota{{Status: corev1.ResourceQuotaStatus{
			Hard: corev1.ResourceList{
				"pods": resource.MustParse("2"), "count/sandboxes.agents.x-k8s.io": resource.MustParse("1"),
			},
			Used: corev1.ResourceList{
				"pods": resource.MustParse(used), "count/sandboxes.agents.x-k8s.io": resource.MustParse("1"),
			},
		}}}
	}
	secret := corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "x"}}
	disk := corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "data"}}
	config := pod(waiting("CreateContainerConfigError", "whatever"))
	tests := map[string]struct {
		snapshot diagnose.Snapshot
		lasting  bool
	}{
		"an error of the operator alone does not": {snapshot: diagnose.Snapshot{Sandbox: sandbox(refused)}},
		"an error that the operator tries to overcome does not": {
			snapshot: diagnose.Snapshot{Sandbox: sandbox(refused), Events: []corev1.Event{operatorError("Reconcile", 0)}},
		},
		"an error that awaits a change does": {
			diagnose.Snapshot{Sandbox: sandbox(refused), Events: []corev1.Event{operatorError("AwaitChange", 0)}}, true,
		},
		"the operator's latest error counts": {
			snapshot: diagnose.Snapshot{Sandbox: sandbox(refused), Events: []corev1.Event{
				operatorError("AwaitChange", 0), operatorError("Reconcile", time.Second),
			}},
		},
		"a quota with room does not": {
			snapshot: diagnose.Snapshot{Sandbox: sandbox(refused), Quotas: pods("1")},
		},
		"a quota that is full does": {
			diagnose.Snapshot{Sandbox: sandbox(refused), Quotas: pods("2")}, true,
		},
		"another's object of the Pod's name does": {
			diagnose.Snapshot{Sandbox: sandbox(refused), ConflictingObjects: []string{"Pod dev"}}, true,
		},
		"a first attempt to pull an image does not": {
			snapshot: diagnose.Snapshot{
				Sandbox: sandbox(notReady), Pod: pod(waiting("ErrImagePull", "whatever")),
				Events: repeated("Pod", "dev", "spec.containers{main}", "Failed", 1),
			},
		},
		"a third attempt to pull an image does": {
			diagnose.Snapshot{
				Sandbox: sandbox(notReady), Pod: pod(waiting("ImagePullBackOff", "whatever")),
				Events: repeated("Pod", "dev", "spec.containers{main}", "Failed", 3),
			},
			true,
		},
		"a process that cannot be started does": {
			diagnose.Snapshot{Sandbox: sandbox(notReady), Pod: pod(terminated(128, "StartError"))}, true,
		},
		"a container that failed twice does not": {
			snapshot: diagnose.Snapshot{
				Sandbox: sandbox(notReady), Pod: config, Events: repeated("Pod", "dev", "spec.containers{main}", "Failed", 2),
			},
		},
		"a container that failed three times does": {
			diagnose.Snapshot{
				Sandbox: sandbox(notReady), Pod: config, Events: repeated("Pod", "dev", "spec.containers{main}", "Failed", 3),
			},
			true,
		},
		"another container's failures do not count": {
			snapshot: diagnose.Snapshot{
				Sandbox: sandbox(notReady), Pod: config, Events: repeated("Pod", "dev", "spec.containers{other}", "Failed", 3),
			},
		},
		"a Secret that cannot be mounted three times does": {
			diagnose.Snapshot{
				Sandbox: sandbox(notReady), Pod: mounting(secret), Events: repeated("Pod", "dev", "", "FailedMount", 3),
			},
			true,
		},
		"a disk that cannot be mounted does not": {
			snapshot: diagnose.Snapshot{
				Sandbox: sandbox(notReady), Pod: mounting(disk), Events: repeated("Pod", "dev", "", "FailedMount", 9),
			},
		},
		"no storage class for a volume does": {
			diagnose.Snapshot{
				Sandbox: sandbox(notReady), Volumes: ofClass(nil),
				Events: repeated("PersistentVolumeClaim", "data-dev", "", "FailedBinding", 1),
			},
			true,
		},
		"a storage class that is missing does": {
			diagnose.Snapshot{
				Sandbox:               sandbox(notReady),
				Volumes:               ofClass(new("fast")),
				MissingStorageClasses: []string{"fast"},
				Events:                repeated("PersistentVolumeClaim", "data-dev", "", "ProvisioningFailed", 1),
			},
			true,
		},
		"a provisioner that fails does not": {snapshot: diagnose.Snapshot{
			Sandbox: sandbox(notReady),
			Volumes: ofClass(new("fast")),
			Events:  repeated("PersistentVolumeClaim", "data-dev", "", "ProvisioningFailed", 1),
		}},
	}
	for name, tt := range tests {
		tt.snapshot.Now = now
		if d := diagnose.Of(tt.snapshot); d.Lasting != tt.lasting || d.Verdict != diagnose.Blocked {
			t.Errorf("%s: %+v", name, d)
		}
	}
}
