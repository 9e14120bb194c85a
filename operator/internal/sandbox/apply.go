// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"context"
	"fmt"
	"reflect"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/errorclass"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/lookup"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/metadata"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/owner"
)

// result is the outcome of one step: the child as the server last returned it (nil if there is none), and the error.
type result[T client.Object] struct {
	action action
	child  T
	err    error
}

// exists reports whether the child is known to exist and to belong to the Sandbox.
func (r result[T]) exists() bool {
	return r.err == nil && r.action != refuse && !reflect.ValueOf(r.child).IsNil()
}

// isWaiting reports whether a child that is being deleted blocks its successor.
func (r results) isWaiting() bool {
	for _, pod := range r.pods {
		if pod.action == wait && pod.child != nil {
			return true
		}
	}
	for _, volume := range r.volumes {
		if volume.action == wait && volume.child != nil {
			return true
		}
	}
	return r.service.action == wait && r.service.child != nil
}

// results is the outcome of a plan.
type results struct {
	volumes    []result[*corev1.PersistentVolumeClaim]
	pods       []result[*corev1.Pod]
	service    result[*corev1.Service]
	sandboxErr error // from writing the Sandbox itself
}

// errors returns all errors, those of Pods first, so that no error hides another.
func (r results) errors() []error {
	var all []error
	for _, pod := range r.pods {
		all = append(all, pod.err)
	}
	for _, volume := range r.volumes {
		all = append(all, volume.err)
	}
	return append(all, r.service.err, r.sandboxErr)
}

// livePods returns the Pods that exist and are not being removed.
func (r results) livePods() []*corev1.Pod {
	var all []*corev1.Pod
	for _, pod := range r.pods {
		if pod.child != nil && pod.action != refuse && pod.action != remove {
			all = append(all, pod.child)
		}
	}
	return all
}

// apply executes a plan: volumes before the Pod that mounts them, and the Pod's labels before the Service that selects
// by them. An error of one child does not stop the others, but no Pod is created without its volumes.
func (r *Reconciler) apply(ctx context.Context, sandbox *agentsv1beta1.Sandbox, p plan) results {
	var done results
	volumesReady := true
	for i, s := range p.volumes {
		template := &sandbox.Spec.VolumeClaimTemplates[i]
		res := applyStep(ctx, r, sandbox, s, func(was *corev1.PersistentVolumeClaim) step[*corev1.PersistentVolumeClaim] {
			return decideVolume(sandbox, template, was)
		})
		volumesReady = volumesReady && res.err == nil
		done.volumes = append(done.volumes, res)
	}
	if p.deleteSelf {
		if volumesReady { // otherwise the garbage collector would delete retained volumes
			version := sandbox.ResourceVersion // the shutdown time may have been extended since
			done.sandboxErr = r.delete(ctx, sandbox, client.Preconditions{UID: &sandbox.UID, ResourceVersion: &version})
		}
		return done
	}
	for _, s := range p.pods {
		if s.action == create && !volumesReady {
			s.action = wait
		}
		done.pods = append(done.pods, applyStep(ctx, r, sandbox, s, func(was *corev1.Pod) step[*corev1.Pod] {
			next := plan{state: p.state}
			next.ensurePod(sandbox, was)
			return next.pods[0]
		}))
	}
	done.service = applyStep(ctx, r, sandbox, p.service, func(was *corev1.Service) step[*corev1.Service] {
		return decideService(sandbox, observed{service: was, pods: done.livePods()}, p.state)
	})
	done.sandboxErr = r.recordPodName(ctx, sandbox, p, done)
	return done
}

