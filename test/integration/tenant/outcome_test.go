// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tenant

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
)

// outcome is what became of an attempt: who refused it, and in which words.
type outcome struct{ by, words string }

// Who may refuse an attempt. The operator refuses it in the condition Ready, in an event, or by what it does.
const (
	byRBAC        = "RBAC"
	bySchema      = "the schema"
	byServer      = "the API server"
	byPodSecurity = "Pod Security"
	byQuota       = "ResourceQuota"
	byAdmission   = "the admission plugin OwnerReferencesPermissionEnforcement"
	byOperator    = "the operator"
	nobody        = "nobody"
)

// inReady is the operator's refusal in the condition Ready, and inEvent that in an event.
func inReady(reason apis.Reason) string { return fmt.Sprintf("%s, Ready: `%s`", byOperator, reason) }
func inEvent(reason apis.Reason) string { return fmt.Sprintf("%s, event `%s`", byOperator, reason) }

// refusal tells who refused a request.
func refusal(err error) outcome {
	switch {
	case err == nil:
		return outcome{by: nobody}
	case apierrors.IsForbidden(err) && strings.Contains(err.Error(), "cannot set blockOwnerDeletion"):
		return outcome{byAdmission, err.Error()}
	case apierrors.IsForbidden(err) && strings.Contains(err.Error(), `is forbidden: User "system:serviceaccount:`):
		return outcome{byRBAC, err.Error()}
	case apierrors.IsInvalid(err):
		return outcome{bySchema, err.Error()}
	default:
		return outcome{byServer, err.Error()}
	}
}

// inMessage tells who refused what a condition's message or an event's note is about. otherwise is the operator.
func inMessage(otherwise, message string) outcome {
	switch {
	case strings.Contains(message, "violates PodSecurity"):
		return outcome{byPodSecurity, message}
	case strings.Contains(message, "exceeded quota"):
		return outcome{byQuota, message}
	case strings.Contains(message, `Pod "`) && strings.Contains(message, "is invalid:"):
		return outcome{byServer, message}
	default:
		return outcome{otherwise, message}
	}
}

// all is one outcome of several attempts. It says if not all were refused by the same one.
func all(outcomes ...outcome) outcome {
	whole := outcomes[0]
	for _, o := range outcomes[1:] {
		if o.by != whole.by {
			return outcome{whole.by + " and " + o.by, whole.words + "; " + o.words}
		}
	}
	whole.words = slices.MinFunc(outcomes, func(a, b outcome) int { return len(a.words) - len(b.words) }).words
	return whole
}

// hears waits until what is said is what the attempt expects, and returns what was said last. The operator may say
// something else before, such as that a template does not exist that its cache does not show yet.
func (w *tenancy) hears(what string, listen func() (outcome, error)) outcome {
	w.Helper()
	var said outcome
	var problem error
	err := wait.PollUntilContextTimeout(w.Context(), 20*time.Millisecond, 30*time.Second, true,
		func(context.Context) (bool, error) {
			heard, err := listen()
			if problem = err; err == nil {
				said = heard
			}
			return err == nil && heard.by == w.want.by && strings.Contains(heard.words, w.want.words), nil
		})
	if err != nil && said == (outcome{}) {
		w.Fatalf("%s: %v", what, problem)
	}
	return said
}

// sandboxSays waits until a Sandbox reports the problem.
func (w *tenancy) sandboxSays(name string) outcome {
	w.Helper()
	return w.hears("a problem of Sandbox "+name, func() (outcome, error) {
		var s agentsv1beta1.Sandbox
		if err := w.get(name, &s); err != nil {
			return outcome{}, err
		}
		return problemOf(s.Status.Conditions, s.Generation)
	})
}

// claimSays waits until a claim reports the problem.
func (w *tenancy) claimSays(name string) outcome {
	w.Helper()
	return w.hears("a problem of claim "+name, func() (outcome, error) {
		var claim extensionsv1beta1.SandboxClaim
		if err := w.get(name, &claim); err != nil {
			return outcome{}, err
		}
		return problemOf(claim.Status.Conditions, claim.Generation)
	})
}

