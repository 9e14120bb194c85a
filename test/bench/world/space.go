// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package world

import (
	"context"
	"errors"
	"fmt"
	"sync"
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

// Variants of the template: the image of its container. Nothing runs, so none exists.
const (
	First  = "localhost/bench:v1"
	Second = "localhost/bench:v2"
)

const (
	templateName = "bench"
	poolName     = "pool"
)

// Space is a namespace with a template, perhaps a pool, and the client's watches.
type Space struct {
	*ledger.Ledger

	Name  string
	world *World
	pool  types.UID
	stop  context.CancelFunc
	done  sync.WaitGroup
	mu    sync.Mutex
	errs  []error
}

// Open makes a namespace with a template of the First variant, and watches it.
func (w *World) Open(ctx context.Context) (*Space, error) {
	namespace := &corev1.Namespace{}
	namespace.GenerateName = "bench-"
	if err := w.Client.Create(ctx, namespace); err != nil {
		return nil, err
	}
	s := &Space{Ledger: ledger.New(), Name: namespace.Name, world: w}
	if err := w.namespaceReady(ctx, s.Name); err != nil {
		return nil, err
	}
	if err := w.Client.Create(ctx, s.template()); err != nil {
		return nil, err
	}
	watching, stop := context.WithCancel(ctx)
	s.stop = stop
	if err := s.watch(watching, &extensionsv1beta1.SandboxClaimList{}); err != nil {
		stop()
		return nil, err
	}
	if err := s.watch(watching, &agentsv1beta1.SandboxList{}); err != nil {
		stop()
		return nil, err
	}
	return s, nil
}

func (s *Space) template() *extensionsv1beta1.SandboxTemplate {
	t := &extensionsv1beta1.SandboxTemplate{}
	t.Namespace, t.Name = s.Name, templateName
	t.Spec.PodTemplate.Spec = podSpec()
	return t
}

func podSpec() corev1.PodSpec {
	return corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: First}}}
}

func (s *Space) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	const enough = 5
	if len(s.errs) < enough {
		s.errs = append(s.errs, err)
	}
}

// Err is what went wrong for the client.
func (s *Space) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return errors.Join(s.errs...)
}

// Leave ends the watches and has the namespace deleted, with all that is in it; it does not wait for that.
func (s *Space) Leave(ctx context.Context) error {
	s.stop()
	s.done.Wait()
	namespace := &corev1.Namespace{}
	namespace.Name = s.Name
	return s.world.Client.Delete(ctx, namespace)
}

// Close is Leave, and waits until the namespace is gone: what goes on in it would disturb whoever is measured next.
func (s *Space) Close(ctx context.Context) error {
	if err := s.Leave(ctx); err != nil {
		return err
	}
	return until(ctx, "namespace "+s.Name+" is gone", func() (bool, error) {
		err := s.world.Client.Get(ctx, client.ObjectKey{Name: s.Name}, &corev1.Namespace{})
		return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
	})
}

// Strategy is how a pool follows its template; empty is the API's default.
type Strategy = extensionsv1beta1.SandboxWarmPoolUpdateStrategyType

// AddPool creates an empty pool of the template.
func (s *Space) AddPool(ctx context.Context, strategy Strategy) error {
	p := &extensionsv1beta1.SandboxWarmPool{}
	p.Namespace, p.Name = s.Name, poolName
	p.Spec.TemplateRef.Name = templateName
	p.Spec.Replicas = new(int32(0))
	if strategy != "" {
		p.Spec.UpdateStrategy = &extensionsv1beta1.SandboxWarmPoolUpdateStrategy{Type: strategy}
	}
	if err := s.world.Client.Create(ctx, p); err != nil {
		return err
	}
	s.pool = p.UID
	return nil
}

// FillPool sets the pool's size and returns how long it took until the watch showed that many Ready members.
func (s *Space) FillPool(ctx context.Context, size int) (time.Duration, error) {
	s.Limit(s.pool, size)
	begin := time.Now()
	err := s.patch(ctx, &extensionsv1beta1.SandboxWarmPool{}, poolName, fmt.Sprintf(`{"spec":{"replicas":%d}}`, size))
	if err != nil {
		return 0, err
	}
	if err := s.PoolFull(ctx); err != nil {
		return 0, err
	}
	return s.Members().Full.Sub(begin), nil
}

