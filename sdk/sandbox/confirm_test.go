// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sandbox_test

import (
	"errors"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"
	clocktesting "k8s.io/utils/clock/testing"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/sandbox"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakecluster"
)

// broken is the error of a connection that broke before the answer.
type broken struct{ error }

// OutcomeUnknown is that of *transport.BrokenError.
func (broken) OutcomeUnknown() bool { return true }

func TestAnObjectWhoseCreationWasNotAnsweredIsFound(t *testing.T) {
	lost := broken{errors.New("the connection broke")}
	for name, test := range map[string]struct {
		arrives bool // the request
		another bool // of that name exists
		err     error
		want    bool
	}{
		"the request arrived":            {arrives: true, err: lost, want: true},
		"the API server took too long":   {arrives: true, err: apierrors.NewTimeoutError("slow", 1), want: true},
		"the request did not arrive":     {err: lost},
		"the request was refused":        {arrives: true, err: apierrors.NewBadRequest("no")},
		"it is somebody else's, by then": {another: true, err: lost},
	} {
		t.Run(name, func(t *testing.T) {
			cluster := fakecluster.New()
			answer := func(action clienttesting.Action) (bool, runtime.Object, error) {
				if test.arrives || test.another {
					object := action.(clienttesting.CreateAction).GetObject().DeepCopyObject()
					if test.another {
						object.(metav1.Object).SetAnnotations(nil)
					}
					if err := cluster.Sandboxes.Tracker().Create(action.GetResource(), object, "ns"); err != nil {
						return true, nil, err
					}
				}
				return true, nil, test.err
			}
			cluster.Sandboxes.PrependReactor("create", "*", answer)
			client := sandbox.New(cluster.Sandboxes, clocktesting.NewFakePassiveClock(time.Unix(0, 0)))
			meta := metav1.ObjectMeta{Namespace: "ns", Name: "dev"}
			_, err := client.Create(t.Context(), &agentsv1beta1.Sandbox{ObjectMeta: meta}, false)
			if (err == nil) != test.want {
				t.Errorf("a Sandbox: got %v", err)
			}
			_, _, err = client.CreateClaim(t.Context(), &extensionsv1beta1.SandboxClaim{ObjectMeta: meta}, false)
			if (err == nil) != test.want {
				t.Errorf("a claim: got %v", err)
			}
		})
	}
}
