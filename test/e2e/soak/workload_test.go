// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package soak

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/test/e2e/harness"
)

// counting keeps an identity and a count in the volume, replaced as one file, and ends well when it is asked to end. A new volume gets a
// new identity, so a volume that was lost cannot pass for the one before.
const counting = `f=/data/state
[ -s $f ] || { cat /proc/sys/kernel/random/uuid | tr '\n' ' '; echo 0; } >$f.new && { [ -s $f ] || mv $f.new $f; }
trap 'exit 0' TERM
while :; do read -r id n <$f; echo "$id $((n + 1))" >$f.new && mv $f.new $f; sleep 1 & wait $!; done`

// end is what becomes of a life whose time is over.
type end int

const (
	never   end = iota // it has no end
	goes               // it is deleted, with its volume
	leaves             // it is deleted, and its volume stays
	archive            // its Pod goes, and it waits for more time
)

// life is one claim or Sandbox, and what is known of it.
type life struct {
	name  string
	claim bool
	end   end

	deadline  time.Time // as the API server had it last; zero: none
	suspended bool      // as was asked last
	sandbox   string    // the Sandbox of a claim, once it is known
	id        string    // of the volume, once it is known
	count     int
	gone      bool // it has been seen to be gone, after its end
}

func (l *life) ref() string {
	if l.claim {
		return "claim/" + l.name
	}
	return "sandbox/" + l.name
}

// goes says whether the life is deleted at its end.
func (l *life) goes() bool { return l.end == goes || l.end == leaves }

// over says whether the life's time was over that long ago.
func (l *life) over(by time.Duration) bool {
	return !l.deadline.IsZero() && time.Since(l.deadline) > by
}

func volumes() []agentsv1beta1.PersistentVolumeClaimTemplate {
	return []agentsv1beta1.PersistentVolumeClaimTemplate{{
		EmbeddedObjectMetadata: agentsv1beta1.EmbeddedObjectMetadata{Name: "data"},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("16Mi")}},
		},
	}}
}

// counter makes a Pod's container count. Once it has ended it stays ended: a process that ends well on SIGTERM is the one that a wrong
// Finished costs its data.
func counter(spec *corev1.PodSpec) {
	grace := int64(5)
	spec.TerminationGracePeriodSeconds = &grace
	spec.RestartPolicy = corev1.RestartPolicyNever
	spec.Containers[0].Command = []string{"sh", "-c", counting}
	spec.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "data", MountPath: "/data"}}
}

// begin creates a life in the cluster. lasts is the time until its end, where it has one.
func begin(h *harness.T, name string, claim bool, e end, lasts time.Duration) *life {
	h.Helper()
	l := &life{name: name, claim: claim, end: e}
	var at *metav1.Time
	if e != never {
		until := metav1.NewTime(time.Now().Add(lasts).Truncate(time.Second))
		at, l.deadline = &until, until.Time
	}
	if claim {
		h.Make(h.NewClaim(name, "counter", func(c *extensionsv1beta1.SandboxClaim) {
			// A claim of zero seconds after the end of its work: whoever takes a suspension for an end deletes it.
			zero := int32(0)
			c.Spec.Lifecycle = &extensionsv1beta1.Lifecycle{
				ShutdownTime: at, ShutdownPolicy: extensionsv1beta1.ShutdownPolicyDelete, TTLSecondsAfterFinished: &zero,
			}
		}))
		return l
	}
	h.Create(l.asSandbox(h, at))
	return l
}

// asSandbox is the Sandbox of a life that has no claim.
func (l *life) asSandbox(h *harness.T, at *metav1.Time) *agentsv1beta1.Sandbox {
	return h.NewSandbox(l.name, func(s *agentsv1beta1.Sandbox) {
		policy := agentsv1beta1.ShutdownPolicyDelete
		if l.end == archive {
			policy = agentsv1beta1.ShutdownPolicyRetain
		}
		s.Spec.ShutdownTime, s.Spec.ShutdownPolicy = at, &policy
		s.Spec.VolumeClaimTemplates = volumes()
		if l.end == leaves {
			s.Spec.PersistentVolumeClaimRetentionPolicy = &agentsv1beta1.PersistentVolumeClaimRetentionPolicy{WhenDeleted: "Retain"}
		}
		counter(&s.Spec.PodTemplate.Spec)
	})
}

