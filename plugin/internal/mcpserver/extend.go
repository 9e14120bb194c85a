// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"context"
	"fmt"
	"time"

	"k8s.io/client-go/util/retry"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/sandbox"
)

type extension struct {
	targeted

	Minutes int `json:"minutes,omitempty" jsonschema:"how many minutes from now it shall live"`
}

// extend moves the shutdown time of a sandbox, at most to Options.TTL from now. After a conflict it reads the sandbox
// again.
func (r *request) extend(ctx context.Context, in extension) (state, error) {
	s := r.server
	e, err := s.own(in.Sandbox)
	if err != nil {
		return state{}, err
	}
	clients, _, err := s.cluster.connect()
	if err != nil {
		return state{}, err
	}
	var end time.Time
	err = retry.RetryOnConflict(retry.DefaultRetry, func() error {
		t, err := clients.Resolver.ClaimAndSandbox(ctx, clients.Namespace, e.ref)
		if err != nil {
			return err
		}
		if err := s.checkOwn(t); err != nil {
			return err
		}
		end = s.factory.Clock().Now().Add(s.lifetime(in.Minutes)).Truncate(time.Second)
		if has := sandbox.ShutdownTime(t); !has.Before(end) {
			end = has
			return nil
		}
		return clients.Client.SetShutdownTime(ctx, t, end)
	})
	if err != nil {
		return state{}, err
	}
	e.setShutdown(end)
	return state{Sandbox: e.ref.Name, State: "extended", Ends: timestamp(end)}, nil
}

// checkOwn returns an error for an object that has the name of one of this session, and is another one.
func (s *Server) checkOwn(t *resolve.Target) error {
	labels := map[string]string{}
	switch {
	case t.Claim != nil:
		labels = t.Claim.Labels
	case t.Sandbox != nil:
		labels = t.Sandbox.Labels
	}
	if labels[apis.LabelMCPSession] != s.identity {
		return fmt.Errorf("sandbox %s is not the one that this session created: that one was deleted", t.Name())
	}
	return nil
}

// expiryWarning is how long before its end results say that a sandbox ends.
const expiryWarning = 10 * time.Minute

// expiryNote warns of the end of a sandbox; it is empty as long as there is time.
func (s *Server) expiryNote(e *entry) string {
	end := e.shutdown()
	left := end.Sub(s.factory.Clock().Now())
	if end.IsZero() || left > expiryWarning {
		return ""
	}
	note := fmt.Sprintf("sandbox %s is deleted at %s", e.ref.Name, timestamp(end))
	if s.options.offersTool(toolExtend) {
		note += " unless " + toolExtend + " extends it"
	}
	return note
}
