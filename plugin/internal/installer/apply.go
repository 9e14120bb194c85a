// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package installer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/diff"
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

// pollInterval is the time between two checks while waiting.
const pollInterval = 500 * time.Millisecond

// applier applies the manifests and prints progress.
type applier struct {
	dynamic        dynamic.Interface
	kubernetes     kubernetes.Interface
	clock          clock.WithTicker
	streams        genericiooptions.IOStreams
	forceConflicts bool // overwrite fields that others set
	routersKnown   bool // all installed routers are known
}

func newApplier(f factory.Factory, streams genericiooptions.IOStreams) (*applier, error) {
	dynamic, err := f.Dynamic()
	if err != nil {
		return nil, err
	}
	kubernetes, err := f.Kubernetes()
	if err != nil {
		return nil, err
	}
	return &applier{dynamic: dynamic, kubernetes: kubernetes, clock: f.Clock(), streams: streams}, nil
}

// printNote prints a line of progress to stderr, best effort.
func (a *applier) printNote(format string, arguments ...any) {
	_, _ = printable.Fprintf(a.streams.ErrOut, format+"\n", arguments...)
}

// get returns the existing object, or nil.
func (a *applier) get(ctx context.Context, object *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	have, err := install.Resource(a.dynamic, object).Get(ctx, object.GetName(), metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", install.ResourceName(object), err)
	}
	return have, nil
}

// applyObject applies one object with server-side apply. An existing object is forced: fields of others were left out
// of want before, unless they are to be overwritten.
func (a *applier) applyObject(ctx context.Context, s step, dryRun bool) (*unstructured.Unstructured, error) {
	if isSigningKey(s.want) {
		return a.createKey(ctx, s, dryRun)
	}
	content, err := json.Marshal(s.want.Object)
	if err != nil {
		return nil, err
	}
	options := metav1.PatchOptions{FieldManager: apis.FieldOwnerPlugin, Force: new(s.have != nil)}
	if dryRun {
		options.DryRun = []string{metav1.DryRunAll}
	}
	got, err := install.Resource(a.dynamic, s.want).Patch(ctx, s.want.GetName(), types.ApplyPatchType, content, options)
	if err != nil {
		return nil, fmt.Errorf("apply %s: %w", install.ResourceName(s.want), err)
	}
	return got, nil
}

// outcome returns kubectl's word for what applying did. It compares contents, since a dry run returns no new resource
// version.
func outcome(s step, got *unstructured.Unstructured) string {
	switch {
	case s.have == nil:
		return "created"
	case equality.Semantic.DeepEqual(content(s.have), content(got)):
		return "unchanged"
	}
	return "configured"
}

// content returns the object without status and the metadata that the API server maintains.
func content(object *unstructured.Unstructured) map[string]any {
	object = object.DeepCopy()
	for _, field := range []string{"managedFields", "resourceVersion", "generation", "uid", "creationTimestamp"} {
		unstructured.RemoveNestedField(object.Object, "metadata", field)
	}
	delete(object.Object, "status")
	return object.Object
}

// printKept prints the fields that stay as somebody else set them.
func (a *applier) printKept(s step) {
	for _, field := range s.kept {
		a.printNote("%s keeps %s, which %s set; --force-conflicts takes it back.", install.ResourceName(s.want), field.path,
			field.manager)
	}
}

// apply applies the plan in order. CustomResourceDefinitions are established before the new operator starts. Obsolete
// grants are deleted last.
func (a *applier) apply(
	ctx context.Context, plan []step, obsolete []*unstructured.Unstructured, timeout <-chan time.Time,
) error {
	definitions := slices.IndexFunc(plan, func(s step) bool { return s.want.GetKind() != "CustomResourceDefinition" })
	if definitions < 0 {
		definitions = len(plan)
	}
	if err := a.applyAll(ctx, plan[:definitions]); err != nil {
		return err
	}
	for _, s := range plan[:definitions] {
		if err := a.waitUntil(ctx, timeout, install.ResourceName(s.want)+" to be established",
			func() (string, error) { return a.establishedObstacle(ctx, s.want) }); err != nil {
			return err
		}
	}
	if err := a.applyAll(ctx, plan[definitions:]); err != nil {
		return err
	}
	return a.deleteObsolete(ctx, obsolete)
}

