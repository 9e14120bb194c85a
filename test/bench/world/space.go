// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package world

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/bench/ledger"
	"github.com/agent-sandbox/kubectl-sandbox/test/bench/load"
)

// Variants of the template, which are images of its container. The images do not exist, because no container runs.
const (
	FirstVariant  = "localhost/bench:v1"
	SecondVariant = "localhost/bench:v2"
)

const (
	templateName = "bench"
	poolName     = "pool"
)

// Space is a namespace with a template, an optional pool, and the client's watches.
type Space struct {
	*observer

	Name  string
	world *World
	pool  types.UID
}

// Open creates a namespace with a template of the first variant, and watches it.
func (w *World) Open(ctx context.Context) (*Space, error) {
	name, err := w.addNamespace(ctx)
	if err != nil {
		return nil, err
	}
	s := &Space{Name: name, world: w}
	s.observer, err = w.observe(ctx, s.Name)
	return s, err
}

// namespacePrefix is what the names of the benchmark's namespaces begin with.
const namespacePrefix = "bench-"

// addNamespace creates a namespace with a template of the first variant, and returns its name.
func (w *World) addNamespace(ctx context.Context) (string, error) {
	namespace := &corev1.Namespace{}
	namespace.GenerateName = namespacePrefix
	if err := w.Client.Create(ctx, namespace); err != nil {
		return "", err
	}
	if err := w.namespaceReady(ctx, namespace.Name); err != nil {
		return "", err
	}
	return namespace.Name, w.Client.Create(ctx, newTemplate(namespace.Name))
}

// deleteNamespace does not wait until the namespace is gone.
func (w *World) deleteNamespace(ctx context.Context, name string) error {
	namespace := &corev1.Namespace{}
	namespace.Name = name
	return w.Client.Delete(ctx, namespace)
}

func newTemplate(namespace string) *extensionsv1beta1.SandboxTemplate {
	t := &extensionsv1beta1.SandboxTemplate{}
	t.Namespace, t.Name = namespace, templateName
	t.Spec.PodTemplate.Spec = podSpec()
	return t
}

func podSpec() corev1.PodSpec {
	return corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: FirstVariant}}}
}

// Leave ends the watches and deletes the namespace without waiting until it is gone.
func (s *Space) Leave(ctx context.Context) error {
	s.end()
	return s.world.deleteNamespace(ctx, s.Name)
}

// Close is Leave and waits until the namespace is gone, so that its deletion does not disturb the next measurement.
func (s *Space) Close(ctx context.Context) error {
	if err := s.Leave(ctx); err != nil {
		return err
	}
	return waitUntil(ctx, "namespace "+s.Name+" is gone", func() (bool, error) {
		err := s.world.Client.Get(ctx, client.ObjectKey{Name: s.Name}, &corev1.Namespace{})
		return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
	})
}

// Strategy is the update strategy of a pool. Empty means the API's default.
type Strategy = extensionsv1beta1.SandboxWarmPoolUpdateStrategyType

// AddPool creates an empty pool of the template.
func (s *Space) AddPool(ctx context.Context, strategy Strategy) error {
	p := newPool(s.Name, poolName, 0)
	if strategy != "" {
		p.Spec.UpdateStrategy = &extensionsv1beta1.SandboxWarmPoolUpdateStrategy{Type: strategy}
	}
	if err := s.world.Client.Create(ctx, p); err != nil {
		return err
	}
	s.pool = p.UID
	return nil
}

func newPool(namespace, name string, size int32) *extensionsv1beta1.SandboxWarmPool {
	p := &extensionsv1beta1.SandboxWarmPool{}
	p.Namespace, p.Name = namespace, name
	p.Spec.TemplateRef.Name = templateName
	p.Spec.Replicas = &size
	return p
}

// FillPool sets the pool's size and returns the time until the watch showed as many Ready members.
func (s *Space) FillPool(ctx context.Context, size int) (time.Duration, error) {
	s.SetLimit(s.pool, size)
	begin := time.Now()
	err := s.patch(ctx, &extensionsv1beta1.SandboxWarmPool{}, poolName, fmt.Sprintf(`{"spec":{"replicas":%d}}`, size))
	if err != nil {
		return 0, err
	}
	if err := s.PoolFull(ctx); err != nil {
		return 0, err
	}
	return s.Members().FullAt.Sub(begin), nil
}

