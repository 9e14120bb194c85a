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

// laggingWorld is a world whose operators reach two API servers on one etcd through a proxy that is slow and behind. The test itself
// sees the first server as it is.
func laggingWorld(t *testing.T, options lag.Options) (*world, *lag.Proxy) {
	t.Helper()
	w := prepare(t, server)
	second := server.Second(t)
	proxy := lag.Start(t, w.user, []string{server.Host(), second}, options)
	w.user = proxy.Config()
	t.Cleanup(func() {
		seen := proxy.Counts()
		t.Logf("the proxy: %+v", seen)
		if seen.Requests[server.Host()] == 0 || seen.Requests[second] == 0 || seen.Reordered == 0 || seen.Stale == 0 {
			t.Errorf("the proxy did not do what it is for: %+v", seen)
		}
	})
	return w, proxy
}

// behind is as far behind as a control plane under load is.
func behind(seed uint64) lag.Options {
	return lag.Options{Seed: seed, Latency: 30 * time.Millisecond, Watch: 400 * time.Millisecond, Reorder: true, Stale: 2 * time.Second}
}

// witness is what watches have shown that must never be. Safe for concurrent use.
type witness struct {
	mu       sync.Mutex
	wrong    []string
	assigned map[types.UID]string               // Sandbox of a claim
	running  map[types.UID]map[types.UID]string // Pods of a Sandbox that are not being deleted
	volumes  map[types.UID]string               // PersistentVolumeClaims that there were
}

// watched has a witness look at the namespace until the test ends, as the first server shows it.
func (w *world) watched() *witness {
	w.Helper()
	seen := &witness{
		assigned: map[types.UID]string{}, running: map[types.UID]map[types.UID]string{}, volumes: map[types.UID]string{},
	}
	lists := []client.ObjectList{&extensionsv1beta1.SandboxClaimList{}, &corev1.PodList{}, &corev1.PersistentVolumeClaimList{}}
	for _, list := range lists {
		watcher, err := w.client.Watch(w.Context(), list, client.InNamespace(w.namespace))
		if err != nil {
			w.Fatal(err)
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			for event := range watcher.ResultChan() {
				seen.see(event)
			}
		}()
		w.Cleanup(func() { watcher.Stop(); <-done })
	}
	return seen
}

func (s *witness) see(event watch.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch o := event.Object.(type) {
	case *extensionsv1beta1.SandboxClaim:
		name, had := o.Status.SandboxStatus.Name, s.assigned[o.UID]
		if name != "" && had != "" && name != had {
			s.wrong = append(s.wrong, fmt.Sprintf("claim %s went from Sandbox %s to %s", o.Name, had, name))
		}
		if name != "" && apis.ConditionTrue(o.Status.Conditions, apis.ConditionReady) {
			s.assigned[o.UID] = name
		}
	case *corev1.Pod:
		s.seePod(o, event.Type == watch.Deleted)
	case *corev1.PersistentVolumeClaim:
		if event.Type == watch.Deleted {
			s.wrong = append(s.wrong, "volume "+o.Name+" was deleted")
		}
		s.volumes[o.UID] = o.Name
	}
}

func (s *witness) seePod(pod *corev1.Pod, deleted bool) {
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
		s.wrong = append(s.wrong, fmt.Sprintf("Sandbox %s has the Pods %v", owner.Name, slices.Collect(maps.Values(pods))))
	}
}

// nothingWrong fails the test with what the witness saw.
func (s *witness) nothingWrong(t *testing.T) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, what := range s.wrong {
		t.Error(what)
	}
}

// TestClaimsAndPoolsBehindLaggingServers: claims come and go, the pool is scaled, its members are deleted and operators end in the
// middle and are followed by others that start from old lists.
func TestClaimsAndPoolsBehindLaggingServers(t *testing.T) {
	const most, rounds, each = 12, 6, 6
	w, _ := laggingWorld(t, behind(1))
	w.large = true // it takes its time
	seen := w.watched()
	stop := w.begin(w.probes, extensions)
	w.create(builders.Template("python"))
	pool := w.recorded("warm")
	w.create(builders.Pool("warm", "python", builders.WithReplicas(most)))
	w.filled("warm", most)
	for round := range rounds {
		w.burst(each, func(i int) client.Object { return builders.Claim(fmt.Sprintf("c%02d-%d", round, i), "python") })
		switch round % 3 {
		case 0:
			stop()
			stop = w.begin(w.probes, extensions)
		case 1:
			w.scalePool("warm", int32(most-round))
			w.deleteMember("warm")
		case 2:
			w.scalePool("warm", most)
			w.deleteClaim(fmt.Sprintf("c%02d-0", round-1))
		}
		w.kubelets()
	}
	w.Cleanup(stop)
	w.scalePool("warm", most)
	w.served(rounds*each - rounds/3)
	w.filled("warm", most)
	w.oneToOne()
	seen.nothingWrong(t)
	if top, _ := pool.far(); top > most {
		t.Errorf("the pool had %d members at a time, %d are its size", top, most)
	}
	w.quietly(0)
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

// deleteClaim deletes a claim and, as the garbage collector would, its Sandbox.
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

// TestSuspensionsBehindLaggingServers: Sandboxes are suspended and resumed faster than the operator can follow, and operators are
// replaced meanwhile. Each has one Pod or none, keeps its volume, and ends as it was asked to last.
func TestSuspensionsBehindLaggingServers(t *testing.T) {
	const count, rounds = 8, 12
	w, _ := laggingWorld(t, behind(2))
	w.large = true
	seen := w.watched()
	stop := w.begin(w.probes)
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
		w.kubelets()
		if round%4 == 3 {
			stop()
			stop = w.begin(w.probes)
		}
	}
	w.Cleanup(stop)
	for i := range count {
		w.settled(fmt.Sprintf("box-%d", i), last[fmt.Sprintf("box-%d", i)])
	}
	seen.nothingWrong(t)
	if len(seen.volumes) != count {
		t.Errorf("there were the volumes %v", seen.volumes)
	}
	w.quietly(0)
}

func volume(name string) agentsv1beta1.PersistentVolumeClaimTemplate {
	return agentsv1beta1.PersistentVolumeClaimTemplate{
		EmbeddedObjectMetadata: agentsv1beta1.EmbeddedObjectMetadata{Name: name},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
		},
	}
}

// settled waits until a Sandbox says that it is suspended, and has no Pod, or that it is ready, and has one.
func (w *world) settled(name string, suspended bool) {
	w.Helper()
	w.eventually(fmt.Sprintf("%s is settled (suspended: %t)", name, suspended), func() error {
		w.kubelets()
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
		if (err == nil) == suspended || ready == nil || ready.Reason != string(reason) || ready.ObservedGeneration != s.Generation {
			return fmt.Errorf("Pod: %w; conditions %+v", err, s.Status.Conditions)
		}
		return nil
	})
}