// applyAll applies objects and prints the outcome of each.
func (a *applier) applyAll(ctx context.Context, plan []step) error {
	for _, s := range plan {
		got, err := a.applyObject(ctx, s, false)
		if err != nil {
			return fmt.Errorf("%w. The objects before it were applied: run the command again when the cause is gone", err)
		}
		if _, err := printable.Fprintf(a.streams.Out, "%s %s\n", install.ResourceName(s.want), outcome(s, got)); err != nil {
			return err
		}
		a.printKept(s)
	}
	return nil
}

// establishedObstacle returns what keeps the API server from serving a definition, or nothing.
func (a *applier) establishedObstacle(ctx context.Context, definition *unstructured.Unstructured) (string, error) {
	have, err := a.get(ctx, definition)
	if err != nil {
		return "", err
	}
	if have == nil {
		return "", fmt.Errorf("%s was deleted meanwhile", install.ResourceName(definition))
	}
	return definitionObstacle(have), nil
}

// definitionObstacle returns why the API server does not serve a definition yet, or nothing. Right after creation the
// conditions are null, which reads as an error of type and means not yet.
func definitionObstacle(definition *unstructured.Unstructured) string {
	conditions, _, _ := unstructured.NestedSlice(definition.Object, "status", "conditions")
	for _, condition := range conditions {
		fields, ok := condition.(map[string]any)
		switch {
		case !ok:
			continue
		case fields["type"] == "Established" && fields["status"] == "True":
			return ""
		case fields["type"] == "NamesAccepted" && fields["status"] == "False":
			return fmt.Sprint(fields["message"])
		}
	}
	return "the API server does not serve it yet"
}

// preview prints what would be applied. A dry run on the server includes a diff.
func (a *applier) preview(ctx context.Context, plan []step, obsolete []*unstructured.Unstructured, server bool) error {
	mode := "dry run"
	if server {
		mode = "server dry run"
	}
	for _, s := range plan {
		done, difference := "would be applied", ""
		if s.have == nil {
			done = "would be created"
		}
		if server {
			got, err := a.applyObject(ctx, s, true)
			switch {
			case apierrors.IsNotFound(err):
				done = "would be created; not checked, because its namespace does not exist yet"
			case err != nil:
				return err
			default:
				if done = outcome(s, got); done == "configured" {
					difference = diff.Diff(content(s.have), content(got))
				}
			}
		}
		if _, err := printable.Fprintf(a.streams.Out, "%s %s (%s)\n", install.ResourceName(s.want), done, mode); err != nil {
			return err
		}
		if _, err := io.WriteString(a.streams.Out, printable.Text(difference)); err != nil {
			return err
		}
		a.printKept(s)
	}
	for _, object := range obsolete {
		if _, err := printable.Fprintf(a.streams.Out, "%s would be deleted (%s)\n", install.ResourceName(object),
			mode); err != nil {
			return err
		}
	}
	return nil
}

// waitUntil polls until there is no obstacle, and prints each new one.
func (a *applier) waitUntil(
	ctx context.Context, timeout <-chan time.Time, what string, look func() (obstacle string, err error),
) error {
	ticker := a.clock.NewTicker(pollInterval)
	defer ticker.Stop()
	printed := ""
	for {
		obstacle, err := look()
		if err != nil || obstacle == "" {
			return err
		}
		if obstacle != printed {
			a.printNote("Waiting for %s: %s", what, obstacle)
			printed = obstacle
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-timeout:
			return cli.TimeoutError(errors.New("timed out waiting for " + what + ": " + obstacle))
		case <-ticker.C():
		}
	}
}
