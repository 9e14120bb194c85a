// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package installer

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/apis/podreason"
	"github.com/agent-sandbox/kubectl-sandbox/operator/install"
)

// Obstacle returns what keeps the operator or a router from being available in the version of its Deployment, or
// nothing.
func Obstacle(ctx context.Context, client kubernetes.Interface, deployment *appsv1.Deployment) (string, error) {
	if isRolledOut(deployment) {
		return "", nil
	}
	pods, err := client.CoreV1().Pods(deployment.Namespace).List(ctx, metav1.ListOptions{
		LabelSelector: apis.LabelApp + "=" + appOf(deployment),
	})
	if apierrors.IsForbidden(err) {
		return deploymentObstacle(deployment, nil), nil // the Deployment has to suffice
	}
	if err != nil {
		return "", err
	}
	return deploymentObstacle(deployment, pods.Items), nil
}

// appOf returns the label of the Deployment's Pods.
func appOf(deployment *appsv1.Deployment) string {
	if deployment.Name == apis.RouterDeployment {
		return apis.AppRouter
	}
	return apis.OperatorName
}

// waitAvailable waits until the operator and the routers run as applied. It does not wait for what is scaled to zero.
func (a *applier) waitAvailable(ctx context.Context, o install.Options, timeout <-chan time.Time) error {
	if *o.Replicas > 0 {
		if err := a.waitFor(ctx, "operator", o.Namespace, apis.OperatorName, timeout); err != nil {
			return err
		}
	}
	for _, router := range o.Routers {
		if *router.Replicas == 0 {
			continue
		}
		if err := a.waitFor(ctx, "router", router.Namespace, apis.RouterDeployment, timeout); err != nil {
			return err
		}
	}
	return nil
}

// waitFor waits until a Deployment runs as applied.
func (a *applier) waitFor(ctx context.Context, program, namespace, name string, timeout <-chan time.Time) error {
	err := a.waitUntil(ctx, timeout, "the "+program+" to be available", func() (string, error) {
		deployment, err := a.kubernetes.AppsV1().Deployments(namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return "", err
		}
		return Obstacle(ctx, a.kubernetes, deployment)
	})
	if err == nil {
		a.printNote("The %s is available in namespace %s.", program, namespace)
	}
	return err
}

// isRolledOut reports whether all replicas run the latest Pod template.
func isRolledOut(d *appsv1.Deployment) bool {
	want := int32(1)
	if d.Spec.Replicas != nil {
		want = *d.Spec.Replicas
	}
	return d.Status.ObservedGeneration >= d.Generation && d.Status.UpdatedReplicas >= want &&
		d.Status.AvailableReplicas >= want && d.Status.Replicas == d.Status.UpdatedReplicas
}

// deploymentObstacle returns what keeps a program from running, according to its Deployment and Pods.
func deploymentObstacle(d *appsv1.Deployment, pods []corev1.Pod) string {
	for _, condition := range d.Status.Conditions {
		if condition.Type == appsv1.DeploymentReplicaFailure && condition.Status == corev1.ConditionTrue {
			return condition.Message
		}
	}
	found := "its Pod is not there yet"
	for i := range pods {
		pod := &pods[i]
		if pod.DeletionTimestamp != nil {
			continue
		}
		if text, serious := podObstacle(pod); serious {
			return text
		} else if text != "" {
			found = text
		}
	}
	return found
}

// podObstacle returns what a Pod waits for. serious is true for what does not pass by itself.
func podObstacle(pod *corev1.Pod) (text string, serious bool) {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodScheduled && condition.Status == corev1.ConditionFalse {
			return "it cannot be scheduled: " + condition.Message, true
		}
	}
	for i := range pod.Status.ContainerStatuses {
		status := &pod.Status.ContainerStatuses[i]
		waiting := status.State.Waiting
		switch {
		case waiting == nil && status.Ready:
			continue
		case waiting == nil:
			return "its Pod " + pod.Name + " is not ready yet", false
		case podreason.ForWaitingReason(waiting.Reason) == podreason.ImagePull:
			return fmt.Sprintf("image %s cannot be pulled", status.Image), true // the reason alternates between two values
		case podreason.ForWaitingReason(waiting.Reason) == podreason.CrashLoop &&
			status.LastTerminationState.Terminated != nil:
			return fmt.Sprintf("it crashes with exit code %d: kubectl logs -n %s %s --previous tells more",
				status.LastTerminationState.Terminated.ExitCode, pod.Namespace, pod.Name), true
		case waiting.Message != "":
			return waiting.Reason + ": " + waiting.Message, true
		}
		return "its Pod " + pod.Name + " is being started", false
	}
	return "its Pod " + pod.Name + " is being started", false
}
