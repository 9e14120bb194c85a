// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package store

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/diagnose"
	b "github.com/agent-sandbox/kubectl-sandbox/test/builders"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakecluster"
	"github.com/agent-sandbox/kubectl-sandbox/tui/rows"
)

// event returns a warning about an object.
func event(kind, name string, uid types.UID, reason, message string) *corev1.Event {
	return &corev1.Event{
		ObjectMeta: metav1.ObjectMeta{Namespace: b.Namespace, Name: name + "-" + strings.ToLower(reason)},
		Type:       corev1.EventTypeWarning, Reason: reason, Message: message, LastTimestamp: metav1.NewTime(time.Now()),
		InvolvedObject: corev1.ObjectReference{Kind: kind, Name: name, Namespace: b.Namespace, UID: uid},
	}
}

// pending returns the condition of what has a Pod that is Pending, as the operator writes it without a cause.
func pending() b.Condition {
	return b.WithCondition(apis.ConditionReady, false, apis.ReasonDependenciesNotReady, apis.MessagePodPhase+"Pending",
		time.Unix(0, 0))
}

// rowOf returns the row of a claim or Sandbox.
func rowOf(t *testing.T, s *Snapshot, name string) *rows.Row {
	t.Helper()
	for _, r := range s.Claims {
		if r.Name == name {
			return r
		}
	}
	t.Fatalf("there is no row of %s", name)
	return nil
}

// waitingForVolumes returns a claim and a Sandbox without a claim whose volumes are not created.
func waitingForVolumes() []runtime.Object {
	claim := b.Claim("box", "python", b.WithUID("c-box"), b.BoundTo("box"), pending())
	held := b.Sandbox("box", b.WithUID("s-box"), b.OwnedBy(claim), b.WithVolume("data", "1Gi"), pending())
	own := b.Sandbox("own", b.WithUID("s-own"), b.WithVolume("data", "1Gi"), pending())
	volumeOf := func(sandbox string, options ...b.VolumeOption) *corev1.PersistentVolumeClaim {
		return b.PersistentVolumeClaim("data-"+sandbox, "1Gi", options...)
	}
	return []runtime.Object{
		claim, held, own,
		b.Pod("own", b.OwnedBy(own), b.CreatedAt(time.Unix(0, 0)),
			b.WithLabel(apis.LabelSandboxNameHash, naming.Hash("own"))),
		volumeOf("box", b.WithUID("v-box")),
		volumeOf("own", b.WithUID("v-own"), b.WithAnnotation("volume.kubernetes.io/selected-node", "n1"),
			b.WithAnnotation("volume.kubernetes.io/storage-provisioner", "disks.example.com")),
		event("PersistentVolumeClaim", "data-box", "v-box", "ProvisioningFailed", "no disk is left"),
	}
}

func TestARowSaysWhatOnlyVolumesAndEventsTell(t *testing.T) {
	c := fakecluster.New(waitingForVolumes()...)
	s := start(t, c, b.Namespace)
	got := s.until("with causes", func(s *Snapshot) bool { return synced(s) && s.CausesRead })
	for name, reason := range map[string]string{
		"box": "ProvisioningFailed: no disk is left", "own": "provisioner disks.example.com has not created it for node n1",
	} {
		row := rowOf(t, got, name)
		filter, err := rows.ParseFilter("blocked " + strings.Fields(reason)[1])
		if err != nil {
			t.Fatal(err)
		}
		if row.State != diagnose.Blocked || !strings.HasSuffix(row.Reason, reason) ||
			len(rows.Select([]*rows.Row{row}, filter)) != 1 {
			t.Errorf("%s is %s: %s", name, row.State, row.Reason)
		}
	}
	// The cause is looked for again, although the row is not Starting any more, and is gone with what it was about.
	if err := c.Kubernetes.CoreV1().Events(b.Namespace).Delete(t.Context(), "data-box-provisioningfailed",
		metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if !s.current.updateCauses() {
		t.Error("nothing was looked for")
	}
	s.until("without the event", func(s *Snapshot) bool {
		row := rowOf(t, s, "box")
		return row.State == diagnose.Starting && strings.Contains(row.Reason, "is not bound yet")
	})
	own := b.Sandbox("own", b.WithUID("s-own"), b.WithVolume("data", "1Gi"), ready())
	if _, err := c.Sandboxes.AgentsV1beta1().Sandboxes(b.Namespace).Update(t.Context(), own,
		metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	s.until("ready", func(s *Snapshot) bool {
		row := rowOf(t, s, "own")
		return row.State == diagnose.Ready && row.Reason == ""
	})
}

func TestAPoolSaysThatItsMembersAreRejected(t *testing.T) {
	for _, namespace := range []string{"", b.Namespace} {
		s := start(t, fakecluster.New(
			b.Template("python", b.WithUID("t")), b.Pool("warm", "python", b.WithUID("w"), b.WithReplicas(2)),
			event("SandboxWarmPool", "warm", "w", "MemberRejected",
				`The API server rejects members of SandboxTemplate "python": denied by policy`),
		), namespace)
		got := s.until("with causes", func(s *Snapshot) bool { return synced(s) && s.CausesRead })
		if p := got.Pools[0]; !p.Broken || !strings.Contains(p.Short, "denied by policy") {
			t.Errorf("namespace %q: %+v", namespace, *p)
		}
		if tmpl := got.Templates[0]; !strings.Contains(tmpl.Fault, "denied by policy") {
			t.Errorf("the template: %+v", *tmpl)
		}
	}
}

func TestCausesThatMayNotBeReadAreNoProblem(t *testing.T) {
	c := fakecluster.New(waitingForVolumes()...)
	for _, resource := range []string{"events", "persistentvolumeclaims"} {
		c.Refuse("list", resource, fakecluster.Forbidden("list", resource, ""))
	}
	got := start(t, c, b.Namespace).until("with causes", func(s *Snapshot) bool { return synced(s) && s.CausesRead })
	if row := rowOf(t, got, "box"); row.State != diagnose.Starting || len(got.Health.Forbidden()) > 0 {
		t.Errorf("it is %s: %s; health %+v", row.State, row.Reason, got.Health)
	}
}

func TestAsFewAsPossibleIsReadForCauses(t *testing.T) {
	st := newState()
	for i := range maxExplained + 5 {
		name := string(rune('a'+i%26)) + string(rune('a'+i/26))
		st.putSandbox(b.Sandbox(name, b.WithUID(types.UID(name)), b.CreatedAt(time.Unix(int64(1000-i), 0)), pending()))
	}
	st.putSandbox(b.Sandbox("ready", b.WithUID("ready"), ready()))
	st.putPool(b.Pool("full", "python", b.WithUID("full"), b.WithReplicas(0)))
	open := st.unexplained(time.Unix(2000, 0))
	if len(open.targets) != maxExplained || len(open.pools) > 0 {
		t.Fatalf("%d targets, pools in %q", len(open.targets), open.pools)
	}
	if first := open.targets[0].Sandbox.CreationTimestamp.Unix(); first != 1000-maxExplained-4 {
		t.Errorf("the first is of second %d", first)
	}
	found := (&scope{}).findCauses(newState().unexplained(time.Unix(2000, 0))) // it has no client
	if !found.read || len(found.claims)+len(found.sandboxes)+len(found.rejections) > 0 {
		t.Errorf("without anything open, something was read: %+v", found)
	}
}
