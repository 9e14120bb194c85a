// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package access

import (
	"reflect"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	clocktesting "k8s.io/utils/clock/testing"
)

// inquiry is all that an answer depends on.
type inquiry struct {
	user                  authenticationv1.UserInfo
	group, resource       string
	namespace, name       string
	allowed, denied, want bool // what the API server says, and what it means
}

// asked is somebody who may reach everything that the API server allows.
func asked(change func(*inquiry)) inquiry {
	q := inquiry{
		user: authenticationv1.UserInfo{Username: "ann", UID: "u-ann", Groups: []string{"team"},
			Extra: map[string]authenticationv1.ExtraValue{"scopes": {"read", "write"}}},
		group: "agents.x-k8s.io", resource: "sandboxes", namespace: "team", name: "box", allowed: true, want: true,
	}
	change(&q)
	return q
}

func TestAnAnswerIsForOneUserAndOneObject(t *testing.T) {
	for name, tt := range map[string]struct {
		change  func(*inquiry)
		reviews int
	}{
		"the same question":          {func(*inquiry) {}, 1},
		"another user":               {func(q *inquiry) { q.user.Username = "bob" }, 2},
		"another user of this name":  {func(q *inquiry) { q.user.UID = "u-next" }, 2},
		"one who has left the group": {func(q *inquiry) { q.user.Groups = nil }, 2},
		"one with fewer scopes":      {func(q *inquiry) { q.user.Extra = nil }, 2},
		"another kind": {func(q *inquiry) {
			q.group, q.resource = "extensions.agents.x-k8s.io", "sandboxclaims"
		}, 2},
		"another namespace":       {func(q *inquiry) { q.namespace = "other" }, 2},
		"another object":          {func(q *inquiry) { q.name = "fox" }, 2},
		"one that is not allowed": {func(q *inquiry) { q.name, q.allowed, q.want = "fox", false, false }, 2},
		"one that is denied":      {func(q *inquiry) { q.name, q.denied, q.want = "fox", true, false }, 2},
	} {
		t.Run(name, func(t *testing.T) {
			client := fake.NewClientset()
			var q inquiry
			var seen []authorizationv1.SubjectAccessReviewSpec
			client.PrependReactor("create", "subjectaccessreviews",
				func(action clienttesting.Action) (bool, runtime.Object, error) {
					review := action.(clienttesting.CreateAction).GetObject().(*authorizationv1.SubjectAccessReview).DeepCopy()
					review.Status = authorizationv1.SubjectAccessReviewStatus{Allowed: q.allowed, Denied: q.denied}
					seen = append(seen, review.Spec)
					return true, review, nil
				})
			r := newReviews(client, nil, clocktesting.NewFakePassiveClock(time.Unix(0, 0)), time.Minute, func(string, error) {})
			for _, q = range []inquiry{asked(func(*inquiry) {}), asked(tt.change)} {
				u, err := newUser(q.user)
				if err != nil {
					t.Fatal(err)
				}
				if got, err := r.may(t.Context(), u, q.group, q.resource, q.namespace, q.name); got != q.want || err != nil {
					t.Errorf("%s may reach %s: %v, %v", q.user.Username, q.name, got, err)
				}
			}
			if len(seen) != tt.reviews {
				t.Fatalf("%d reviews, want %d", len(seen), tt.reviews)
			}
			if got, want := seen[len(seen)-1], q.spec(); !reflect.DeepEqual(got, want) {
				t.Errorf("review of %+v, want %+v", got, want)
			}
		})
	}
}

// spec returns the review that the question needs.
func (q inquiry) spec() authorizationv1.SubjectAccessReviewSpec {
	extra := map[string]authorizationv1.ExtraValue{}
	for name, values := range q.user.Extra {
		extra[name] = authorizationv1.ExtraValue(values)
	}
	return authorizationv1.SubjectAccessReviewSpec{
		User: q.user.Username, UID: q.user.UID, Groups: q.user.Groups, Extra: extra,
		ResourceAttributes: &authorizationv1.ResourceAttributes{
			Verb: "create", Group: q.group, Version: "v1beta1", Resource: q.resource, Subresource: "proxy",
			Namespace: q.namespace, Name: q.name,
		},
	}
}
