// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package soak

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/e2e/harness"
)

const (
	population = 30
	poolSize   = 3
	// deletionDelay is how long after its deadline a workload may still exist: the operator may be down, and the node
	// drained.
	deletionDelay = 3 * time.Minute
	// recoveryTimeout is how long each workload may take to be ready again after the disturbances.
	recoveryTimeout = 10 * time.Minute
	// maxLifetime bounds the initial lifetime of a workload with a deadline.
	maxLifetime = 4 * time.Minute
)

// soakRun is the state of the test.
type soakRun struct {
	*harness.T

	random  *rand.Rand
	active  []*workload
	expired []*workload // deleted at their deadline
	started int
	node    string
	counts  map[string]int
}

func TestADay(t *testing.T) {
	lasts, err := time.ParseDuration(harness.RequireEnv("SOAK_DURATION"))
	if err != nil {
		t.Fatalf("SOAK_DURATION: %v", err)
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("%v with seed %d", lasts, seed)
	d := &soakRun{T: harness.New(t), random: rand.New(rand.NewPCG(seed, 1)), counts: map[string]int{}}
	d.node = nodeName(d.T)
	d.Timeout = recoveryTimeout
	pods := d.watchPods()
	d.CreateAll(d.NewTemplate("counter", func(template *extensionsv1beta1.SandboxTemplate) {
		template.Spec.VolumeClaimTemplates = volumes()
		withCounter(&template.Spec.PodTemplate.Spec)
	}), d.NewPool("warm", "counter", poolSize))
	for len(d.active) < population {
		d.active = append(d.active, d.startNext())
	}
	d.disturb(lasts)
	d.finish()
	if doubled := pods(); doubled != "" {
		t.Error(doubled)
	}
	t.Logf("%d lives, %d of them over; done: %v", d.started, len(d.expired), d.counts)
}

// startNext starts a workload. The kinds take turns.
func (d *soakRun) startNext() *workload {
	d.Helper()
	d.started++
	lasts := maxLifetime/4 + time.Duration(d.random.Int64N(int64(maxLifetime)))
	name := fmt.Sprintf("life-%d", d.started)
	switch d.started % 7 {
	case 0:
		return startWorkload(d.T, name, false, noExpiry, 0)
	case 1, 2:
		return startWorkload(d.T, name, true, noExpiry, 0)
	case 3:
		return startWorkload(d.T, name, false, deletesAll, lasts)
	case 4:
		return startWorkload(d.T, name, true, deletesAll, lasts)
	case 5:
		return startWorkload(d.T, name, false, keepsVolume, lasts)
	default:
		return startWorkload(d.T, name, false, keepsSandbox, lasts)
	}
}

// disturb acts on random workloads and disturbs the cluster for the given time. It checks all workloads and replaces
// those that have expired.
func (d *soakRun) disturb(lasts time.Duration) {
	d.Helper()
	end := time.Now().Add(lasts)
	next := map[string]time.Time{}
	disturbances := map[string]func(){
		"drain": d.drain, "operator killed": d.killOperator, "API server restarted": d.restartServer,
	}
	pauses := map[string]time.Duration{
		"drain": 3 * time.Minute, "operator killed": time.Minute, "API server restarted": 5 * time.Minute,
	}
	for time.Now().Before(end) && !d.Failed() {
		d.actOn(d.active[d.random.IntN(len(d.active))])
		for _, what := range slices.Sorted(maps.Keys(disturbances)) {
			if at, planned := next[what]; planned && time.Now().After(at) {
				disturbances[what]()
				d.counts[what]++
			} else if planned {
				continue
			}
			next[what] = time.Now().Add(pauses[what]/2 + time.Duration(d.random.Int64N(int64(pauses[what]))))
		}
		d.checkAll()
	}
}

// checkAll checks all workloads, and replaces those that have expired.
func (d *soakRun) checkAll() {
	d.Helper()
	for i, l := range d.active {
		if err := l.check(d.T); err != nil {
			d.Error(err)
		}
		if l.gone {
			d.expired = append(d.expired, l)
			d.counts["over"]++
			d.active[i] = d.startNext()
		}
	}
	for _, l := range d.expired {
		if l.expiredFor(2 * deletionDelay) {
			if err := l.checkLeftovers(d.T); err != nil {
				d.Error(err)
			}
		}
	}
}

// actOn does one thing to a workload, as a user does.
func (d *soakRun) actOn(l *workload) {
	d.Helper()
	switch d.random.IntN(5) {
	case 0, 1:
		verb := "suspend"
		if l.suspended {
			verb = "resume"
		}
		if d.runPlugin(l, verb, l.ref()) {
			l.suspended = !l.suspended
		}
	case 2:
		if l.expiry == noExpiry || l.isDeleted() && l.expiredFor(-30*time.Second) {
			return // it has no deadline, or may expire during the command
		}
		d.runPlugin(l, "extend", l.ref(), "--by", fmt.Sprintf("%ds", 10+d.random.IntN(60)))
	default:
		d.deletePod(l)
	}
}

// runPlugin runs the plugin. A failure is an error unless the workload may have expired.
func (d *soakRun) runPlugin(l *workload, args ...string) bool {
	d.Helper()
	r := d.Plugin(args...)
	mayBeOver := l.isDeleted() && l.expiredFor(-5*time.Second)
	if r.Code != 0 && !mayBeOver && !strings.Contains(r.Stderr, "expired") {
		d.Errorf("%v", r)
	}
	if r.Code == 0 {
		d.counts[args[0]]++
	}
	return r.Code == 0
}

func (d *soakRun) deletePod(l *workload) {
	d.Helper()
	var s agentsv1beta1.Sandbox
	if l.sandbox == "" || !d.Get(l.sandbox, &s) {
		return
	}
	for _, pod := range d.OwnedPods(&s) {
		options := []client.DeleteOption{client.Preconditions{UID: &pod.UID}}
		what := "Pod deleted"
		if d.random.IntN(4) == 0 {
			options = append(options, client.GracePeriodSeconds(1))
			what = "Pod deleted with little grace"
		}
		if err := client.IgnoreNotFound(d.Client.Delete(d.Context(), &pod, options...)); err != nil {
			d.Errorf("delete Pod %s: %v", pod.Name, err)
		}
		d.counts[what]++
	}
}

// watchPods lists Pods every second. The returned function says which Sandbox had two at the same time.
func (d *soakRun) watchPods() (doubled func() string) {
	d.Helper()
	stop, done := make(chan struct{}), make(chan string, 1)
	go func() {
		wrong := ""
		for {
			select {
			case <-stop:
				done <- wrong
				return
			case <-time.After(time.Second):
			}
			var pods corev1.PodList
			if d.Client.List(d.Context(), &pods, client.InNamespace(d.Namespace)) != nil {
				continue // the API server restarts
			}
			running := map[string]string{}
			for _, pod := range pods.Items {
				owner := metav1.GetControllerOf(&pod)
				if owner == nil || pod.DeletionTimestamp != nil {
					continue
				}
				if other := running[string(owner.UID)]; other != "" {
					wrong = fmt.Sprintf("Sandbox %s had the Pods %s and %s", owner.Name, other, pod.Name)
				}
				running[string(owner.UID)] = pod.Name
			}
		}
	}()
	return func() string { close(stop); return <-done }
}

// nodeName returns the name of the only node.
func nodeName(h *harness.T) string {
	h.Helper()
	var nodes corev1.NodeList
	if err := h.Client.List(h.Context(), &nodes); err != nil {
		h.Fatal(err)
	}
	if len(nodes.Items) != 1 {
		h.Fatalf("the cluster has %d nodes, want 1", len(nodes.Items))
	}
	return nodes.Items[0].Name
}
