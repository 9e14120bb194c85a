// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package book

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/apis/client/clientset/versioned"
	"github.com/agent-sandbox/kubectl-sandbox/apis/client/informers/externalversions"
	"github.com/agent-sandbox/kubectl-sandbox/router/internal/header"
)

// uidIndex finds an object by its UID.
const uidIndex = "uid"

// Target is what an address leads to. At least one of the two is set.
type Target struct {
	Claim   *Claim   // nil: no claim controls the Sandbox
	Sandbox *Sandbox // nil: the claim has none yet
}

// Book finds Sandboxes. It is safe for concurrent use.
type Book struct {
	sandboxes  versioned.Interface
	namespaces map[string]informers // the key metav1.NamespaceAll has all of them
	changes    changes
	claims     claims
}

type informers struct {
	sandboxes cache.SharedIndexInformer
	claims    cache.SharedIndexInformer // empty while the cluster serves no claims
}

// New returns an empty Book of these namespaces, or of all if there are none.
func New(sandboxes versioned.Interface, namespaces []string) (*Book, error) {
	if len(namespaces) == 0 {
		namespaces = []string{metav1.NamespaceAll}
	}
	b := &Book{sandboxes: sandboxes, namespaces: map[string]informers{}, claims: claims{discovery: sandboxes.Discovery()}}
	for _, namespace := range namespaces {
		var err error
		if b.namespaces[namespace], err = b.newInformers(namespace); err != nil {
			return nil, err
		}
	}
	return b, nil
}

func (b *Book) newInformers(namespace string) (informers, error) {
	factory := externalversions.NewSharedInformerFactoryWithOptions(b.sandboxes, 0,
		externalversions.WithNamespace(namespace))
	is := informers{
		sandboxes: factory.Agents().V1beta1().Sandboxes().Informer(),
		claims:    factory.Extensions().V1beta1().SandboxClaims().Informer(),
	}
	byUID := cache.Indexers{uidIndex: func(object any) ([]string, error) {
		return []string{string(object.(metav1.Object).GetUID())}, nil //nolint:errcheck // the transforms return nothing else
	}}
	_, watchErr := is.sandboxes.AddEventHandler(b.changes.handler())
	err := errors.Join(watchErr, is.sandboxes.SetTransform(recordSandbox), is.sandboxes.AddIndexers(byUID),
		is.claims.SetTransform(recordClaim), is.claims.AddIndexers(byUID))
	if err != nil {
		return informers{}, fmt.Errorf("set up the informers: %w", err)
	}
	return is, nil
}

// Run feeds the book until the context ends.
func (b *Book) Run(ctx context.Context, clk clock.WithTicker, log logr.Logger) {
	var running sync.WaitGroup
	defer running.Wait()
	for _, is := range b.namespaces {
		running.Go(func() { is.sandboxes.RunWithContext(ctx) })
	}
	if !b.claims.await(ctx, clk, log) {
		return
	}
	for _, is := range b.namespaces {
		running.Go(func() { is.claims.RunWithContext(ctx) })
	}
}

// HasSynced reports whether the book has been filled. Claims that the cluster serves later do not change that.
func (b *Book) HasSynced() bool {
	needed, known := b.claims.needed()
	for _, is := range b.namespaces {
		if !is.sandboxes.HasSynced() || needed && !is.claims.HasSynced() {
			return false
		}
	}
	return known
}

// Size returns the number of Sandboxes in the book.
func (b *Book) Size() int {
	size := 0
	for _, is := range b.namespaces {
		size += len(is.sandboxes.GetStore().ListKeys())
	}
	return size
}

// Serves reports whether the book has the Sandboxes of a namespace.
func (b *Book) Serves(namespace string) bool {
	_, ok := b.informersOf(namespace)
	return ok
}

func (b *Book) informersOf(namespace string) (informers, bool) {
	is, ok := b.namespaces[metav1.NamespaceAll]
	if !ok {
		is, ok = b.namespaces[namespace]
	}
	return is, ok
}