// PoolFull waits until every member is there and Ready, as the watch shows and as the pool's status says.
func (s *Space) PoolFull(ctx context.Context) error {
	return until(ctx, "the pool is full", func() (bool, error) {
		p := s.Members()
		if err := s.Err(); err != nil || p.Ready != p.Limit || p.Members != p.Limit {
			return false, err
		}
		var pool extensionsv1beta1.SandboxWarmPool
		err := s.world.Client.Get(ctx, client.ObjectKey{Namespace: s.Name, Name: poolName}, &pool)
		return int(pool.Status.Replicas) == p.Limit && int(pool.Status.ReadyReplicas) == p.Limit, err
	})
}

// Members counts the pool as the watch shows it.
func (s *Space) Members() ledger.Pool { return s.Pool(s.pool) }

// WantVariant counts members of other variants as stale from now on.
func (s *Space) WantVariant(variant string) { s.Want(s.pool, variant) }

// SetVariant changes the template. When it returns, the API server has answered.
func (s *Space) SetVariant(ctx context.Context, variant string) error {
	return s.patch(ctx, &extensionsv1beta1.SandboxTemplate{}, templateName,
		fmt.Sprintf(`{"spec":{"podTemplate":{"spec":{"containers":[{"name":"main","image":%q}]}}}}`, variant))
}

func (s *Space) patch(ctx context.Context, object client.Object, name, merge string) error {
	object.SetNamespace(s.Name)
	object.SetName(name)
	return s.world.Client.Patch(ctx, object, client.RawPatch(types.MergePatchType, []byte(merge)))
}

// Kind is what the client creates.
type Kind func(namespace, name string) client.Object

// Warm is a claim that any pool of the template may serve.
func Warm(namespace, name string) client.Object {
	c := &extensionsv1beta1.SandboxClaim{}
	c.Namespace, c.Name = namespace, name
	c.Spec.TemplateRef = &extensionsv1beta1.SandboxTemplateRef{Name: templateName}
	return c
}

// Cold is a claim that no pool serves.
func Cold(namespace, name string) client.Object {
	c := Warm(namespace, name).(*extensionsv1beta1.SandboxClaim) //nolint:errcheck // made above
	c.Spec.WarmPool = new(extensionsv1beta1.WarmPoolPolicy("none"))
	return c
}

// Bare is a Sandbox that nobody claims.
func Bare(namespace, name string) client.Object {
	b := &agentsv1beta1.Sandbox{}
	b.Namespace, b.Name = namespace, name
	b.Spec.PodTemplate.Spec = podSpec()
	return b
}

// Name is that of the object that Create makes as number i of a run.
func Name(prefix string, i int) string { return fmt.Sprintf("%s-%05d", prefix, i) }

// Create creates objects as the schedule says and returns when every creation was answered. A creation that fails is an error of the Space.
func (s *Space) Create(ctx context.Context, kind Kind, prefix string, schedule load.Schedule) {
	schedule.Drive(ctx, func(ctx context.Context, i int) {
		object := kind(s.Name, Name(prefix, i))
		s.Asked(object.GetName(), time.Now())
		if err := s.world.Client.Create(ctx, object); err != nil {
			s.fail(fmt.Errorf("create %s: %w", object.GetName(), err))
		}
	})
}

// Delete deletes what Create made.
func (s *Space) Delete(ctx context.Context, kind Kind, prefix string, schedule load.Schedule) {
	schedule.Drive(ctx, func(ctx context.Context, i int) {
		object := kind(s.Name, Name(prefix, i))
		if err := client.IgnoreNotFound(s.world.Client.Delete(ctx, object)); err != nil {
			s.fail(fmt.Errorf("delete %s: %w", object.GetName(), err))
		}
	})
}

// AllReady waits until the watch has shown that many of the created objects Ready.
func (s *Space) AllReady(ctx context.Context, count int) error {
	err := until(ctx, fmt.Sprintf("%d are Ready", count), func() (bool, error) {
		return s.Ready() >= count, s.Err()
	})
	if err != nil {
		return fmt.Errorf("%d of %d were Ready: %w", s.Ready(), count, err)
	}
	return nil
}

// Touch changes an annotation of a Sandbox, which wakes the operator and gives it nothing to write.
func (s *Space) Touch(ctx context.Context, name, value string) error {
	return s.patch(ctx, &agentsv1beta1.Sandbox{}, name, fmt.Sprintf(`{"metadata":{"annotations":{"bench":%q}}}`, value))
}
