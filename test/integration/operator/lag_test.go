// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
	"github.com/agent-sandbox/kubectl-sandbox/test/integration/lag"
)

// laggingWorld returns a world whose operators use two API servers on one etcd through a slow proxy that lags behind.
// The test itself uses the first server directly.
func laggingWorld(t *testing.T, options lag.Options) (*world, *lag.Proxy) {
	t.Helper()
	w := prepare(t, server)
	second := server.StartSecond(t)
	proxy := lag.Start(t, w.user, []string{server.Host(), second}, options)
	w.user = proxy.Config()
	t.Cleanup(func() {
		seen := proxy.Counts()
		t.Logf("the proxy: %+v", seen)
		if seen.Requests[server.Host()] == 0 || seen.Requests[second] == 0 || seen.Reordered == 0 || seen.Stale == 0 {
			t.Errorf("the proxy had no effect: %+v", seen)
		}
	})
	return w, proxy
}

// lagOptions returns the delays of a control plane under load.
func lagOptions(seed uint64) lag.Options {
	return lag.Options{
		Seed: seed, Latency: 30 * time.Millisecond, WatchDelay: 400 * time.Millisecond, Reorder: true, Stale: 2 * time.Second,
	}
}

// violationWatch records states that watches show and that must never exist. It is safe for concurrent use.
type violationWatch struct {
	mu         sync.Mutex
	violations []string
	assigned   map[types.UID]string               // claim to Sandbox
	running    map[types.UID]map[types.UID]string // Sandbox to its Pods that are not being deleted
	volumes    map[types.UID]string               // all PersistentVolumeClaims that were seen
}

// watchViolations watches the namespace through the first server until the test ends.
func (w *world) watchViolations() *violationWatch {
	w.Helper()
	seen := &violationWatch{
		assigned: map[types.UID]string{}, running: map[types.UID]map[types.UID]string{}, volumes: map[types.UID]string{},
	}
	lists := []client.ObjectList{
		&extensionsv1beta1.SandboxClaimList{}, &corev1.PodList{}, &corev1.PersistentVolumeClaimList{},
	}
	for _, list := range lists {
		watcher, err := w.client.Watch(w.Context(), list, client.InNamespace(w.namespace))
		if err != nil {
			w.Fatal(err)
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			for event := range watcher.ResultChan() {
				seen.handle(event)
			}
		}()
		w.Cleanup(func() { watcher.Stop(); <-done })
	}
	return seen
}

func (s *violationWatch) handle(event watch.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch o := event.Object.(type) {
	case *extensionsv1beta1.SandboxClaim:
		name, had := o.Status.SandboxStatus.Name, s.assigned[o.UID]
		if name != "" && had != "" && name != had {
			s.violations = append(s.violations, fmt.Sprintf("claim %s went from Sandbox %s to %s", o.Name, had, name))
		}
		if name != "" && apis.ConditionTrue(o.Status.Conditions, apis.ConditionReady) {
			s.assigned[o.UID] = name
		}
	case *corev1.Pod:
		s.handlePod(o, event.Type == watch.Deleted)
	case *corev1.PersistentVolumeClaim:
		if event.Type == watch.Deleted {
			s.violations = append(s.violations, "volume "+o.Name+" was deleted")
		}
		s.volumes[o.UID] = o.Name
	}
}

func (s *violationWatch) handlePod(pod *corev1.Pod, deleted bool) {
	owner := metav1.GetControllerOf(pod)
	if owner == nil {
		return
	}
	pods := s.running[owner.UID]
	if pods == nil {
		pods = map[types.UID]string{}
		s.running[owner.UID] = pods
	}
	if deleted || pod.DeletionTimestamp != nil {
		delete(pods, pod.UID)
		return
	}
	pods[pod.UID] = pod.Name
	if len(pods) > 1 {
		s.violations = append(s.violations,
			fmt.Sprintf("Sandbox %s has the Pods %v", owner.Name, slices.Collect(maps.Values(pods))))
	}
}

// check fails the test for each violation.
func (s *violationWatch) check(t *testing.T) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, what := range s.violations {
		t.Error(what)
	}
}

// TestClaimsAndPoolsBehindLaggingServers creates and deletes claims, scales the pool and deletes its members, while
// operators stop and others start from old lists.
func TestClaimsAndPoolsBehindLaggingServers(t *testing.T) {
	const most, rounds, each = 12, 6, 6
	w, _ := laggingWorld(t, lagOptions(1))
	w.large = true // it takes long
	seen := w.watchViolations()
	stop := w.startOperator(w.probes, extensions)
	w.create(builders.Template("python"))
	pool := w.watchMembers("warm")
	w.create(builders.Pool("warm", "python", builders.WithReplicas(most)))
	w.waitForPool("warm", most)
	for round := range rounds {
		w.createClaims(each, func(i int) client.Object { return builders.Claim(fmt.Sprintf("c%02d-%d", round, i), "python") })
		switch round % 3 {
		case 0:
			stop()
			stop = w.startOperator(w.probes, extensions)
		case 1:
			w.scalePool("warm", int32(most-round))
			w.deleteMember("warm")
		case 2:
			w.scalePool("warm", most)
			w.deleteClaim(fmt.Sprintf("c%02d-0", round-1))
		}
		w.markPodsReady()
	}
	w.Cleanup(stop)
	w.scalePool("warm", most)
	w.waitForClaims(rounds*each - rounds/3)
	w.waitForPool("warm", most)
	w.checkOwnership()
	seen.check(t)
	if top, _ := pool.result(); top > most {
		t.Errorf("the pool had %d members at the same time, its size is %d", top, most)
	}
	w.checkLoggedErrors(0)
}

