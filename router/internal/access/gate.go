// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package access

import (
	"context"
	"crypto/subtle"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/router/internal/reply"
	"github.com/agent-sandbox/kubectl-sandbox/router/internal/token"
)

// retryReview is when to try again after the API server did not answer.
const retryReview = 2 * time.Second

// Config says whom a Gate lets in.
type Config struct {
	Kubernetes kubernetes.Interface
	Audiences  []string      // that a token of Kubernetes must have one of; empty: that of the API server
	TTL        time.Duration // how long answers of the API server are kept
	Static     token.Key     // opens everything; empty: there is no such token
	Signer     *token.Signer
	Open       bool // everybody may do everything
	Clock      clock.PassiveClock
	// Asked is told about each review by the API server: "token" or "access".
	Asked func(review string, err error)
}

// Gate lets requests in. It is safe for concurrent use.
type Gate struct {
	config  Config
	reviews *reviews
}

// New returns a Gate.
func New(config Config) *Gate {
	return &Gate{config, newReviews(config.Kubernetes, config.Audiences, config.Clock, config.TTL, config.Asked)}
}

// Way is how a caller got in.
type Way string

// The ways.
const (
	WayOpen       Way = "unauthenticated"
	WayStatic     Way = "static"
	WayScoped     Way = "scoped"
	WayKubernetes Way = "kubernetes"
)

// Caller is the sender of a request.
type Caller struct {
	Way  Way
	Name string // for the log

	user  *user       // WayKubernetes
	scope token.Scope // WayScoped
}

// Authenticate returns the sender of a request. The error is a *reply.Error.
func (g *Gate) Authenticate(r *http.Request) (Caller, error) {
	if g.config.Open {
		return Caller{Way: WayOpen}, nil
	}
	scheme, text, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	text = strings.TrimSpace(text)
	if !strings.EqualFold(scheme, "Bearer") || text == "" || len(r.Header.Values("Authorization")) > 1 {
		return Caller{}, reply.Errorf(http.StatusUnauthorized, "A bearer token is required.")
	}
	if static := g.config.Static.Bytes(); subtle.ConstantTimeCompare(static, []byte(text)) == 1 {
		return Caller{Way: WayStatic}, nil
	}
	if is, ok := g.reviews.known(text); ok { // and therefore no scoped one, which is never reviewed
		return ofKubernetes(is)
	}
	scope, err := g.config.Signer.Verify(text)
	if err == nil {
		return Caller{Way: WayScoped, Name: scope.Namespace + "/" + scope.Name, scope: scope}, nil
	}
	if !errors.Is(err, token.ErrForeign) {
		return Caller{}, invalid().Because(err)
	}
	is, err := g.reviews.userOf(r.Context(), text)
	if err != nil {
		return Caller{}, unanswered(err)
	}
	return ofKubernetes(is)
}

// ofKubernetes returns the caller whose token was reviewed.
func ofKubernetes(is *user) (Caller, error) {
	if is == nil {
		return Caller{}, invalid()
	}
	return Caller{Way: WayKubernetes, Name: is.info.Username, user: is}, nil
}

func invalid() *reply.Error {
	return reply.Errorf(http.StatusUnauthorized, "The bearer token is not valid, or it has expired.")
}

func unanswered(err error) error {
	return reply.Errorf(http.StatusServiceUnavailable, "The API server did not say whether this is allowed.").
		After(retryReview).Because(err)
}

// Subject is what a caller wants to reach.
type Subject struct {
	Namespace      string
	Sandbox, Claim string      // names; either may be empty
	UIDs           []types.UID // of both; empty: nothing of these names is known
}

// Authorize returns nil if the caller may reach the subject. The error is a *reply.Error, and the same for a subject
// that does not exist.
func (g *Gate) Authorize(ctx context.Context, caller Caller, subject Subject) error {
	allowed, err := g.allows(ctx, caller, subject)
	if err != nil {
		return unanswered(err)
	}
	if !allowed {
		return reply.Errorf(http.StatusForbidden, "The caller may not reach this sandbox.")
	}
	return nil
}

func (g *Gate) allows(ctx context.Context, caller Caller, s Subject) (bool, error) {
	switch caller.Way {
	case WayOpen, WayStatic:
		return true, nil
	case WayScoped:
		known := slices.Contains(s.UIDs, caller.scope.UID)
		if len(s.UIDs) == 0 { // it may be looked up, and is then judged again
			known = caller.scope.Name == s.Sandbox || caller.scope.Name == s.Claim
		}
		return known && caller.scope.Namespace == s.Namespace, nil
	case WayKubernetes:
		if s.Sandbox != "" {
			ok, err := g.reviews.may(ctx, caller.user, apis.GroupAgents, apis.ResourceSandboxes, s.Namespace, s.Sandbox)
			if ok || err != nil {
				return ok, err
			}
		}
		if s.Claim != "" {
			return g.reviews.may(ctx, caller.user, apis.GroupExtensions, apis.ResourceClaims, s.Namespace, s.Claim)
		}
	}
	return false, nil
}
