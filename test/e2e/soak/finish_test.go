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

// evening ends the disturbances, waits until all is as it was asked to be, and takes stock.
func (d *day) evening() {
	d.Helper()
	d.MustKubectl("uncordon", d.node)
	for _, l := range d.lives {
		if l.end != never {
			d.stay(l)
		}
		if l.suspended {
			d.Must("resume", l.ref())
		}
	}
	for _, l := range d.lives {
		if !l.gone {
			d.readyAgain(l)
		}
	}
	d.Full("warm")
	d.Eventually("what is over has left what it should, and nothing else", func() error {
		for _, l := range d.over {
			if err := l.left(d.T); err != nil {
				return err
			}
		}
		return nil
	})
	d.nothingElse()
	for _, l := range d.over {
		if l.end == leaves {
			d.again(l)
		}
	}
	d.MustKubectl("delete", "sandboxclaims,sandboxwarmpools,sandboxes", "--all", "--wait=false")
	stay := map[string]bool{}
	for _, l := range slices.Concat(d.lives, d.over) {
		if l.end == leaves {
			stay["persistentvolumeclaim/"+l.volume()] = true
		}
	}
	d.Eventually("nothing is left but the volumes that stay", func() error {
		left := strings.Fields(d.MustKubectl("get", "sandboxclaims,sandboxwarmpools,sandboxes,pods,persistentvolumeclaims", "-o", "name"))
		if want := slices.Sorted(maps.Keys(stay)); !slices.Equal(slices.Sorted(slices.Values(left)), want) {
			return fmt.Errorf("left are %v, want %v", left, want)
		}
		return nil
	})
	d.did["volumes that stayed"] = len(stay)
}

// again makes the Sandbox of a life that is over once more, which takes the volume that stayed, and reads its counter.
func (d *day) again(l *life) {
	d.Helper()
	d.Create(l.asSandbox(d.T, nil))
	d.readyAgain(l)
}

// stay gives a life that has an end so much time that it is there when all is counted, if it is not too late for that.
func (d *day) stay(l *life) {
	d.Helper()
	r := d.Sandbox("extend", l.ref(), "--by", "1h")
	found, err := l.read(d.T)
	switch {
	case err != nil:
		d.Error(err)
	case !found && l.goes() && l.over(0):
		l.gone = true
		d.over = append(d.over, l)
	case r.Code != 0:
		d.Errorf("%v", r)
	}
}

// readyAgain waits until a life is ready and reads its counter once more, as a user would.
func (d *day) readyAgain(l *life) {
	d.Helper()
	d.Must("wait", l.ref(), "--for", "ready", "--timeout", settle.String())
	if err := l.look(d.T); err != nil {
		d.Error(err)
	}
	if err := l.compare(d.Must("exec", l.ref(), "--", "cat", "/data/state")); err != nil {
		d.Error(err)
	}
	if l.id == "" || l.count == 0 {
		d.Errorf("%s has never counted", l.ref())
	}
	d.did["counted to"] = max(d.did["counted to"], l.count)
}

// nothingElse fails the test for each object that belongs to no life and is no member of the pool.
func (d *day) nothingElse() {
	d.Helper()
	known := map[string]bool{}
	for _, l := range d.lives {
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
	for _, l := range d.over {
		kept[l.volume()] = l.end == leaves
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
			d.Errorf("%s belongs to nobody", name)
		}
	}
	if want := 3 * len(known); len(names) != want {
		d.Errorf("there are %d Sandboxes, Pods and volumes, want %d", len(names), want)
	}
}
