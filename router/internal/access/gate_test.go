// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package access

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/agent-sandbox/kubectl-sandbox/router/internal/reply"
	"github.com/agent-sandbox/kubectl-sandbox/router/internal/token"
)

// key is a key, or the static token.
type key string

func (k key) Bytes() []byte { return []byte(k) }

const strongKey = key("0123456789abcdef0123456789abcdef")

// server is an API server that knows tokens and permissions.
type server struct {
	mu      sync.Mutex
	users   map[string]string // by token
	allowed []string          // user/group/resource/namespace/name
	err     error
	tokens  []string // that were reviewed
	access  []string // that was reviewed
}

func (s *server) client() *fake.Clientset {
	client := fake.NewClientset()
	client.PrependReactor("create", "tokenreviews", func(action clienttesting.Action) (bool, runtime.Object, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		review := action.(clienttesting.CreateAction).GetObject().(*authenticationv1.TokenReview).DeepCopy()
		s.tokens = append(s.tokens, review.Spec.Token)
		name, ok := s.users[review.Spec.Token]
		review.Status = authenticationv1.TokenReviewStatus{
			Authenticated: ok, User: authenticationv1.UserInfo{Username: name, Groups: []string{"g-" + name}},
		}
		if !strings.HasPrefix(name, "narrow-") {
			review.Status.Audiences = review.Spec.Audiences
		}
		return true, review, s.err
	})
	client.PrependReactor("create", "subjectaccessreviews",
		func(action clienttesting.Action) (bool, runtime.Object, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			review := action.(clienttesting.CreateAction).GetObject().(*authorizationv1.SubjectAccessReview).DeepCopy()
			is := review.Spec.ResourceAttributes
			wants := strings.Join([]string{review.Spec.User, is.Group, is.Resource, is.Namespace, is.Name}, "/")
			s.access = append(s.access, wants)
			ok := is.Verb == "create" && is.Subresource == "proxy" && slices.Equal(review.Spec.Groups,
				[]string{"g-" + review.Spec.User})
			review.Status.Allowed = ok && slices.Contains(s.allowed, wants)
			return true, review, s.err
		})
	return client
}

type world struct {
	*server
	clock  *clocktesting.FakePassiveClock
	signer *token.Signer
	config Config
}

func newWorld() *world {
	w := &world{
		server: &server{users: map[string]string{"t-ann": "ann", "t-bob": "bob"}},
		clock:  clocktesting.NewFakePassiveClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)),
	}
	w.signer = token.NewSigner(strongKey, key(""), w.clock)
	w.config = Config{
		Kubernetes: w.client(), TTL: 10 * time.Second, Static: key("static-token-of-many-bytes"), Signer: w.signer,
		Clock: w.clock, Asked: func(string, error) {},
	}
	return w
}

func request(authorization ...string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.Header["Authorization"] = authorization
	return r
}

func statusOf(err error) int {
	if err == nil {
		return 200
	}
	if is, ok := errors.AsType[*reply.Error](err); ok {
		return is.Status
	}
	return 0
}

