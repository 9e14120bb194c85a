// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package access

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
)

// reviews asks the API server who has a token, and what a user may do.
type reviews struct {
	kubernetes kubernetes.Interface
	audiences  []string
	users      *answers[*user]
	allowed    *answers[bool]
}

// user is somebody whom the API server knows. A nil user has no valid token.
type user struct {
	info authenticationv1.UserInfo
	key  string // the same for the same user, groups and extra
}

func newReviews(
	client kubernetes.Interface, audiences []string, clk clock.PassiveClock, ttl time.Duration,
	asked func(review string, err error),
) *reviews {
	return &reviews{
		kubernetes: client, audiences: audiences,
		users:   newAnswers[*user](clk, ttl, func(err error) { asked("token", err) }),
		allowed: newAnswers[bool](clk, ttl, func(err error) { asked("access", err) }),
	}
}

// known returns what the API server answered lately.
func (r *reviews) known(token string) (is *user, ok bool) { return r.users.known(hash(token)) }

// hash returns the key of a token.
func hash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return string(sum[:])
}

// userOf returns the owner of a token, or nil.
func (r *reviews) userOf(ctx context.Context, token string) (*user, error) {
	return r.users.get(ctx, hash(token), func(ctx context.Context) (*user, error) {
		review, err := r.kubernetes.AuthenticationV1().TokenReviews().Create(ctx, &authenticationv1.TokenReview{
			Spec: authenticationv1.TokenReviewSpec{Token: token, Audiences: r.audiences},
		}, metav1.CreateOptions{})
		if err != nil {
			return nil, fmt.Errorf("review a token: %w", err)
		}
		if !review.Status.Authenticated || !r.intended(review.Status.Audiences) {
			return nil, nil
		}
		return newUser(review.Status.User)
	})
}

// intended reports whether a token is for this router. An API server that knows no audiences names none, and then its
// tokens are for everybody: not for a router that demands one.
func (r *reviews) intended(audiences []string) bool {
	return len(r.audiences) == 0 || slices.ContainsFunc(audiences, func(is string) bool {
		return slices.Contains(r.audiences, is)
	})
}

func newUser(info authenticationv1.UserInfo) (*user, error) {
	raw, err := json.Marshal(info)
	if err != nil {
		return nil, fmt.Errorf("encode a user: %w", err)
	}
	sum := sha256.Sum256(raw)
	return &user{info, string(sum[:])}, nil
}

// may reports whether a user may create the proxy of an object.
func (r *reviews) may(ctx context.Context, u *user, group, resource, namespace, name string) (bool, error) {
	key := strings.Join([]string{u.key, resource, namespace, name}, "/")
	return r.allowed.get(ctx, key, func(ctx context.Context) (bool, error) {
		extra := make(map[string]authorizationv1.ExtraValue, len(u.info.Extra))
		for name, values := range u.info.Extra {
			extra[name] = authorizationv1.ExtraValue(values)
		}
		review, err := r.kubernetes.AuthorizationV1().SubjectAccessReviews().Create(ctx,
			&authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
				User: u.info.Username, UID: u.info.UID, Groups: u.info.Groups, Extra: extra,
				ResourceAttributes: &authorizationv1.ResourceAttributes{
					Verb: "create", Group: group, Version: apis.VersionV1beta1, Resource: resource,
					Subresource: apis.SubresourceProxy, Namespace: namespace, Name: name,
				},
			}}, metav1.CreateOptions{})
		if err != nil {
			return false, fmt.Errorf("review the access: %w", err)
		}
		return review.Status.Allowed && !review.Status.Denied, nil
	})
}
