// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package soak

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
)

// finish ends the disturbances, waits until all workloads are ready, and checks the whole namespace.
func (d *soakRun) finish() {
	d.Helper()
	d.MustKubectl("uncordon", d.node)
	for _, l := range d.active {
		if l.expiry != noExpiry {
			d.keepAlive(l)
		}
		if l.suspended {
			d.Must("resume", l.ref())
		}
	}
	for _, l := range d.active {
		if !l.gone {
			d.readyAgain(l)
		}
	}
	d.FullPool("warm")
	d.Eventually("expired workloads have left what they should, and nothing else", func() error {
		for _, l := range d.expired {
			if err := l.checkLeftovers(d.T); err != nil {
				return err
			}
		}
		return nil
	})
	d.checkNoLeftovers()
	for _, l := range d.expired {
		if l.expiry == keepsVolume {
			d.recreate(l)
		}
	}
	d.MustKubectl("delete", "sandboxclaims,sandboxwarmpools,sandboxes", "--all", "--wait=false")
	stay := map[string]bool{}
	for _, l := range slices.Concat(d.active, d.expired) {
		if l.expiry == keepsVolume {
			stay["persistentvolumeclaim/"+l.volume()] = true
		}
	}
	d.Eventually("nothing is left but the volumes that stay", func() error {
		left := strings.Fields(d.MustKubectl("get", "sandboxclaims,sandboxwarmpools,sandboxes,pods,persistentvolumeclaims",
			"-o", "name"))
		if want := slices.Sorted(maps.Keys(stay)); !slices.Equal(slices.Sorted(slices.Values(left)), want) {
			return fmt.Errorf("left are %v, want %v", left, want)
		}
		return nil
	})
	d.counts["volumes that stayed"] = len(stay)
}

// recreate creates the Sandbox of an expired workload again. It must adopt the volume that was kept, with its counter.
func (d *soakRun) recreate(l *workload) {
	d.Helper()
	d.Create(l.asSandbox(d.T, nil))
	d.readyAgain(l)
}

// keepAlive extends a workload beyond the end of the test, unless it has expired.
func (d *soakRun) keepAlive(l *workload) {
	d.Helper()
	r := d.Plugin("extend", l.ref(), "--by", "1h")
	found, err := l.read(d.T)
	switch {
	case err != nil:
		d.Error(err)
	case !found && l.isDeleted() && l.expiredFor(0):
		l.gone = true
		d.expired = append(d.expired, l)
	case r.Code != 0:
		d.Errorf("%v", r)
	}
}

// readyAgain waits until a workload is ready and reads its counter with exec, as a user does.
func (d *soakRun) readyAgain(l *workload) {
	d.Helper()
	d.Must("wait", l.ref(), "--for", "ready", "--timeout", recoveryTimeout.String())
	if err := l.check(d.T); err != nil {
		d.Error(err)
	}
	if err := l.checkState(d.Must("exec", l.ref(), "--", "cat", "/data/state")); err != nil {
		d.Error(err)
	}
	if l.volumeID == "" || l.count == 0 {
		d.Errorf("%s has never counted", l.ref())
	}
	d.counts["counted to"] = max(d.counts["counted to"], l.count)
}

// checkNoLeftovers fails the test for each object that belongs neither to a workload nor to a member of the pool.
func (d *soakRun) checkNoLeftovers() {
	d.Helper()
	known := map[string]bool{}
	for _, l := range d.active {
		if !l.gone {
			known[l.sandbox] = true
		}
	}
	var pool extensionsv1beta1.SandboxWarmPool
	d.Get("warm", &pool)
	for _, member := range d.Members(&pool) {
		known[member.Name] = true
	}
	var sandboxes agentsv1beta1.SandboxList
	var pods corev1.PodList
	var claims corev1.PersistentVolumeClaimList
	for _, list := range []client.ObjectList{&sandboxes, &pods, &claims} {
		if err := d.Client.List(d.Context(), list, client.InNamespace(d.Namespace)); err != nil {
			d.Fatal(err)
		}
	}
	kept := map[string]bool{}
	for _, l := range d.expired {
		kept[l.volume()] = l.expiry == keepsVolume
	}
	names := []string{}
	for _, o := range sandboxes.Items {
		names = append(names, o.Name)
	}
	for _, o := range pods.Items {
		names = append(names, o.Name)
	}
	for _, o := range claims.Items {
		if kept[o.Name] {
			continue
		}
		names = append(names, strings.TrimPrefix(o.Name, "data-"))
	}
	for _, name := range names {
		if !known[name] {
			d.Errorf("%s belongs to no workload and to no member", name)
		}
	}
	if want := 3 * len(known); len(names) != want {
		d.Errorf("there are %d Sandboxes, Pods and volumes, want %d", len(names), want)
	}
}
