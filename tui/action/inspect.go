// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package action

import (
	"context"
	"errors"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/diagnose"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// Page is everything that the dashboard shows about one object, as of one time.
type Page struct {
	Target Target
	// Found, Snapshot and Diagnosis are set for a claim or Sandbox; of a pool or template Snapshot has only the events.
	Found     *resolve.Target
	Snapshot  diagnose.Snapshot
	Diagnosis diagnose.Diagnosis
	// YAML has the objects as the API server returned them, without managed fields.
	YAML string
}

func (d *Dispatcher) inspect(ctx context.Context, t Target) (*Page, error) {
	page := &Page{Target: t}
	switch t.Kind {
	case resolve.KindPool:
		pool, err := d.pools.Pool(ctx, t.Namespace, t.Name)
		if err != nil {
			return nil, err
		}
		page.Snapshot.Events = d.observer.Events(ctx, t.Namespace, pool)
		return page, page.write(apis.KindSandboxWarmPool, extensionsv1beta1.SchemeGroupVersion.String(), pool)
	case resolve.KindTemplate:
		template, err := d.pools.Template(ctx, t.Namespace, t.Name)
		if err != nil {
			return nil, err
		}
		page.Snapshot.Events = d.observer.Events(ctx, t.Namespace, template)
		return page, page.write(apis.KindSandboxTemplate, extensionsv1beta1.SchemeGroupVersion.String(), template)
	default:
	}
	found, err := d.resolver.ReadableObjects(ctx, t.Namespace, t.Ref())
	if err != nil {
		return nil, err
	}
	if err := checkUID(found, t); err != nil {
		return nil, err
	}
	page.Found, page.Snapshot = found, d.observer.Snapshot(ctx, found)
	page.Diagnosis = diagnose.Of(page.Snapshot)
	var failed []error
	if found.Claim != nil {
		failed = append(failed, page.write(apis.KindSandboxClaim, extensionsv1beta1.SchemeGroupVersion.String(), found.Claim))
	}
	if found.Sandbox != nil {
		failed = append(failed, page.write(apis.KindSandbox, agentsv1beta1.SchemeGroupVersion.String(), found.Sandbox))
	}
	if found.Pod != nil {
		failed = append(failed, page.write("Pod", "v1", found.Pod))
	}
	return page, errors.Join(failed...)
}

// object is any of our kinds.
type object interface {
	runtime.Object
	metav1.Object
}

// write adds an object to the YAML.
func (p *Page) write(kind, version string, o object) error {
	clean, ok := o.DeepCopyObject().(object)
	if !ok {
		return fmt.Errorf("%s cannot be copied", kind)
	}
	clean.SetManagedFields(nil)
	text, err := printable.YAML(clean)
	if err != nil {
		return fmt.Errorf("write %s: %w", kind, err)
	}
	if p.YAML != "" {
		p.YAML += "---\n"
	}
	// The clients leave apiVersion and kind empty.
	if !strings.Contains(string(text), "\nkind: "+kind+"\n") {
		p.YAML += "apiVersion: " + version + "\nkind: " + kind + "\n"
	}
	p.YAML += string(text)
	return nil
}