// Find returns what the book knows of an address: a claim of that name, or else a Sandbox, as kubectl sandbox does it.
// With a UID, only that claim or Sandbox counts, under its own name or its claim's.
func (b *Book) Find(a header.Address) (Target, bool) {
	is, ok := b.informersOf(a.Namespace)
	if !ok {
		return Target{}, false
	}
	if a.UID != "" {
		return is.byUID(a)
	}
	if claim := get[Claim](is.claims, a.Namespace, a.Name); claim != nil {
		return Target{claim, is.sandboxOf(claim)}, true
	}
	if sandbox := get[Sandbox](is.sandboxes, a.Namespace, a.Name); sandbox != nil {
		return Target{is.claimOf(sandbox), sandbox}, true
	}
	return Target{}, false
}

// Current returns the Sandbox with this UID, or nil.
func (b *Book) Current(namespace string, uid types.UID) *Sandbox {
	is, ok := b.informersOf(namespace)
	if !ok {
		return nil
	}
	return only[Sandbox](is.sandboxes, uid)
}

func (i informers) byUID(a header.Address) (Target, bool) {
	var t Target
	if t.Sandbox = only[Sandbox](i.sandboxes, a.UID); t.Sandbox != nil {
		t.Claim = i.claimOf(t.Sandbox)
	} else if t.Claim = only[Claim](i.claims, a.UID); t.Claim != nil {
		t.Sandbox = i.sandboxOf(t.Claim)
	}
	return t, t.answersTo(a)
}

// answersTo reports whether the target has the namespace, the name and, if there is one, the UID of an address.
func (t Target) answersTo(a header.Address) bool {
	named, identified := false, a.UID == ""
	if t.Claim != nil {
		named = t.Claim.Name == a.Name && t.Claim.Namespace == a.Namespace
		identified = identified || t.Claim.UID == a.UID
	}
	if t.Sandbox != nil {
		named = named || t.Sandbox.Name == a.Name && t.Sandbox.Namespace == a.Namespace
		identified = identified || t.Sandbox.UID == a.UID
	}
	return named && identified
}

// sandboxOf returns the Sandbox that a claim and the Sandbox itself agree on, or nil.
func (i informers) sandboxOf(claim *Claim) *Sandbox {
	if sandbox := get[Sandbox](i.sandboxes, claim.Namespace, claim.Sandbox); sandbox != nil && belong(claim, sandbox) {
		return sandbox
	}
	return nil
}

// claimOf returns the claim that controls a Sandbox, if both agree, or nil.
func (i informers) claimOf(sandbox *Sandbox) *Claim {
	if claim := only[Claim](i.claims, sandbox.Claim); claim != nil && belong(claim, sandbox) {
		return claim
	}
	return nil
}

// belong reports whether a claim and a Sandbox name each other. Either of them alone can be edited by somebody who may
// not change the other. Claims of older versions of the operator do not have the UID of their Sandbox.
func belong(claim *Claim, sandbox *Sandbox) bool {
	return sandbox.Claim == claim.UID && claim.UID != "" && claim.Sandbox == sandbox.Name &&
		claim.Namespace == sandbox.Namespace && (claim.SandboxUID == sandbox.UID || claim.SandboxUID == "")
}

func get[T any](informer cache.SharedIndexInformer, namespace, name string) *T {
	object, exists, err := informer.GetStore().GetByKey(namespace + "/" + name)
	if err != nil || !exists {
		return nil // the store returns no errors
	}
	is, _ := object.(*T)
	return is
}

func only[T any](informer cache.SharedIndexInformer, uid types.UID) *T {
	all, err := informer.GetIndexer().ByIndex(uidIndex, string(uid))
	if err != nil || len(all) != 1 {
		return nil // the index exists, and a UID is unique
	}
	is, _ := all[0].(*T)
	return is
}

// Kinds returns the name of the Sandbox and of its claim for which a caller needs a permission; either may be empty.
func (t Target) Kinds() (sandbox, claim string) {
	if t.Sandbox != nil {
		sandbox = t.Sandbox.Name
	}
	if t.Claim != nil {
		claim = t.Claim.Name
	}
	return sandbox, claim
}

// UIDs returns the UIDs of the claim and the Sandbox that exist.
func (t Target) UIDs() []types.UID {
	var all []types.UID
	if t.Claim != nil {
		all = append(all, t.Claim.UID)
	}
	if t.Sandbox != nil {
		all = append(all, t.Sandbox.UID)
	}
	return all
}