// problemOf returns what the condition Ready says against an object of that generation.
func problemOf(conditions []metav1.Condition, generation int64) (outcome, error) {
	ready := apis.FindCondition(conditions, apis.ConditionReady)
	if ready == nil || ready.ObservedGeneration != generation || ready.Status == metav1.ConditionTrue {
		return outcome{}, fmt.Errorf("conditions are %+v", conditions)
	}
	return inMessage(inReady(apis.Reason(ready.Reason)), ready.Message), nil
}

// lacksTemplate waits until a claim waits for its template.
func (w *tenancy) lacksTemplate(name string) {
	w.Helper()
	w.eventually("claim "+name+" waits for its template", func() error {
		return w.claimHas(name, apis.ReasonTemplateNotFound)
	})
}

// claimHas returns an error unless the condition Ready of a claim has the reason.
func (w *tenancy) claimHas(name string, reason apis.Reason) error {
	ready := apis.FindCondition(w.claim(name).Status.Conditions, apis.ConditionReady)
	if ready == nil || ready.Reason != string(reason) {
		return fmt.Errorf("the condition is %+v", ready)
	}
	return nil
}

// eventSays waits for the warning of the operator.
func (w *tenancy) eventSays(reason apis.Reason) outcome {
	w.Helper()
	return w.hears("an event "+string(reason), func() (outcome, error) {
		var events eventsv1.EventList
		if err := w.admin.List(w.Context(), &events, client.InNamespace(w.namespace)); err != nil {
			return outcome{}, err
		}
		for i := range events.Items {
			if events.Items[i].Reason == string(reason) && events.Items[i].Type == corev1.EventTypeWarning {
				return inMessage(inEvent(reason), events.Items[i].Note), nil
			}
		}
		return outcome{}, fmt.Errorf("there are %d events", len(events.Items))
	})
}

// becomes waits until the operator has undone an attempt.
func (w *tenancy) becomes(words string, undone func() error) outcome {
	w.Helper()
	w.eventually(words, undone)
	return outcome{byOperator, words}
}

// pod waits for a Pod.
func (w *tenancy) pod(name string) *corev1.Pod {
	w.Helper()
	pod := &corev1.Pod{}
	w.eventually("Pod "+name, func() error { return w.get(name, pod) })
	return pod
}

// claimed waits until a claim has its Sandbox, and returns it.
func (w *tenancy) claimed(name string) *agentsv1beta1.Sandbox {
	w.Helper()
	sandbox := &agentsv1beta1.Sandbox{}
	w.eventually("the Sandbox of claim "+name, func() error {
		w.markPodsReady()
		var claim extensionsv1beta1.SandboxClaim
		if err := w.get(name, &claim); err != nil {
			return err
		}
		if claim.Status.SandboxStatus.Name == "" {
			return fmt.Errorf("conditions are %+v", claim.Status.Conditions)
		}
		return w.get(claim.Status.SandboxStatus.Name, sandbox)
	})
	return sandbox
}

// checkNone fails the test if there is an object of the name.
func (w *tenancy) checkNone(name string, object client.Object) {
	w.Helper()
	if err := w.get(name, object); !apierrors.IsNotFound(err) {
		w.Errorf("there is a %T %s: %v", object, name, err)
	}
}

// isGone returns an error while there is an object of the name.
func (w *tenancy) isGone(name string, object client.Object) error {
	if err := w.get(name, object); !apierrors.IsNotFound(err) {
		return errors.Join(err, fmt.Errorf("%T %s is there", object, name))
	}
	return nil
}

// controllerOf returns the kind and the name of what controls an object.
func controllerOf(object metav1.Object) string {
	if ref := metav1.GetControllerOf(object); ref != nil {
		return ref.Kind + " " + ref.Name
	}
	return "nobody"
}
