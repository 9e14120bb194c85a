// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package shapes runs the plugin against clusters with other definitions: those of the reference implementation, and
// newer ones. Each shape has its own API server; the tests act as the operator.
package shapes

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/test/integration/apiserver"
)

// The two shapes, which are directories in testdata.
const (
	reference = "reference"
	newer     = "newer"
)

var servers = map[string]*apiserver.Server{}

func TestMain(m *testing.M) {
	code := apiserver.Run(m, func(s *apiserver.Server) {
		servers[reference] = s
		other, err := apiserver.Start(apiserver.WithCRDsOf("testdata/" + newer))
		if err != nil {
			panic(err)
		}
		servers[newer] = other
	}, apiserver.WithCRDsOf("testdata/"+reference))
	if other := servers[newer]; other != nil {
		if err := other.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

func TestClaimsAreMadeInTheServedShape(t *testing.T) {
	tests := map[string]struct {
		args string
		want map[string]string // by shape; after "error: " comes a part of the message
	}{
		"of a pool": {"--pool warm", map[string]string{
			reference: `{"sandboxTemplateRef":{"name":"py"},"warmpool":"warm"}`,
			newer:     `{"warmPoolRef":{"name":"warm"}}`,
		}},
		"of a template": {"--template py", map[string]string{
			reference: `{"sandboxTemplateRef":{"name":"py"},"warmpool":"default"}`,
			newer:     `{"warmPoolRef":{"name":"warm"}}`,
		}},
		"of a template and a pool": {"--template py --pool cool", map[string]string{
			reference: `{"sandboxTemplateRef":{"name":"py"},"warmpool":"cool"}`,
			newer:     `{"warmPoolRef":{"name":"cool"}}`,
		}},
		"of a template without a pool": {"--template py --pool none", map[string]string{
			reference: `{"sandboxTemplateRef":{"name":"py"},"warmpool":"none"}`,
			newer:     "error: this cluster makes claims from pools only",
		}},
		"of a template that has no pool": {"--template other", map[string]string{
			reference: `{"sandboxTemplateRef":{"name":"other"},"warmpool":"default"}`,
			newer:     "error: template other has none: make one first",
		}},
		"of a pool that there is not": {"--pool nope", map[string]string{
			reference: `error: no pool is called "nope"`,
			newer:     `{"warmPoolRef":{"name":"nope"}}`,
		}},
		"with a variable": {"--template py --env A=b", map[string]string{
			reference: `{"env":[{"name":"A","value":"b"}],"sandboxTemplateRef":{"name":"py"},"warmpool":"none"}`,
			newer:     "error: ",
		}},
		"with a label": {"--pool warm --label team=a", map[string]string{
			reference: `{"additionalPodMetadata":{"labels":{"team":"a"}},"sandboxTemplateRef":{"name":"py"},"warmpool":"warm"}`,
			newer:     `{"additionalPodMetadata":{"labels":{"team":"a"}},"warmPoolRef":{"name":"warm"}}`,
		}},
		"with a volume": {
			"--template py --volume data=1Gi",
			map[string]string{reference: "error: no field spec.volumeClaimTemplates", newer: "error: "},
		},
	}
	forEachShape(t, func(t *testing.T, shape string, c *cluster) {
		t.Helper()
		c.createPools()
		n := 0
		for name, tt := range tests {
			t.Run(name, func(t *testing.T) {
				c := &cluster{T: t, server: c.server, namespace: c.namespace, sandboxes: c.sandboxes}
				n++
				claim := fmt.Sprintf("claim-%d", n)
				code, _, stderr := c.plugin(append([]string{"create", claim}, strings.Fields(tt.args)...)...)
				if message, fails := strings.CutPrefix(tt.want[shape], "error: "); fails {
					if code != 1 || !strings.Contains(stderr, message) || strings.Contains(stderr, "strict decoding") {
						t.Errorf("code %d, stderr %q", code, stderr)
					}
					return
				}
				if code != 0 {
					t.Fatalf("code %d, stderr %q", code, stderr)
				}
				if diff := cmp.Diff(tt.want[shape], c.spec(apis.GroupExtensions, apis.ResourceClaims, claim)); diff != "" {
					t.Error(diff)
				}
				if lost := strings.Contains(stderr,
					"cannot label or annotate the Sandbox itself"); lost != (name == "with a label") {
					t.Errorf("stderr %q", stderr)
				}
			})
		}
	})
}

// setConditions writes the Sandbox's conditions in place of the operator.
func (c *cluster) setConditions(name string, conditions ...metav1.Condition) {
	c.Helper()
	api := c.sandboxes.AgentsV1beta1().Sandboxes(c.namespace)
	sandbox, err := api.Get(c.Context(), name, metav1.GetOptions{})
	c.noError(err)
	sandbox.Status.Conditions = conditions
	_, err = api.UpdateStatus(c.Context(), sandbox, metav1.UpdateOptions{})
	c.noError(err)
}

func condition(kind apis.ConditionType, status bool, reason apis.Reason) metav1.Condition {
	return apis.NewCondition(nil, kind, status, reason, "said by the operator", 0, metav1.Now())
}

func TestSuspendAndResumeSetTheFieldThatIsServed(t *testing.T) {
	forEachShape(t, func(_ *testing.T, shape string, c *cluster) {
		c.must("create", "dev", "--image", "x", "--ttl", "1h")
		running, suspended := `"replicas":1`, `"replicas":0`
		if shape == newer {
			running, suspended = `"operatingMode":"Running"`, `"operatingMode":"Suspended"`
		}
		for _, step := range []struct{ verb, want string }{
			{"suspend", suspended}, {"resume", running}, {"suspend", suspended},
		} {
			c.must(step.verb, "dev")
			if got := c.spec(apis.GroupAgents, apis.ResourceSandboxes, "dev"); !strings.Contains(got, step.want) ||
				strings.Contains(got, "replicas") == strings.Contains(got, "operatingMode") {
				c.Errorf("after %s: %s", step.verb, got)
			}
		}
		c.setConditions("dev", condition(apis.ConditionReady, false, apis.ReasonSandboxSuspended),
			condition(apis.ConditionSuspended, true, apis.ReasonPodTerminated))
		c.must("wait", "dev", "--for", "suspended", "--timeout", "20s")
		if out, _ := c.must("status", "dev"); !strings.Contains(out, "Suspended") || !strings.Contains(out, "resume dev") {
			c.Errorf("status: %s", out)
		}
		before := c.spec(apis.GroupAgents, apis.ResourceSandboxes, "dev")
		c.must("extend", "dev", "--by", "1h")
		if c.spec(apis.GroupAgents, apis.ResourceSandboxes, "dev") == before {
			c.Error("the shutdown time did not move")
		}
	})
}

func TestWhatIsThereIsShown(t *testing.T) {
	forEachShape(t, func(_ *testing.T, _ string, c *cluster) {
		c.createPools()
		c.must("create", "dev", "--image", "x")
		c.must("create", "mine", "--pool", "warm")
		c.setConditions("dev", condition(apis.ConditionReady, true, apis.ReasonDependenciesReady))
		for _, look := range []struct{ args, want string }{
			{"list", "dev"}, {"list", "mine"}, {"list -o name", "sandbox.agents.x-k8s.io/dev"},
			{"describe dev", "said by the operator"}, {"status dev", "Ready"},
			{"describe mine", "pool"}, {"pool list", "warm"}, {"pool describe warm", "install the operator"},
			{"template list", "py"}, {"template describe py", "py"},
		} {
			if out, _ := c.must(strings.Fields(look.args)...); !strings.Contains(out, look.want) {
				c.Errorf("%s: %s", look.args, out)
			}
		}
		c.must("delete", "dev", "mine", "--yes")
		if out, _ := c.must("list", "-o", "name"); out != "" {
			c.Errorf("left: %s", out)
		}
	})
}

func TestWaitingTrustsBothShapes(t *testing.T) {
	forEachShape(t, func(_ *testing.T, _ string, c *cluster) {
		c.must("create", "dev", "--image", "x")
		waited := make(chan error, 1)
		ctx, cancel := context.WithCancel(c.Context())
		defer cancel()
		go func() {
			code, _, stderr := c.plugin("wait", "dev", "--for", "ready", "--timeout", "60s")
			if code != 0 {
				waited <- errors.New(stderr)
			}
			close(waited)
		}()
		c.setConditions("dev", condition(apis.ConditionReady, true, apis.ReasonDependenciesReady))
		select {
		case err := <-waited:
			if err != nil {
				c.Error(err)
			}
		case <-ctx.Done():
			c.Error(ctx.Err())
		}
	})
}