// applyStep executes one step. If the name of a new object is taken, applyStep reads that object from the API server,
// because the cache may lag and holds labelled objects only, and executes what decideAgain returns for it.
func applyStep[T client.Object](
	ctx context.Context, r *Reconciler, sandbox *agentsv1beta1.Sandbox, s step[T], decideAgain func(T) step[T],
) result[T] {
	if s.action != create {
		return executeStep(ctx, r, sandbox, s)
	}
	made := s.want
	err := r.client.Create(ctx, made, client.FieldOwner(apis.FieldOwnerSandbox))
	if err == nil {
		return result[T]{action: create, child: made}
	}
	if !apierrors.IsAlreadyExists(err) {
		return result[T]{action: create, err: fmt.Errorf("create %s: %w", kindAndName(s.want), err)}
	}
	was, err := lookup.Get(ctx, r.live, client.ObjectKeyFromObject(s.want), lookup.New(s.want))
	switch {
	case err != nil:
		return result[T]{action: create, err: err}
	case reflect.ValueOf(was).IsNil():
		return result[T]{action: wait, err: errorclass.ErrChangedMeanwhile}
	}
	return executeStep(ctx, r, sandbox, decideAgain(was))
}

func executeStep[T client.Object](
	ctx context.Context, r *Reconciler, sandbox *agentsv1beta1.Sandbox, s step[T],
) result[T] {
	res := result[T]{action: s.action, child: s.was}
	switch s.action {
	case leave, wait, create: // create: the object that had the name is gone, and the next reconcile creates ours
	case refuse:
		res.err = s.refusal
	case patch:
		from := client.MergeFrom(s.was)
		if s.adopts {
			if err := owner.Recheck(ctx, r.live, sandbox); err != nil {
				res.err = fmt.Errorf("adopt %s: %w", kindAndName(s.was), err)
				return res
			}
		}
		if s.adopts || len(s.was.GetOwnerReferences()) != len(s.want.GetOwnerReferences()) {
			// A merge patch replaces the whole list of owner references.
			from = client.MergeFromWithOptions(s.was, client.MergeFromWithOptimisticLock{})
		}
		if err := r.client.Patch(ctx, s.want, from, client.FieldOwner(apis.FieldOwnerSandbox)); err != nil {
			res.err = fmt.Errorf("patch %s: %w", kindAndName(s.want), err)
			return res
		}
		res.child = s.want
	case remove:
		uid := s.was.GetUID()
		res.err = r.delete(ctx, s.was, client.Preconditions{UID: &uid})
	}
	return res
}

// delete deletes an object if the preconditions hold. An object that does not exist is a success.
func (r *Reconciler) delete(ctx context.Context, object client.Object, preconditions client.Preconditions) error {
	err := r.client.Delete(ctx, object, preconditions)
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("delete %s: %w", kindAndName(object), err)
	}
	return nil
}

// recordPodName sets the pod-name annotation, a hint for clients, to the name of the Pod that exists.
func (r *Reconciler) recordPodName(ctx context.Context, sandbox *agentsv1beta1.Sandbox, p plan, done results) error {
	if len(done.pods) == 1 && !done.pods[0].exists() {
		return nil
	}
	if !p.changesPodName(sandbox) {
		return nil
	}
	updated := sandbox.DeepCopy()
	if p.podName == "" {
		delete(updated.Annotations, apis.AnnotationPodName)
	} else {
		metadata.Set(&updated.Annotations, apis.AnnotationPodName, p.podName)
	}
	err := r.client.Patch(ctx, updated, client.MergeFrom(sandbox), client.FieldOwner(apis.FieldOwnerSandbox))
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("record the Pod's name: %w", err)
	}
	if err == nil && updated.Generation == sandbox.Generation {
		updated.DeepCopyInto(sandbox) // otherwise the spec changed meanwhile, and the status patch is to meet a conflict
	}
	return nil
}

// changesPodName reports whether the pod-name annotation differs from the plan.
func (p plan) changesPodName(sandbox *agentsv1beta1.Sandbox) bool {
	recorded, ok := sandbox.Annotations[apis.AnnotationPodName]
	return recorded != p.podName || ok != (p.podName != "")
}

func kindAndName(object client.Object) string {
	switch object.(type) {
	case *corev1.Pod:
		return "Pod " + object.GetName()
	case *corev1.PersistentVolumeClaim:
		return "PersistentVolumeClaim " + object.GetName()
	case *corev1.Service:
		return "Service " + object.GetName()
	default:
		return "Sandbox " + object.GetName()
	}
}
