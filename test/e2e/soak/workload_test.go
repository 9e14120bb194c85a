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

// counterScript keeps an identity and a count in one file of the volume, which it replaces atomically, and exits with
// code 0 on SIGTERM. A new volume gets a new identity, which reveals the loss of the old one.
const counterScript = `f=/data/state
[ -s $f ] || { cat /proc/sys/kernel/random/uuid | tr '\n' ' '; echo 0; } >$f.new && { [ -s $f ] || mv $f.new $f; }
trap 'exit 0' TERM
while :; do read -r id n <$f; echo "$id $((n + 1))" >$f.new && mv $f.new $f; sleep 1 & wait $!; done`

// expiry is what happens to a workload at its deadline.
type expiry int

const (
	noExpiry     expiry = iota // it has no deadline
	deletesAll                 // it is deleted, with its volume
	keepsVolume                // it is deleted, and its volume is kept
	keepsSandbox               // its Pod is deleted, and the Sandbox can be extended
)

// workload is one claim or Sandbox, and its last known state.
type workload struct {
	name   string
	claim  bool
	expiry expiry

	deadline  time.Time // as last read; zero: none
	suspended bool      // the last request
	sandbox   string    // the Sandbox of a claim, once it is known
	volumeID  string    // of the volume, once it is known
	count     int
	gone      bool // it was absent after its deadline
}

func (l *workload) ref() string {
	if l.claim {
		return "claim/" + l.name
	}
	return "sandbox/" + l.name
}

// isDeleted reports whether the workload is deleted at its deadline.
func (l *workload) isDeleted() bool { return l.expiry == deletesAll || l.expiry == keepsVolume }

// expiredFor reports whether the deadline was more than the given time ago.
func (l *workload) expiredFor(by time.Duration) bool {
	return !l.deadline.IsZero() && time.Since(l.deadline) > by
}

func volumes() []agentsv1beta1.PersistentVolumeClaimTemplate {
	return []agentsv1beta1.PersistentVolumeClaimTemplate{{
		EmbeddedObjectMetadata: agentsv1beta1.EmbeddedObjectMetadata{Name: "data"},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources: corev1.VolumeResourceRequirements{
				Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("16Mi")},
			},
		},
	}}
}

// withCounter makes a Pod's container run counterScript without restarts. A process that exits with code 0 on SIGTERM
// is the case in which a wrong Finished condition would lose data.
func withCounter(spec *corev1.PodSpec) {
	grace := int64(5)
	spec.TerminationGracePeriodSeconds = &grace
	spec.RestartPolicy = corev1.RestartPolicyNever
	spec.Containers[0].Command = []string{"sh", "-c", counterScript}
	spec.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "data", MountPath: "/data"}}
}

// startWorkload creates a workload in the cluster. lasts is the time until its deadline, if it has one.
func startWorkload(h *harness.T, name string, claim bool, e expiry, lasts time.Duration) *workload {
	h.Helper()
	l := &workload{name: name, claim: claim, expiry: e}
	var at *metav1.Time
	if e != noExpiry {
		until := metav1.NewTime(time.Now().Add(lasts).Truncate(time.Second))
		at, l.deadline = &until, until.Time
	}
	if claim {
		h.CreateAll(h.NewClaim(name, "counter", func(c *extensionsv1beta1.SandboxClaim) {
			// With a TTL of zero, an operator that mistakes a suspension for finished work deletes the claim.
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

// asSandbox returns the Sandbox of a workload without a claim.
func (l *workload) asSandbox(h *harness.T, at *metav1.Time) *agentsv1beta1.Sandbox {
	return h.NewSandbox(l.name, func(s *agentsv1beta1.Sandbox) {
		policy := agentsv1beta1.ShutdownPolicyDelete
		if l.expiry == keepsSandbox {
			policy = agentsv1beta1.ShutdownPolicyRetain
		}
		s.Spec.ShutdownTime, s.Spec.ShutdownPolicy = at, &policy
		s.Spec.VolumeClaimTemplates = volumes()
		if l.expiry == keepsVolume {
			s.Spec.PersistentVolumeClaimRetentionPolicy = &agentsv1beta1.PersistentVolumeClaimRetentionPolicy{
				WhenDeleted: "Retain",
			}
		}
		withCounter(&s.Spec.PodTemplate.Spec)
	})
}

// check compares a workload with the cluster and returns an error for a difference.
func (l *workload) check(h *harness.T) error {
	h.Helper()
	if l.gone {
		return nil
	}
	found, err := l.read(h)
	switch {
	case err != nil:
		return err
	case !found && l.isDeleted() && l.expiredFor(0):
		l.gone = true
		return nil
	case !found:
		return fmt.Errorf("%s is gone; its deadline is %v, the time is %v", l.ref(), l.deadline, time.Now())
	case l.isDeleted() && l.expiredFor(deletionDelay):
		return fmt.Errorf("%s still exists, its deadline was %v", l.ref(), l.deadline)
	}
	return l.readVolume(h)
}

// read updates the workload's deadline and Sandbox from the API server.
func (l *workload) read(h *harness.T) (found bool, err error) {
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

// readVolume checks the state in the volume of a running process. It reads it through /proc, because an exec for each
// workload every few seconds would use most of the machine's CPU.
func (l *workload) readVolume(h *harness.T) error {
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
			continue // the process has just ended, or has not written it yet
		}
		return l.checkState(string(text))
	}
	return nil
}

// checkState records a state, and returns an error if it cannot follow the previous one.
func (l *workload) checkState(state string) error {
	id, text, _ := strings.Cut(strings.TrimSpace(state), " ")
	count, err := strconv.Atoi(text)
	switch {
	case err != nil:
		return fmt.Errorf("%s: the volume holds %q", l.ref(), state)
	case l.volumeID != "" && id != l.volumeID:
		return fmt.Errorf("%s has another volume: %s instead of %s, which had counted to %d", l.ref(), id, l.volumeID,
			l.count)
	case count < l.count:
		return fmt.Errorf("%s: the counter went from %d back to %d", l.ref(), l.count, count)
	}
	l.volumeID, l.count = id, count
	return nil
}

// checkLeftovers returns an error if an expired workload has left an object that it should not, or lost its kept
// volume.
func (l *workload) checkLeftovers(h *harness.T) error {
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
	if l.expiry == keepsVolume {
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

func (l *workload) volume() string { return naming.PersistentVolumeClaim("data", l.sandbox) }
