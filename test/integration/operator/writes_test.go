// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

// writeCounter counts an operator's writes by verb and resource. It is safe for concurrent use.
type writeCounter struct {
	mu    sync.Mutex
	count map[string]int
}

// wrap returns a RoundTripper that counts the writes.
func (c *writeCounter) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTrip(func(r *http.Request) (*http.Response, error) {
		if r.Method != http.MethodGet {
			c.mu.Lock()
			c.count[r.Method+" "+resourceOf(r.URL.Path)]++
			c.mu.Unlock()
		}
		return next.RoundTrip(r)
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// resourceOf returns the resource and subresource of a path such as
// /apis/GROUP/VERSION/namespaces/NAMESPACE/RESOURCE/NAME/SUB.
func resourceOf(path string) string {
	_, rest, _ := strings.Cut(path, "/namespaces/")
	parts := strings.Split(rest, "/")
	switch len(parts) {
	case 2, 3:
		return parts[1]
	case 4:
		return parts[1] + "/" + parts[3]
	default:
		return path
	}
}

// reset returns the counts so far and resets them.
func (c *writeCounter) reset() (total int, lines []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, what := range slices.Sorted(maps.Keys(c.count)) {
		total += c.count[what]
		lines = append(lines, fmt.Sprintf("%s %d", what, c.count[what]))
	}
	clear(c.count)
	return total, lines
}

// TestWhatAWarmClaimCosts counts the writes for a claim, its member and the member's replacement, including events.
func TestWhatAWarmClaimCosts(t *testing.T) {
	const claims, most = 20, 10
	w := prepare(t, server)
	c := &writeCounter{count: map[string]int{}}
	w.user.Wrap(c.wrap)
	w.run(w.probes, extensions)
	w.create(builders.Template("python"))
	w.create(builders.Pool("warm", "python", builders.WithReplicas(claims)))
	w.waitForPool("warm", claims)
	c.reset()
	w.createClaims(claims, func(i int) client.Object { return builders.Claim(fmt.Sprintf("c%d", i), "python") })
	w.waitForClaims(claims)
	w.waitForPool("warm", claims)
	total, lines := c.reset()
	t.Logf("%d warm claims cost %d writes: %s", claims, total, strings.Join(lines, ", "))
	if total > claims*most {
		t.Errorf("%d writes for %d claims", total, claims)
	}
	w.checkOwnership()
}