// PoolFull waits until all members exist and are Ready, according to both the watch and the pool's status.
func (s *Space) PoolFull(ctx context.Context) error {
	return waitUntil(ctx, "the pool is full", func() (bool, error) {
		p := s.Members()
		if err := s.Err(); err != nil || p.Ready != p.Limit || p.Members != p.Limit {
			return false, err
		}
		var pool extensionsv1beta1.SandboxWarmPool
		err := s.world.Client.Get(ctx, client.ObjectKey{Namespace: s.Name, Name: poolName}, &pool)
		return int(pool.Status.Replicas) == p.Limit && int(pool.Status.ReadyReplicas) == p.Limit, err
	})
}

// TrackFewest starts to record the smallest number of Ready members of the pool.
func (s *Space) TrackFewest() { s.Ledger.TrackFewest(s.pool) }

// Members returns the counts of the pool that the watch shows.
func (s *Space) Members() ledger.Pool { return s.Pool(s.pool) }

// WantVariant makes members of other variants count as stale from now on.
func (s *Space) WantVariant(variant string) { s.ExpectVariant(s.pool, variant) }

// SetVariant changes the template. It returns when the API server has responded.
func (s *Space) SetVariant(ctx context.Context, variant string) error {
	return s.patch(ctx, &extensionsv1beta1.SandboxTemplate{}, templateName,
		fmt.Sprintf(`{"spec":{"podTemplate":{"spec":{"containers":[{"name":"main","image":%q}]}}}}`, variant))
}

func (s *Space) patch(ctx context.Context, object client.Object, name, merge string) error {
	object.SetNamespace(s.Name)
	object.SetName(name)
	return s.world.Client.Patch(ctx, object, client.RawPatch(types.MergePatchType, []byte(merge)))
}

// Kind returns a new object for the client to create.
type Kind func(namespace, name string) client.Object

// Warm returns a claim that any pool of the template may serve.
func Warm(namespace, name string) client.Object {
	c := &extensionsv1beta1.SandboxClaim{}
	c.Namespace, c.Name = namespace, name
	c.Spec.TemplateRef = &extensionsv1beta1.SandboxTemplateRef{Name: templateName}
	return c
}

// Cold returns a claim that no pool serves.
func Cold(namespace, name string) client.Object {
	c := Warm(namespace, name).(*extensionsv1beta1.SandboxClaim) //nolint:errcheck // Warm returns a claim
	c.Spec.WarmPool = new(extensionsv1beta1.WarmPoolPolicy("none"))
	return c
}

// Bare returns a Sandbox without a claim.
func Bare(namespace, name string) client.Object {
	b := &agentsv1beta1.Sandbox{}
	b.Namespace, b.Name = namespace, name
	b.Spec.PodTemplate.Spec = podSpec()
	return b
}

// Suspended returns a Sandbox without a claim, which never has a Pod.
func Suspended(namespace, name string) client.Object {
	b := Bare(namespace, name).(*agentsv1beta1.Sandbox) //nolint:errcheck // Bare returns a Sandbox
	b.Spec.OperatingMode = new(agentsv1beta1.OperatingModeSuspended)
	return b
}

// Name returns the name of the object that Create creates as number i.
func Name(prefix string, i int) string { return fmt.Sprintf("%s-%05d", prefix, i) }

// Create creates objects on the schedule and returns when the API server has responded to all requests. Err returns the
// failures.
func (s *Space) Create(ctx context.Context, kind Kind, prefix string, schedule load.Schedule) {
	schedule.Drive(ctx, func(ctx context.Context, i int) {
		s.create(ctx, kind(s.Name, Name(prefix, i)))
	})
}

// Delete deletes the objects of Create.
func (s *Space) Delete(ctx context.Context, kind Kind, prefix string, schedule load.Schedule) {
	schedule.Drive(ctx, func(ctx context.Context, i int) {
		object := kind(s.Name, Name(prefix, i))
		if err := client.IgnoreNotFound(s.world.Client.Delete(ctx, object)); err != nil {
			s.addError(fmt.Errorf("delete %s: %w", object.GetName(), err))
		}
	})
}

// Touch changes an annotation of a Sandbox, which causes a reconcile without writes.
func (s *Space) Touch(ctx context.Context, name, value string) error {
	return s.patch(ctx, &agentsv1beta1.Sandbox{}, name, fmt.Sprintf(`{"metadata":{"annotations":{"bench":%q}}}`, value))
}
