// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package world

import (
	"context"
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/bench/ledger"
	"github.com/agent-sandbox/kubectl-sandbox/test/bench/load"
)

// Fleet is many namespaces with a template and pools, and the client's watches of all namespaces.
type Fleet struct {
	*observer

	world      *World
	namespaces []string
	pools      []fleetPool
}

type fleetPool struct {
	namespace, name string
	uid             types.UID
}

// OpenFleet creates the namespaces, and watches the whole cluster. It waits until namespaces of earlier scenarios are
// gone.
func (w *World) OpenFleet(ctx context.Context, namespaces int) (*Fleet, error) {
	err := waitUntil(ctx, "the namespaces of earlier scenarios are gone", func() (bool, error) {
		var all corev1.NamespaceList
		err := w.Client.List(ctx, &all)
		for _, one := range all.Items {
			if strings.HasPrefix(one.Name, namespacePrefix) {
				return false, err
			}
		}
		return true, err
	})
	if err != nil {
		return nil, err
	}
	f := &Fleet{world: w}
	if f.observer, err = w.observe(ctx, ""); err != nil {
		return nil, err
	}
	for range namespaces {
		name, err := w.addNamespace(ctx)
		if err != nil {
			return nil, errors.Join(err, f.Leave(ctx))
		}
		f.namespaces = append(f.namespaces, name)
	}
	return f, nil
}

// Leave ends the watches and deletes the namespaces without waiting until they are gone.
func (f *Fleet) Leave(ctx context.Context) error {
	f.end()
	var failed []error
	for _, name := range f.namespaces {
		failed = append(failed, f.world.deleteNamespace(ctx, name))
	}
	return errors.Join(failed...)
}

// AddPools creates as many pools as given in each namespace, and waits until they are full.
func (f *Fleet) AddPools(ctx context.Context, pools, size int) error {
	for i := range pools {
		for _, namespace := range f.namespaces {
			// Members are named after their pool, and the ledger knows Sandboxes by name.
			p := newPool(namespace, fmt.Sprintf("pool-%d-of-%s", i, namespace), int32(size)) //nolint:gosec // a small number
			if err := f.world.Client.Create(ctx, p); err != nil {
				return err
			}
			f.SetLimit(p.UID, size)
			f.pools = append(f.pools, fleetPool{namespace: namespace, name: p.Name, uid: p.UID})
		}
		if err := f.PoolsFull(ctx); err != nil {
			return err
		}
	}
	return nil
}

// PoolsFull waits until the watch shows all members of all pools Ready.
func (f *Fleet) PoolsFull(ctx context.Context) error {
	return waitUntil(ctx, "the pools are full", func() (bool, error) {
		for _, pool := range f.pools {
			if p := f.Pool(pool.uid); p.Ready != p.Limit || p.Members != p.Limit {
				return false, f.Err()
			}
		}
		return true, f.Err()
	})
}

// AddSandboxes creates Sandboxes in all namespaces in turn, on the schedule.
func (f *Fleet) AddSandboxes(ctx context.Context, kind Kind, prefix string, schedule load.Schedule) {
	schedule.Drive(ctx, func(ctx context.Context, i int) {
		object := kind(f.namespaces[i%len(f.namespaces)], Name(prefix, i))
		if err := f.client.Create(ctx, object); err != nil {
			f.addError(fmt.Errorf("create %s: %w", object.GetName(), err))
		}
	})
}

// Settled waits until at least as many Sandboxes are Ready and suspended as given, whoever owns them.
func (f *Fleet) Settled(ctx context.Context, want ledger.Counts) error {
	err := waitUntil(ctx, "the Sandboxes are Ready or suspended", func() (bool, error) {
		got := f.Count()
		return got.Ready >= want.Ready && got.Suspended >= want.Suspended, f.Err()
	})
	if err != nil {
		return fmt.Errorf("%+v of %+v: %w", f.Count(), want, err)
	}
	return nil
}

// Claim creates claims on the schedule, on all pools in turn: pools of different namespaces follow each other.
func (f *Fleet) Claim(ctx context.Context, prefix string, schedule load.Schedule) {
	schedule.Drive(ctx, func(ctx context.Context, i int) {
		pool := f.pools[i%len(f.pools)]
		claim := Warm(pool.namespace, Name(prefix, i)).(*extensionsv1beta1.SandboxClaim) //nolint:errcheck // it is a claim
		claim.Spec.WarmPool = new(extensionsv1beta1.WarmPoolPolicy(pool.name))
		f.create(ctx, claim)
	})
}

// Lost returns how many members of all pools were deleted and not handed out.
func (f *Fleet) Lost() int {
	lost := 0
	for _, pool := range f.pools {
		lost += f.Pool(pool.uid).Lost
	}
	return lost
}
