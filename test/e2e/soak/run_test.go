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
	// late is how long after its end a life may still be there: the operator may be gone, and the node drained.
	late = 3 * time.Minute
	// settle is how long all may take to be ready again at the end of the day.
	settle = 10 * time.Minute
	// most is how much time a life that has an end is given at once.
	most = 4 * time.Minute
)

// day is the state of the run.
type day struct {
	*harness.T

	random *rand.Rand
	lives  []*life
	over   []*life // that were to go, and have gone
	born   int
	node   string
	did    map[string]int
}

func TestADay(t *testing.T) {
	lasts, err := time.ParseDuration(harness.Need("SOAK_DURATION"))
	if err != nil {
		t.Fatalf("SOAK_DURATION: %v", err)
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("%v with seed %d", lasts, seed)
	d := &day{T: harness.New(t), random: rand.New(rand.NewPCG(seed, 1)), did: map[string]int{}}
	d.node = theNode(d.T)
	d.Limit = settle
	pods := d.onePodEach()
	d.Make(d.NewTemplate("counter", func(template *extensionsv1beta1.SandboxTemplate) {
		template.Spec.VolumeClaimTemplates = volumes()
		counter(&template.Spec.PodTemplate.Spec)
	}), d.NewPool("warm", "counter", poolSize))
	for len(d.lives) < population {
		d.lives = append(d.lives, d.another())
	}
	d.during(lasts)
	d.evening()
	if doubled := pods(); doubled != "" {
		t.Error(doubled)
	}
	t.Logf("%d lives, %d of them over; done: %v", d.born, len(d.over), d.did)
}

// another begins a life, of each kind by turns.
func (d *day) another() *life {
	d.Helper()
	d.born++
	lasts := most/4 + time.Duration(d.random.Int64N(int64(most)))
	name := fmt.Sprintf("life-%d", d.born)
	switch d.born % 7 {
	case 0:
		return begin(d.T, name, false, never, 0)
	case 1, 2:
		return begin(d.T, name, true, never, 0)
	case 3:
		return begin(d.T, name, false, goes, lasts)
	case 4:
		return begin(d.T, name, true, goes, lasts)
	case 5:
		return begin(d.T, name, false, leaves, lasts)
	default:
		return begin(d.T, name, false, archive, lasts)
	}
}

// during does something at random again and again, looks at everything, and ends lives and begins others.
func (d *day) during(lasts time.Duration) {
	d.Helper()
	evening := time.Now().Add(lasts)
	next := map[string]time.Time{}
	disturbances := map[string]func(){"drain": d.drain, "operator killed": d.killOperator, "API server restarted": d.restartServer}
	pauses := map[string]time.Duration{"drain": 3 * time.Minute, "operator killed": time.Minute, "API server restarted": 5 * time.Minute}
	for time.Now().Before(evening) && !d.Failed() {
		d.act(d.lives[d.random.IntN(len(d.lives))])
		for _, what := range slices.Sorted(maps.Keys(disturbances)) {
			if at, planned := next[what]; planned && time.Now().After(at) {
				disturbances[what]()
				d.did[what]++
			} else if planned {
				continue
			}
			next[what] = time.Now().Add(pauses[what]/2 + time.Duration(d.random.Int64N(int64(pauses[what]))))
		}
		d.look()
	}
}

// look looks at all lives, and replaces those that are over.
func (d *day) look() {
	d.Helper()
	for i, l := range d.lives {
		if err := l.look(d.T); err != nil {
			d.Error(err)
		}
		if l.gone {
			d.over = append(d.over, l)
			d.did["over"]++
			d.lives[i] = d.another()
		}
	}
	for _, l := range d.over {
		if l.over(2 * late) {
			if err := l.left(d.T); err != nil {
				d.Error(err)
			}
		}
	}
}

// act does one thing to a life, as a user does.
func (d *day) act(l *life) {
	d.Helper()
	switch d.random.IntN(5) {
	case 0, 1:
		verb := "suspend"
		if l.suspended {
			verb = "resume"
		}
		if d.user(l, verb, l.ref()) {
			l.suspended = !l.suspended
		}
	case 2:
		if l.end == never || l.goes() && l.over(-30*time.Second) {
			return // there is nothing to extend, or it may go in the middle of it
		}
		d.user(l, "extend", l.ref(), "--by", fmt.Sprintf("%ds", 10+d.random.IntN(60)))
	default:
		d.deletePod(l)
	}
}

// user runs the plugin. What fails is wrong, unless the life's time came meanwhile.
func (d *day) user(l *life, args ...string) bool {
	d.Helper()
	r := d.Sandbox(args...)
	mayBeOver := l.goes() && l.over(-5*time.Second)
	if r.Code != 0 && !mayBeOver && !strings.Contains(r.Stderr, "expired") {
		d.Errorf("%v", r)
	}
	if r.Code == 0 {
		d.did[args[0]]++
	}
	return r.Code == 0
}

func (d *day) deletePod(l *life) {
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
		d.did[what]++
	}
}

// onePodEach watches Pods, and says at the end which Sandbox had two at a time.
func (d *day) onePodEach() (doubled func() string) {
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

// theNode is the name of the one node.
func theNode(h *harness.T) string {
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
