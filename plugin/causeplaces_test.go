// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"bytes"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory/fake"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/diagnose"
	b "github.com/agent-sandbox/kubectl-sandbox/test/builders"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakecluster"
	"github.com/agent-sandbox/kubectl-sandbox/tui/rows"
)

// where runs a command line on the objects and returns everything that it prints.
func where(t *testing.T, now time.Time, line string, objects ...runtime.Object) string {
	t.Helper()
	return whereColored(t, false, now, line, objects...)
}

// whereColored is where, optionally on a terminal with colours.
func whereColored(t *testing.T, colored bool, now time.Time, line string, objects ...runtime.Object) string {
	t.Helper()
	cluster := fakecluster.New(objects...)
	var out bytes.Buffer
	f := &fake.Factory{
		In: b.Namespace, Time: clocktesting.NewFakeClock(now), Colored: colored,
		SandboxesClient: cluster.Sandboxes, KubernetesClient: cluster.Kubernetes,
	}
	root := newCommand(f, genericiooptions.IOStreams{In: &bytes.Buffer{}, Out: &out, ErrOut: &out})
	execute(t.Context(), root, strings.Fields(line), f, &out)
	return out.String()
}

func TestEveryPlaceTellsTheCause(t *testing.T) {
	now := selectionTime
	for name, tt := range causes(now) {
		if tt.operator == 0 && !strings.HasPrefix(name, "the operator") {
			tt.operator = 1
		}
		t.Run(name, func(t *testing.T) {
			claim, sandbox, objects := tt.objects(now)
			for _, line := range []string{
				"status dev", "list dev -o wide", "describe dev", "wait dev --for ready --timeout 0", "status dev -o json",
			} {
				said := where(t, now, line, objects...)
				if !strings.Contains(strings.ReplaceAll(said, `\"`, `"`), tt.says) {
					t.Errorf("%s does not say %q:\n%s", line, tt.says, said)
				}
				if !strings.HasPrefix(line, "wait") && !strings.Contains(said, "Blocked") {
					t.Errorf("%s does not say that it is blocked:\n%s", line, said)
				}
			}
			said := where(t, now, "status dev", objects...)
			_, next, _ := strings.Cut(said, "Next:\n")
			first, _, _ := strings.Cut(next, "\n")
			if !strings.Contains(first, tt.next) {
				t.Errorf("the first step is not %q:\n%s", tt.next, said)
			}
			if tt.never != "" && strings.Contains(said, tt.never) {
				t.Errorf("status says %q:\n%s", tt.never, said)
			}
			if strings.HasPrefix(name, "the operator") && !strings.HasPrefix(said, "no operator manages sandboxes") {
				t.Errorf("status does not begin with the operator:\n%s", said)
			}
			row := rows.FromClaim(claim, sandbox, nil, now)
			want := tt.says
			if tt.dashboard != "" {
				want = tt.dashboard
			}
			if row.State != diagnose.Blocked || !strings.Contains(row.Reason, want) {
				t.Errorf("the dashboard says %s: %s", row.State, row.Reason)
			}
		})
	}
}

func TestWhatATemplateBreaksIsRed(t *testing.T) {
	now := selectionTime
	for name, pulled := range map[string]bool{"the image cannot be pulled": true, "the template is gone": false} {
		tt := causes(now)[name]
		tt.operator = 1
		_, _, objects := tt.objects(now)
		owner := b.Pool("warm", "python", b.WithUID("w"), b.WithReplicas(1))
		objects = append(objects, owner)
		if pulled {
			objects = append(objects, b.Sandbox("warm-aaaaa", b.WithUID("m"), b.OwnedBy(owner), b.WithCondition(
				apis.ConditionReady, false, apis.ReasonDependenciesNotReady, apis.MessagePodPhase+
					`Pending: container main: ImagePullBackOff: cannot pull image "x": not found`, now)))
		}
		for line, red := range map[string]string{"list dev": "Blocked", "status dev": "Blocked", "pool list": "0"} {
			if said := whereColored(t, true, now, line, objects...); !strings.Contains(said, "\x1b[31m"+red+"\x1b[m") {
				t.Errorf("%s, %s: %q is not red: %q", name, line, red, said)
			}
		}
	}
}

func TestARuntimesErrorIsShownOnceAndWholeOnlyInDescribe(t *testing.T) {
	now := selectionTime
	image := causes(now)["the image cannot be pulled"]
	image.operator = 1
	_, _, objects := image.objects(now)
	objects = append(objects, &corev1.Event{
		ObjectMeta: metav1.ObjectMeta{Namespace: b.Namespace, Name: "failed"}, Type: "Warning", Reason: "Failed",
		Message: `Failed to pull image "registry.test/app:v1": ` + runtimeError, LastTimestamp: metav1.NewTime(now),
		InvolvedObject: corev1.ObjectReference{Kind: "Pod", Name: "dev", UID: "p"},
	})
	for line, times := range map[string]struct{ whole, short int }{
		"describe dev":                     {1, 1},
		"status dev":                       {0, 1},
		"list dev -o wide":                 {0, 1},
		"tree dev":                         {0, 3}, // each object that is Blocked: claim, template and Sandbox
		"wait dev --for ready --timeout 0": {0, 1},
	} {
		said := where(t, now, line, objects...)
		if got := strings.Count(said, runtimeError); got != times.whole {
			t.Errorf("%s says the whole error %d times:\n%s", line, got, said)
		}
		if got := strings.Count(said, "not found"); got != times.short {
			t.Errorf("%s says it %d times:\n%s", line, got, said)
		}
	}
}
