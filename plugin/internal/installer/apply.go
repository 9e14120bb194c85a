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

// pollInterval is how often we look while we wait.
const pollInterval = 500 * time.Millisecond

type applier struct {
	dynamic        dynamic.Interface
	kubernetes     kubernetes.Interface
	clock          clock.WithTicker
	streams        genericiooptions.IOStreams
	forceConflicts bool // what others set is taken back
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

// printNote writes a line of progress; one that cannot be shown is lost.
func (a *applier) printNote(format string, arguments ...any) {
	_, _ = printable.Fprintf(a.streams.ErrOut, format+"\n", arguments...)
}

// get returns the object of that name, nil if there is none.
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

// applyObject applies one object. What is there is ours: what somebody else set was left out of what is wanted, or is taken back.
func (a *applier) applyObject(ctx context.Context, s step, dryRun bool) (*unstructured.Unstructured, error) {
	content, err := json.Marshal(s.want.Object)
	if err != nil {
		return nil, err
	}
	options := metav1.PatchOptions{FieldManager: apis.FieldOwnerPlugin, Force: new(s.have != nil)}
	if dryRun {
		options.DryRun = []string{metav1.DryRunAll}
	}
	is, err := install.Resource(a.dynamic, s.want).Patch(ctx, s.want.GetName(), types.ApplyPatchType, content, options)
	if err != nil {
		return nil, fmt.Errorf("apply %s: %w", install.ResourceName(s.want), err)
	}
	return is, nil
}

// outcome is what applying did, in kubectl's words. It compares contents: a dry run has no resource version of its own.
func outcome(s step, is *unstructured.Unstructured) string {
	switch {
	case s.have == nil:
		return "created"
	case equality.Semantic.DeepEqual(content(s.have), content(is)):
		return "unchanged"
	}
	return "configured"
}

// content is an object without what the API server keeps about it.
func content(object *unstructured.Unstructured) map[string]any {
	object = object.DeepCopy()
	for _, field := range []string{"managedFields", "resourceVersion", "generation", "uid", "creationTimestamp"} {
		unstructured.RemoveNestedField(object.Object, "metadata", field)
	}
	delete(object.Object, "status")
	return object.Object
}

// printKept says what stays as somebody else set it.
func (a *applier) printKept(s step) {
	for _, field := range s.kept {
		a.printNote("%s keeps %s, which %s set; --force-conflicts takes it back.", install.ResourceName(s.want), field.path, field.manager)
	}
}

// apply applies the plan in order. The CustomResourceDefinitions are served before the operator of the new version starts. What
// earlier versions granted and this one does not is taken away last.
func (a *applier) apply(ctx context.Context, plan []step, obsolete []*unstructured.Unstructured, timeout <-chan time.Time) error {
	definitions := slices.IndexFunc(plan, func(s step) bool { return s.want.GetKind() != "CustomResourceDefinition" })
	if definitions < 0 {
		definitions = len(plan)
	}
	if err := a.applyAll(ctx, plan[:definitions]); err != nil {
		return err
	}
	for _, s := range plan[:definitions] {
		if err := a.waitUntil(ctx, timeout, install.ResourceName(s.want)+" to be established", func() (string, error) { return a.establishedObstacle(ctx, s.want) }); err != nil {
			return err
		}
	}
	if err := a.applyAll(ctx, plan[definitions:]); err != nil {
		return err
	}
	return a.deleteObsolete(ctx, obsolete)
}

func (a *applier) applyAll(ctx context.Context, plan []step) error {
	for _, s := range plan {
		is, err := a.applyObject(ctx, s, false)
		if err != nil {
			return fmt.Errorf("%w. The objects before it were applied: run the command again when the cause is gone", err)
		}
		if _, err := printable.Fprintf(a.streams.Out, "%s %s\n", install.ResourceName(s.want), outcome(s, is)); err != nil {
			return err
		}
		a.printKept(s)
	}
	return nil
}

// establishedObstacle says what keeps the API server from serving the resource; empty when nothing does.
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

// definitionObstacle says why the API server does not serve a definition; empty when it does. Right after the creation the
// conditions are null, which reads as a wrong type and means: not yet.
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

// preview says what would be done; the server's word comes with a diff.
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
			is, err := a.applyObject(ctx, s, true)
			switch {
			case apierrors.IsNotFound(err):
				done = "would be created; not checked, because its namespace does not exist yet"
			case err != nil:
				return err
			default:
				if done = outcome(s, is); done == "configured" {
					difference = diff.Diff(content(s.have), content(is))
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
		if _, err := printable.Fprintf(a.streams.Out, "%s would be deleted (%s)\n", install.ResourceName(object), mode); err != nil {
			return err
		}
	}
	return nil
}

// waitUntil looks again and again until there is no obstacle, and tells of each new one.
func (a *applier) waitUntil(ctx context.Context, timeout <-chan time.Time, what string, look func() (obstacle string, err error)) error {
	ticker := a.clock.NewTicker(pollInterval)
	defer ticker.Stop()
	told := ""
	for {
		obstacle, err := look()
		if err != nil || obstacle == "" {
			return err
		}
		if obstacle != told {
			a.printNote("Waiting for %s: %s", what, obstacle)
			told = obstacle
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