func TestWhoGetsIn(t *testing.T) {
	w := newWorld()
	scoped, _, err := w.signer.Sign(token.Scope{Namespace: "default", Name: "box", UID: "u"}, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	foreign, _, _ := token.NewSigner(key("ffffffffffffffffffffffffffffffff"), key(""), w.clock).Sign(
		token.Scope{Namespace: "default", Name: "box", UID: "u"}, time.Hour)
	w.users[foreign] = "nobody" // the API server would take it
	tests := map[string]struct {
		authorization []string
		way           Way
		name          string
		status        int
	}{
		"a user of Kubernetes":              {[]string{"Bearer t-ann"}, WayKubernetes, "ann", 200},
		"the scheme in any case":            {[]string{"bearer  t-ann"}, WayKubernetes, "ann", 200},
		"the static token":                  {[]string{"Bearer static-token-of-many-bytes"}, WayStatic, "", 200},
		"a scoped token":                    {[]string{"Bearer " + scoped}, WayScoped, "default/box", 200},
		"a scoped token of another key":     {[]string{"Bearer " + foreign}, "", "", 401},
		"a scoped token with a bit changed": {[]string{"Bearer " + scoped[:len(scoped)-2] + "AA"}, "", "", 401},
		"a part of the static token":        {[]string{"Bearer static-token"}, "", "", 401},
		"an unknown token":                  {[]string{"Bearer t-eve"}, "", "", 401},
		"no header":                         {nil, "", "", 401},
		"an empty token":                    {[]string{"Bearer "}, "", "", 401},
		"another scheme":                    {[]string{"Basic dTpw"}, "", "", 401},
		"two headers":                       {[]string{"Bearer t-ann", "Bearer t-bob"}, "", "", 401},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := New(w.config).Authenticate(request(tt.authorization...))
			if statusOf(err) != tt.status || got.Way != tt.way || got.Name != tt.name {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
	if slices.Contains(w.tokens, foreign) || slices.Contains(w.tokens, scoped) || slices.Contains(w.tokens,
		"static-token-of-many-bytes") {
		t.Error("the API server got to see a token of the router")
	}
	open := w.config
	open.Open = true
	if got, err := New(open).Authenticate(request()); err != nil || got.Way != WayOpen {
		t.Errorf("an open router: %+v, %v", got, err)
	}
}

func TestAnAudienceThatIsDemandedIsNeeded(t *testing.T) {
	w := newWorld()
	w.users["t-narrow"] = "narrow-ann" // the API server does not name the audience
	w.config.Audiences = []string{"sandbox-router"}
	g := New(w.config)
	if _, err := g.Authenticate(request("Bearer t-ann")); err != nil {
		t.Error(err)
	}
	if _, err := g.Authenticate(request("Bearer t-narrow")); statusOf(err) != 401 {
		t.Errorf("a token for others: %v", err)
	}
}

func TestWhoMayReachWhat(t *testing.T) {
	warm := Subject{Namespace: "team", Sandbox: "pool-1", Claim: "mine", UIDs: []types.UID{"c-1", "s-1"}}
	alone := Subject{Namespace: "team", Sandbox: "box", UIDs: []types.UID{"s-2"}}
	unknown := Subject{Namespace: "team", Sandbox: "x", Claim: "x"}
	const sandboxes, claims = "ann/agents.x-k8s.io/sandboxes/", "ann/extensions.agents.x-k8s.io/sandboxclaims/"
	tests := map[string]struct {
		allowed string
		subject Subject
		status  int
	}{
		"by the Sandbox":                            {sandboxes + "team/pool-1", warm, 200},
		"by the claim":                              {claims + "team/mine", warm, 200},
		"one without a claim":                       {sandboxes + "team/box", alone, 200},
		"not by a claim of the Sandbox's name":      {claims + "team/pool-1", warm, 403},
		"not by a claim of a Sandbox that has none": {claims + "team/box", alone, 403},
		"not in another namespace":                  {sandboxes + "other/pool-1", warm, 403},
		"not with a permission of another user": {strings.Replace(sandboxes, "ann", "bob", 1) + "team/box", alone,
			403},
		"what is not known may be looked up as a Sandbox": {sandboxes + "team/x", unknown, 200},
		"what is not known may be looked up as a claim":   {claims + "team/x", unknown, 200},
		"what is not known is forbidden like the rest":    {"", unknown, 403},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld()
			w.allowed = []string{tt.allowed}
			g := New(w.config)
			caller, err := g.Authenticate(request("Bearer t-ann"))
			if err != nil {
				t.Fatal(err)
			}
			if err := g.Authorize(t.Context(), caller, tt.subject); statusOf(err) != tt.status {
				t.Errorf("answer %v, want %d", err, tt.status)
			}
		})
	}
}

func TestAScopedTokenOpensItsObjectAndNoOther(t *testing.T) {
	tests := map[string]struct {
		scope   token.Scope
		subject Subject
		status  int
	}{
		"its Sandbox": {token.Scope{Namespace: "team", Name: "box", UID: "s"}, Subject{"team",
			"box", "", []types.UID{"s"}}, 200},
		"the Sandbox of its claim": {token.Scope{Namespace: "team", Name: "mine", UID: "c"},
			Subject{"team", "pool-1", "mine", []types.UID{"c", "s"}}, 200},
		"the next one of its name": {token.Scope{Namespace: "team", Name: "box", UID: "s"}, Subject{"team",
			"box", "", []types.UID{"s-2"}}, 403},
		"another one": {token.Scope{Namespace: "team", Name: "box", UID: "s"}, Subject{"team",
			"fox", "", []types.UID{"s-2"}}, 403},
		"another namespace": {token.Scope{Namespace: "team", Name: "box", UID: "s"},
			Subject{"other", "box", "", []types.UID{"s"}}, 403},
		"its name, which the book does not know yet": {token.Scope{Namespace: "team", Name: "box", UID: "s"}, Subject{"team",
			"box", "box", nil}, 200},
		"another name, which the book does not know": {token.Scope{Namespace: "team", Name: "box", UID: "s"}, Subject{"team",
			"fox", "fox", nil}, 403},
		"its name in another namespace, which the book does not know": {token.Scope{Namespace: "team", Name: "box",
			UID: "s"}, Subject{"other", "box", "box", nil}, 403},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld()
			text, _, err := w.signer.Sign(tt.scope, time.Hour)
			if err != nil {
				t.Fatal(err)
			}
			g := New(w.config)
			caller, err := g.Authenticate(request("Bearer " + text))
			if err != nil {
				t.Fatal(err)
			}
			if err := g.Authorize(t.Context(), caller, tt.subject); statusOf(err) != tt.status {
				t.Errorf("answer %v, want %d", err, tt.status)
			}
			w.clock.SetTime(w.clock.Now().Add(time.Hour + time.Second))
			if _, err := g.Authenticate(request("Bearer " + text)); statusOf(err) != 401 {
				t.Errorf("after its end: %v", err)
			}
		})
	}
}
