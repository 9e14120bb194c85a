// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package router

import (
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/router/internal/access"
	"github.com/agent-sandbox/kubectl-sandbox/router/internal/book"
	"github.com/agent-sandbox/kubectl-sandbox/router/internal/header"
	"github.com/agent-sandbox/kubectl-sandbox/router/internal/reply"
	"github.com/agent-sandbox/kubectl-sandbox/router/internal/token"
)

const (
	// maxTokenRequest is the most that a request for a token may have in its body.
	maxTokenRequest = 4 << 10
	// defaultTokenTTL is the validity of a token whose request does not say it.
	defaultTokenTTL = time.Hour
)

// tokenRequest is the body of POST /token.
type tokenRequest struct {
	Namespace         string    `json:"namespace"`
	Name              string    `json:"name"`
	UID               types.UID `json:"uid"`
	ExpirationSeconds *int64    `json:"expirationSeconds"`
}

// tokenResponse is the answer.
type tokenResponse struct {
	Token               string `json:"token"`
	ExpirationTimestamp string `json:"expirationTimestamp"`
}

// serveToken signs a token for a claim or a Sandbox that the caller may reach.
func (h *handler) serveToken(w http.ResponseWriter, r *http.Request, entry *entry) error {
	if r.Method != http.MethodPost {
		return reply.Errorf(http.StatusBadRequest, "%s header is required.", apis.HeaderSandboxID)
	}
	request, err := parseTokenRequest(w, r)
	if err != nil {
		return err
	}
	valid := defaultTokenTTL
	if request.ExpirationSeconds != nil {
		valid = time.Duration(min(*request.ExpirationSeconds, int64(h.config.MaxTokenTTL.Seconds()))) * time.Second
	}
	if valid = min(valid, h.config.MaxTokenTTL); valid < time.Second {
		return reply.Errorf(http.StatusBadRequest, "expirationSeconds is not a positive number.")
	}
	address := header.Address{Namespace: request.Namespace, Name: request.Name, UID: request.UID}
	entry.address = address
	target, err := h.admit(r, address, entry)
	if err != nil {
		return err
	}
	if entry.caller.Way == access.WayScoped || entry.caller.Way == access.WayOpen {
		return reply.Errorf(http.StatusForbidden, "A scoped token is given only for a token of Kubernetes or the static one.")
	}
	signed, end, err := h.signer.Sign(scopeOf(address, target), valid)
	if errors.Is(err, token.ErrOff) {
		return reply.Errorf(http.StatusNotFound, "This router has no key for scoped tokens.")
	}
	if err != nil {
		return err
	}
	h.metrics.Issued()
	reply.JSON(w, http.StatusOK, tokenResponse{signed, end.UTC().Format(time.RFC3339)})
	return nil
}

// scopeOf returns the scope for what the caller named: the claim, or the Sandbox under its own name.
func scopeOf(address header.Address, target book.Target) token.Scope {
	scope := token.Scope{Namespace: address.Namespace, Name: address.Name}
	if target.Claim != nil && target.Claim.Name == address.Name {
		scope.UID = target.Claim.UID
	} else {
		scope.UID = target.Sandbox.UID
	}
	return scope
}

func parseTokenRequest(w http.ResponseWriter, r *http.Request) (tokenRequest, error) {
	request := tokenRequest{Namespace: apis.DefaultSandboxNamespace}
	decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxTokenRequest))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&request); err != nil {
		return request, reply.Errorf(http.StatusBadRequest,
			"The body is not a JSON object with namespace, name, uid and expirationSeconds.").Because(err)
	}
	if !header.ValidNamespace(request.Namespace) || !header.ValidName(request.Name) {
		return request, reply.Errorf(http.StatusBadRequest, "namespace or name is not that of a sandbox.")
	}
	return request, nil
}
