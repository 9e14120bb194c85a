// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package router

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/router/internal/access"
	"github.com/agent-sandbox/kubectl-sandbox/router/internal/book"
	"github.com/agent-sandbox/kubectl-sandbox/router/internal/header"
	"github.com/agent-sandbox/kubectl-sandbox/router/internal/metrics"
	"github.com/agent-sandbox/kubectl-sandbox/router/internal/proxy"
	"github.com/agent-sandbox/kubectl-sandbox/router/internal/reply"
	"github.com/agent-sandbox/kubectl-sandbox/router/internal/resume"
	"github.com/agent-sandbox/kubectl-sandbox/router/internal/token"
	"github.com/agent-sandbox/kubectl-sandbox/router/internal/tracing"
)

// Paths of the router itself. All other requests are for a sandbox.
const (
	pathHealth = "/healthz"
	pathToken  = "/token" // only without the header X-Sandbox-ID
)

// linger is how long the rest of a request may arrive when the router refuses it.
const linger = time.Second

// When to try again.
const (
	retrySuspended = 10 * time.Second
	retryStarting  = time.Second
	retryLookup    = 2 * time.Second
)

// handler serves the clients of the router.
type handler struct {
	config  Config
	clock   clock.PassiveClock
	log     logr.Logger
	book    *book.Book
	lookup  *book.Lookup
	gate    *access.Gate
	signer  *token.Signer
	resumer *resume.Resumer
	proxy   *proxy.Proxy
	metrics *metrics.Metrics
	tracer  *tracing.Tracer
}

// ServeHTTP implements http.Handler.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == pathHealth && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
		reply.JSON(w, http.StatusOK, map[string]string{"status": "ok"})
		return
	}
	h.observe(w, r, func(w http.ResponseWriter, r *http.Request, entry *entry) {
		serve := h.serveSandbox
		if r.URL.Path == pathToken && len(r.Header.Values(apis.HeaderSandboxID)) == 0 {
			serve = h.serveToken
		}
		if err := serve(w, r, entry); err != nil {
			entry.err = err
			// net/http reads the rest of a request before it answers. A client that does not send it would not be let go.
			_ = http.NewResponseController(w).SetReadDeadline(h.clock.Now().Add(linger))
			asReply(err).Write(w)
		}
	})
}

// asReply returns the answer for an error. One that is no *reply.Error is a fault of the router.
func asReply(err error) *reply.Error {
	if is, ok := errors.AsType[*reply.Error](err); ok {
		return is
	}
	return reply.Errorf(http.StatusBadGateway, "The router failed.").Because(err)
}

// serveSandbox sends a request to its sandbox. An error has not been answered.
func (h *handler) serveSandbox(w http.ResponseWriter, r *http.Request, entry *entry) error {
	began := h.clock.Now()
	if r.Method == http.MethodConnect || r.Method == http.MethodTrace {
		return reply.Errorf(http.StatusBadRequest, "The method %s is not supported.", r.Method)
	}
	address, err := header.Parse(r.Header)
	if err != nil {
		return err
	}
	entry.address = address
	h.tracer.Describe(r.Context(), address.Namespace, address.Name, address.Port)
	target, err := h.admit(r, address, entry)
	if err != nil {
		return err
	}
	timeout := h.config.ProxyTimeout
	if address.Timeout > 0 {
		timeout = address.Timeout
	}
	sandbox, err := h.running(r.Context(), target, timeout)
	if err != nil {
		return err
	}
	entry.uid = sandbox.UID
	h.proxy.Serve(w, r, proxy.Target{
		Sandbox: sandbox, Port: address.Port, Prefer: address.PodIP,
		Timeout: max(timeout-h.clock.Since(began), time.Millisecond),
	})
	return nil
}

// admit authenticates and authorizes the caller, and finds the target. The order matters: nobody learns what exists
// before it is clear that they may.
func (h *handler) admit(r *http.Request, address header.Address, entry *entry) (book.Target, error) {
	caller, err := h.gate.Authenticate(r)
	if err != nil {
		return book.Target{}, err
	}
	entry.caller = caller
	target, found := h.book.Find(address)
	if err := h.gate.Authorize(r.Context(), caller, subject(address, target, found)); err != nil {
		return book.Target{}, err
	}
	if found && target.Sandbox != nil {
		return target, nil
	}
	target, found, err = h.lookup.Find(r.Context(), address) // the book may lag
	if err != nil {
		return book.Target{}, reply.Errorf(http.StatusServiceUnavailable, "The API server did not answer.").
			After(retryLookup).Because(err)
	}
	if !found {
		return book.Target{}, reply.Errorf(http.StatusNotFound, "There is no such sandbox.")
	}
	return target, h.gate.Authorize(r.Context(), caller, subject(address, target, true))
}

// subject returns what the caller needs a permission for. Without a target, the name may be that of either kind.
func subject(address header.Address, target book.Target, found bool) access.Subject {
	if !found {
		return access.Subject{Namespace: address.Namespace, Sandbox: address.Name, Claim: address.Name}
	}
	sandbox, claim := target.Kinds()
	return access.Subject{Namespace: address.Namespace, Sandbox: sandbox, Claim: claim, UIDs: target.UIDs()}
}

// running returns the Sandbox if it can take requests. It resumes a suspended one if the router may.
func (h *handler) running(ctx context.Context, target book.Target, timeout time.Duration) (*book.Sandbox, error) {
	sandbox := target.Sandbox
	if sandbox == nil {
		return nil, reply.Errorf(http.StatusServiceUnavailable, "The claim has no sandbox yet.").After(retryStarting)
	}
	switch sandbox.State {
	case book.Expired:
		return nil, reply.Errorf(http.StatusServiceUnavailable, "The sandbox has expired.")
	case book.Finished:
		return nil, reply.Errorf(http.StatusServiceUnavailable, "The sandbox has finished its work.")
	case book.Suspended:
		if h.config.ResumeOnRequest {
			return h.awake(ctx, sandbox, timeout, h.resumer.Resume)
		}
		return nil, reply.Errorf(http.StatusServiceUnavailable, "The sandbox is suspended.").After(retrySuspended)
	case book.Starting:
		if h.config.ResumeOnRequest && len(sandbox.Addresses) == 0 { // perhaps because of another request
			return h.awake(ctx, sandbox, timeout, h.resumer.Await)
		}
	case book.Ready:
	}
	return sandbox, nil
}

// awake waits until the Sandbox is ready, and returns what the book has then.
func (h *handler) awake(
	ctx context.Context, sandbox *book.Sandbox, timeout time.Duration,
	wait func(context.Context, *book.Sandbox) error,
) (*book.Sandbox, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	err := wait(ctx, sandbox)
	switch {
	case err == nil:
		if is := h.book.Current(sandbox.Namespace, sandbox.UID); is != nil {
			return is, nil
		}
		err = resume.ErrGone
	case errors.Is(err, context.DeadlineExceeded):
		return nil, reply.Errorf(http.StatusGatewayTimeout, "The sandbox did not resume in time.").
			After(retryStarting).Because(err)
	case apierrors.IsNotFound(err), apierrors.IsConflict(err): // deleted, perhaps made again
		err = errors.Join(resume.ErrGone, err)
	}
	if errors.Is(err, resume.ErrGone) {
		return nil, reply.Errorf(http.StatusNotFound, "There is no such sandbox any more.").Because(err)
	}
	return nil, reply.Errorf(http.StatusServiceUnavailable, "The sandbox could not be resumed.").
		After(retrySuspended).Because(err)
}
