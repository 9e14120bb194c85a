// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package uninstall

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/operator/install"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
)

const (
	// pollInterval is how often we look while we wait.
	pollInterval = 500 * time.Millisecond
	// quietPolls is how many looks pass before we say that we wait: most things are gone soon.
	quietPolls = 4
	// pageSize is how many objects are counted with one request.
	pageSize = 500
)

type remover struct {
	dynamic    dynamic.Interface
	kubernetes kubernetes.Interface
	clock      clock.WithTicker
	streams    genericiooptions.IOStreams
}

func newRemover(f factory.Factory, streams genericiooptions.IOStreams) (*remover, error) {
	dynamic, err := f.Dynamic()
	if err != nil {
		return nil, err
	}
	kubernetes, err := f.Kubernetes()
	if err != nil {
		return nil, err
	}
	return &remover{dynamic: dynamic, kubernetes: kubernetes, clock: f.Clock(), streams: streams}, nil
}

// printNote writes a line of progress; one that cannot be shown is lost.
func (r *remover) printNote(format string, arguments ...any) {
	_, _ = printable.Fprintf(r.streams.ErrOut, format+"\n", arguments...)
}

// findInstalled returns those of the objects that exist and that install made.
func (r *remover) findInstalled(
	ctx context.Context, objects []*unstructured.Unstructured,
) ([]*unstructured.Unstructured, error) {
	var mine []*unstructured.Unstructured
	for _, object := range objects {
		have, err := install.Resource(r.dynamic, object).Get(ctx, object.GetName(), metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err):
		case err != nil:
			return nil, fmt.Errorf("read %s: %w", install.ResourceName(object), err)
		case install.IsOurs(have):
			mine = append(mine, have)
		default:
			r.printNote("%s stays: it was not made by install.", install.ResourceName(object))
		}
	}
	return mine, nil
}

// count counts the objects of a CustomResourceDefinition.
func (r *remover) count(ctx context.Context, definition *unstructured.Unstructured) (int, string, error) {
	group, _, _ := unstructured.NestedString(definition.Object, "spec", "group")            // a CRD without one
	plural, _, _ := unstructured.NestedString(definition.Object, "spec", "names", "plural") // does not exist
	resource := schema.GroupVersionResource{Group: group, Version: apis.VersionV1beta1, Resource: plural}
	count := 0
	options := metav1.ListOptions{Limit: pageSize}
	for {
		list, err := r.dynamic.Resource(resource).List(ctx, options)
		if apierrors.IsNotFound(err) {
			return 0, plural, nil
		}
		if err != nil {
			return 0, plural, fmt.Errorf("count %s: %w", plural, err)
		}
		count += len(list.Items)
		if options.Continue = list.GetContinue(); options.Continue == "" {
			return count, plural, nil
		}
	}
}

// remove deletes one after the other and waits for each: what comes later is what the earlier ones need to end well.
func (r *remover) remove(ctx context.Context, objects []*unstructured.Unstructured, timeout <-chan time.Time) error {
	for _, object := range objects {
		if err := r.delete(ctx, object); err != nil {
			return err
		}
		if err := r.waitDeleted(ctx, object, timeout); err != nil {
			return err
		}
		if _, err := printable.Fprintf(r.streams.Out, "%s deleted\n", install.ResourceName(object)); err != nil {
			return err
		}
	}
	return nil
}

func (r *remover) delete(ctx context.Context, object *unstructured.Unstructured) error {
	err := install.Resource(r.dynamic, object).Delete(ctx, object.GetName(), metav1.DeleteOptions{
		PropagationPolicy: new(
			metav1.DeletePropagationForeground,
		),
		Preconditions: &metav1.Preconditions{UID: new(object.GetUID())},
	})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("delete %s: %w", install.ResourceName(object), err)
	}
	return nil
}

// waitDeleted waits until the object is no more.
func (r *remover) waitDeleted(ctx context.Context, object *unstructured.Unstructured, timeout <-chan time.Time) error {
	ticker := r.clock.NewTicker(pollInterval)
	defer ticker.Stop()
	told, soon := "", quietPolls
	for {
		have, err := install.Resource(r.dynamic, object).Get(ctx, object.GetName(), metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err), err == nil && have.GetUID() != object.GetUID():
			return nil
		case err != nil:
			return fmt.Errorf("read %s: %w", install.ResourceName(object), err)
		}
		obstacle := deletionObstacle(have)
		if soon--; soon < 0 && obstacle != told {
			r.printNote("Waiting for %s to be gone%s", install.ResourceName(object), obstacle)
			told = obstacle
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-timeout:
			return cli.TimeoutError(
				errors.New("timed out waiting for " + install.ResourceName(object) + " to be gone" + obstacle),
			)
		case <-ticker.C():
		}
	}
}

// deletionObstacle is what the API server says about an object that is not gone yet.
func deletionObstacle(object *unstructured.Unstructured) string {
	conditions, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions") // none is as good as a wrong type
	for _, condition := range conditions {
		fields, ok := condition.(map[string]any)
		if !ok || fields["status"] != "True" {
			continue
		}
		switch fields["type"] {
		case "NamespaceContentRemaining", "NamespaceFinalizersRemaining", "NamespaceDeletionContentFailure", "Terminating":
			return fmt.Sprintf(": %v", fields["message"])
		}
	}
	finalizers := slices.DeleteFunc(
		object.GetFinalizers(), func(f string) bool { return f == metav1.FinalizerDeleteDependents },
	)
	if len(finalizers) > 0 {
		return fmt.Sprintf(": it has the finalizers %v", finalizers)
	}
	return ""
}
