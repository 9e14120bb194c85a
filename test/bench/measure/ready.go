// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package measure

import (
	"fmt"
	"slices"
	"time"
)

// The two writes that make a warm claim Ready, as keys of Requests.
const (
	SandboxPatch     = "patch sandboxes"
	ClaimStatusPatch = "patch sandboxclaims/status"
)

// claimStatus is the resource of a claim's status, whatever the verb with which an operator writes it.
const claimStatus = "sandboxclaims/status"

// UntilReady counts the requests that the API server received from begin until the last claim was Ready. ready says
// when the client's watch first showed each claim Ready.
//
// A claim is Ready when its status write is complete: the last one that the API server accepted among those that it had
// received by the time in ready. Client and API server must share a clock. A claim without such a write is an error.
func UntilReady(all []Request, begin time.Time, ready map[string]time.Time) (Requests, error) {
	completed := map[string]Request{}
	for _, one := range all {
		shown, ours := ready[one.Name]
		if !ours || one.Resource != claimStatus || one.failed() || one.Received.After(shown) {
			continue
		}
		if one.Received.After(completed[one.Name].Received) {
			completed[one.Name] = one
		}
	}
	var end time.Time
	for name := range ready {
		write, ok := completed[name]
		if !ok {
			return nil, fmt.Errorf("claim %s is Ready, but the audit log has no status write of it", name)
		}
		if write.Completed.After(end) {
			end = write.Completed
		}
	}
	return Count(slices.DeleteFunc(slices.Clone(all), func(one Request) bool {
		return one.Received.Before(begin) || one.Received.After(end)
	})), nil
}
