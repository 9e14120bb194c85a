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
	// pollInterval is the time between two checks whether an object is gone.
	pollInterval = 500 * time.Millisecond
	// quietPolls is how many checks pass before the wait is reported, because most objects are gone soon.
	quietPolls = 4
	// pageSize is how many objects one request counts.
	pageSize = 500
)

// remover deletes what install created.
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

// printNote prints a line of progress, best effort.
func (r *remover) printNote(format string, arguments ...any) {
	_, _ = printable.Fprintf(r.streams.ErrOut, format+"\n", arguments...)
}

// findInstalled returns the objects that exist and that install created. It reports those that others created.
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
			r.printNote("%s stays: it was not created by install.", install.ResourceName(object))
		}
	}
	return mine, nil
}

// count returns the number of objects of a CustomResourceDefinition, and their plural name.
func (r *remover) count(ctx context.Context, definition *unstructured.Unstructured) (int, string, error) {
	group, _, _ := unstructured.NestedString(definition.Object, "spec", "group") // the API server requires both
	plural, _, _ := unstructured.NestedString(definition.Object, "spec", "names", "plural")
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

// remove deletes the objects one after the other and waits for each, because the earlier ones may need the later ones
// until they are gone.
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
		PropagationPolicy: new(metav1.DeletePropagationForeground),
		Preconditions:     &metav1.Preconditions{UID: new(object.GetUID())},
	})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("delete %s: %w", install.ResourceName(object), err)
	}
	return nil
}

// waitDeleted waits until the object is gone.
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
			r.printNote("Waiting for %s to be deleted%s", install.ResourceName(object), obstacle)
			told = obstacle
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-timeout:
			return cli.TimeoutError(
				errors.New("timed out waiting for " + install.ResourceName(object) + " to be deleted" + obstacle))
		case <-ticker.C():
		}
	}
}

// deletionObstacle returns what the API server reports about an object that is not gone yet, or nothing.
func deletionObstacle(object *unstructured.Unstructured) string {
	conditions, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions") // a wrong type counts as none
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
	foreground := func(finalizer string) bool { return finalizer == metav1.FinalizerDeleteDependents }
	if finalizers := slices.DeleteFunc(object.GetFinalizers(), foreground); len(finalizers) > 0 {
		return fmt.Sprintf(": it has the finalizers %v", finalizers)
	}
	return ""
}
