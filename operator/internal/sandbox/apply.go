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
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/owner"
)

// result is what became of one step: the child as the server last answered (nil: there is none), and what went wrong.
type result[T client.Object] struct {
	action action
	child  T
	err    error
}

// exists says whether the child is known to be there and ours to speak of.
func (r result[T]) exists() bool {
	return r.err == nil && r.action != refuse && !reflect.ValueOf(r.child).IsNil()
}

// isWaiting says whether something that is on its way out holds up what comes next.
func (r results) isWaiting() bool {
	for _, pod := range r.pods {
		if pod.action == wait && pod.child != nil {
			return true
		}
	}
	for _, claim := range r.volumes {
		if claim.action == wait && claim.child != nil {
			return true
		}
	}
	return r.service.action == wait && r.service.child != nil
}

// results is what became of a plan.
type results struct {
	volumes    []result[*corev1.PersistentVolumeClaim]
	pods       []result[*corev1.Pod]
	service    result[*corev1.Service]
	sandboxErr error // writing the Sandbox itself
}

// errors lists what went wrong, Pod first; a later error never hides an earlier one.
func (r results) errors() []error {
	var all []error
	for _, pod := range r.pods {
		all = append(all, pod.err)
	}
	for _, claim := range r.volumes {
		all = append(all, claim.err)
	}
	return append(all, r.service.err, r.sandboxErr)
}

// livePods lists the Pods that are there and stay.
func (r results) livePods() []*corev1.Pod {
	var all []*corev1.Pod
	for _, pod := range r.pods {
		if pod.child != nil && pod.action != refuse && pod.action != remove {
			all = append(all, pod.child)
		}
	}
	return all
}

// apply carries a plan out. Volumes come before the Pod that mounts them, the Pod's labels before the Service that selects
// by them. One child's failure does not stop the others, but no Pod starts without its volumes.
func (r *Reconciler) apply(ctx context.Context, sandbox *agentsv1beta1.Sandbox, p plan) results {
	var done results
	volumes := true
	for i, s := range p.volumes {
		template := &sandbox.Spec.VolumeClaimTemplates[i]
		res := applyStep(ctx, r, sandbox, s, func(was *corev1.PersistentVolumeClaim) step[*corev1.PersistentVolumeClaim] {
			return decideVolume(sandbox, template, was)
		})
		volumes = volumes && res.err == nil
		done.volumes = append(done.volumes, res)
	}
	if p.deleteSelf {
		if volumes { // else what is to stay would go
			version := sandbox.ResourceVersion // somebody may have given it more time since
			done.sandboxErr = r.delete(ctx, sandbox, client.Preconditions{UID: &sandbox.UID, ResourceVersion: &version})
		}
		return done
	}
	for _, s := range p.pods {
		if s.action == create && !volumes {
			s.action = wait
		}
		done.pods = append(done.pods, applyStep(ctx, r, sandbox, s, func(was *corev1.Pod) step[*corev1.Pod] {
			again := plan{state: p.state}
			again.ensurePod(sandbox, was)
			return again.pods[0]
		}))
	}
	done.service = applyStep(ctx, r, sandbox, p.service, func(was *corev1.Service) step[*corev1.Service] {
		return decideService(sandbox, observed{service: was, pods: done.livePods()}, p.state)
	})
	done.sandboxErr = r.recordPodName(ctx, sandbox, p, done)
	return done
}

// applyStep carries one step out. Where a creation finds the name taken, the object is read from the API server (the cache
// holds labelled objects only, and may lag) and decided about once more; a second surprise waits for the next pass.
func applyStep[T client.Object](
	ctx context.Context, r *Reconciler, sandbox *agentsv1beta1.Sandbox, s step[T], again func(T) step[T],
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
		return result[T]{action: wait, err: errorclass.ErrDeletedMeanwhile}
	}
	return executeStep(ctx, r, sandbox, again(was))
}

func executeStep[T client.Object](ctx context.Context, r *Reconciler, sandbox *agentsv1beta1.Sandbox, s step[T]) result[T] {
	res := result[T]{action: s.action, child: s.was}
	switch s.action {
	case leave, wait, create: // a creation here lost its name's holder meanwhile: next pass
	case refuse:
		res.err = s.refusal
	case patch:
		from := client.MergeFrom(s.was)
		if s.adopts {
			if err := owner.Recheck(ctx, r.live, sandbox); err != nil {
				res.err = fmt.Errorf("take %s: %w", kindAndName(s.was), err)
				return res
			}
		}
		if s.adopts || len(s.was.GetOwnerReferences()) != len(s.want.GetOwnerReferences()) {
			from = client.MergeFromWithOptions(s.was, client.MergeFromWithOptimisticLock{}) // a list is replaced whole
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

// delete deletes an object if it is still the one we saw; one that is gone already is a success.
func (r *Reconciler) delete(ctx context.Context, object client.Object, still client.Preconditions) error {
	err := r.client.Delete(ctx, object, still)
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("delete %s: %w", kindAndName(object), err)
	}
	return nil
}

// recordPodName keeps the pod-name annotation, a hint for clients, in step with the Pod that is there.
func (r *Reconciler) recordPodName(ctx context.Context, sandbox *agentsv1beta1.Sandbox, p plan, done results) error {
	if len(done.pods) == 1 && !done.pods[0].exists() {
		return nil
	}
	noted, has := sandbox.Annotations[apis.AnnotationPodName]
	if noted == p.podName && has == (p.podName != "") {
		return nil
	}
	is := sandbox.DeepCopy()
	if p.podName == "" {
		delete(is.Annotations, apis.AnnotationPodName)
	} else {
		setKey(&is.Annotations, apis.AnnotationPodName, p.podName)
	}
	err := r.client.Patch(ctx, is, client.MergeFrom(sandbox), client.FieldOwner(apis.FieldOwnerSandbox))
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("note the Pod's name: %w", err)
	}
	if err == nil && is.Generation == sandbox.Generation {
		is.DeepCopyInto(sandbox) // else the status that follows answers an older spec, and its lock refuses it
	}
	return nil
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