// look compares a life with what is in the cluster now, and says what is wrong.
func (l *life) look(h *harness.T) error {
	h.Helper()
	if l.gone {
		return nil
	}
	found, err := l.read(h)
	switch {
	case err != nil:
		return err
	case !found && l.goes() && l.over(0):
		l.gone = true
		return nil
	case !found:
		return fmt.Errorf("%s is gone; its time is %v, now is %v", l.ref(), l.deadline, time.Now())
	case l.goes() && l.over(late):
		return fmt.Errorf("%s is still there, its time was %v", l.ref(), l.deadline)
	}
	return l.readVolume(h)
}

// read takes what the API server knows.
func (l *life) read(h *harness.T) (found bool, err error) {
	h.Helper()
	var at *metav1.Time
	if l.claim {
		var claim extensionsv1beta1.SandboxClaim
		if found = h.Get(l.name, &claim); found {
			at = claim.Spec.Lifecycle.ShutdownTime
			now := claim.Status.SandboxStatus.Name
			if l.sandbox != "" && now != l.sandbox {
				return true, fmt.Errorf("%s went from Sandbox %s to %q", l.ref(), l.sandbox, now)
			}
			l.sandbox = now
		}
	} else {
		var s agentsv1beta1.Sandbox
		found, l.sandbox = h.Get(l.name, &s), l.name
		at = s.Spec.ShutdownTime
	}
	if found && at != nil {
		l.deadline = at.Time
	}
	return found, nil
}

// readVolume reads the state that the process keeps, where one runs, through the kernel: a command in each of them every few seconds
// would be most of the machine's work.
func (l *life) readVolume(h *harness.T) error {
	h.Helper()
	var s agentsv1beta1.Sandbox
	if l.sandbox == "" || !h.Get(l.sandbox, &s) {
		return nil
	}
	for _, pod := range h.OwnedPods(&s) {
		pid, found := harness.Process(pod.UID, "sh")
		if !found {
			continue
		}
		text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/root/data/state")
		if err != nil {
			continue // it has just ended, or has not begun
		}
		return l.compare(string(text))
	}
	return nil
}

// compare takes a state that was read, and says whether it may follow the one before.
func (l *life) compare(state string) error {
	id, text, _ := strings.Cut(strings.TrimSpace(state), " ")
	count, err := strconv.Atoi(text)
	switch {
	case err != nil:
		return fmt.Errorf("%s: the volume holds %q", l.ref(), state)
	case l.id != "" && id != l.id:
		return fmt.Errorf("%s has another volume: %s instead of %s, which had counted to %d", l.ref(), id, l.id, l.count)
	case count < l.count:
		return fmt.Errorf("%s: the counter went from %d back to %d", l.ref(), l.count, count)
	}
	l.id, l.count = id, count
	return nil
}

// left says what a life that is over has left and should not have, or should have left and has not.
func (l *life) left(h *harness.T) error {
	h.Helper()
	if l.sandbox == "" {
		return nil
	}
	for _, o := range []client.Object{&agentsv1beta1.Sandbox{}, &corev1.Pod{}} {
		if h.Get(l.sandbox, o) {
			return fmt.Errorf("%s is over and has left %T %s", l.ref(), o, l.sandbox)
		}
	}
	var volume corev1.PersistentVolumeClaim
	found := h.Get(l.volume(), &volume)
	if l.end == leaves {
		if !found || volume.DeletionTimestamp != nil {
			return fmt.Errorf("%s is over and its volume %s is gone", l.ref(), l.volume())
		}
		return nil
	}
	if found {
		return fmt.Errorf("%s is over and has left volume %s", l.ref(), l.volume())
	}
	return nil
}

func (l *life) volume() string { return naming.PersistentVolumeClaim("data", l.sandbox) }