// deleteMember deletes a member of a pool, if there is one.
func (w *world) deleteMember(pool string) {
	w.Helper()
	names := w.members(pool)
	if len(names) == 0 {
		return
	}
	member := &agentsv1beta1.Sandbox{ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: names[0]}}
	if err := client.IgnoreNotFound(w.client.Delete(w.Context(), member)); err != nil {
		w.Fatal(err)
	}
}

// deleteClaim deletes a claim and, as the garbage collector does, its Sandbox.
func (w *world) deleteClaim(name string) {
	w.Helper()
	var claim extensionsv1beta1.SandboxClaim
	if err := w.get(name, &claim); err != nil {
		w.Fatal(err)
	}
	if err := w.client.Delete(w.Context(), &claim); err != nil {
		w.Fatal(err)
	}
	w.eventually("no Sandbox of "+name, func() error {
		var sandboxes agentsv1beta1.SandboxList
		if err := w.client.List(w.Context(), &sandboxes, client.InNamespace(w.namespace)); err != nil {
			return err
		}
		for i := range sandboxes.Items {
			if metav1.IsControlledBy(&sandboxes.Items[i], &claim) {
				return fmt.Errorf("%s: %w", sandboxes.Items[i].Name, w.client.Delete(w.Context(), &sandboxes.Items[i]))
			}
		}
		return nil
	})
}

// TestSuspensionsBehindLaggingServers suspends and resumes Sandboxes faster than the operator can follow, and replaces
// operators meanwhile. Each Sandbox has at most one Pod, keeps its volume, and ends in the last requested state.
func TestSuspensionsBehindLaggingServers(t *testing.T) {
	const count, rounds = 8, 12
	w, _ := laggingWorld(t, lagOptions(2))
	w.large = true
	seen := w.watchViolations()
	stop := w.startOperator(w.probes)
	for i := range count {
		s := sandbox(fmt.Sprintf("box-%d", i))
		s.Spec.VolumeClaimTemplates = []agentsv1beta1.PersistentVolumeClaimTemplate{volume("data")}
		w.create(s)
	}
	random := rand.New(rand.NewPCG(2, 2)) //nolint:gosec // not a secret
	last := map[string]bool{}
	for round := range rounds {
		for range count / 2 {
			name := fmt.Sprintf("box-%d", random.IntN(count))
			last[name] = !last[name]
			replicas := int32(1)
			if last[name] {
				replicas = 0
			}
			w.edit(name, func(s *agentsv1beta1.Sandbox) { s.Spec.Replicas = &replicas })
		}
		w.markPodsReady()
		if round%4 == 3 {
			stop()
			stop = w.startOperator(w.probes)
		}
	}
	w.Cleanup(stop)
	for i := range count {
		w.waitForPod(fmt.Sprintf("box-%d", i), last[fmt.Sprintf("box-%d", i)])
	}
	seen.check(t)
	if len(seen.volumes) != count {
		t.Errorf("volumes were %v", seen.volumes)
	}
	w.checkLoggedErrors(0)
}

func volume(name string) agentsv1beta1.PersistentVolumeClaimTemplate {
	return agentsv1beta1.PersistentVolumeClaimTemplate{
		EmbeddedObjectMetadata: agentsv1beta1.EmbeddedObjectMetadata{Name: name},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources: corev1.VolumeResourceRequirements{
				Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")},
			},
		},
	}
}

// waitForPod waits until a Sandbox reports that it is suspended and has no Pod, or that it is ready and has one.
func (w *world) waitForPod(name string, suspended bool) {
	w.Helper()
	w.eventually(fmt.Sprintf("%s is settled (suspended: %t)", name, suspended), func() error {
		w.markPodsReady()
		var s agentsv1beta1.Sandbox
		if err := w.get(name, &s); err != nil {
			return err
		}
		err := w.get(name, &corev1.Pod{})
		reason := apis.ReasonDependenciesReady
		if suspended {
			reason = apis.ReasonSandboxSuspended
		}
		ready := apis.FindCondition(s.Status.Conditions, apis.ConditionReady)
		if (err == nil) == suspended || ready == nil || ready.Reason != string(reason) ||
			ready.ObservedGeneration != s.Generation {
			return fmt.Errorf("Pod: %w; conditions %+v", err, s.Status.Conditions)
		}
		return nil
	})
}
