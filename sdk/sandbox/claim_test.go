// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sandbox_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/sandbox"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakecluster"
)

func pool(name, template string, ready int32) *extensionsv1beta1.SandboxWarmPool {
	p := &extensionsv1beta1.SandboxWarmPool{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "ns"}}
	p.Spec.TemplateRef.Name, p.Status.ReadyReplicas = template, ready
	return p
}

type claimSpec = extensionsv1beta1.SandboxClaimSpec

func ofTemplate(pool string) claimSpec {
	spec := claimSpec{TemplateRef: &extensionsv1beta1.SandboxTemplateRef{Name: "py"}}
	if pool != "" {
		spec.WarmPool = new(extensionsv1beta1.WarmPoolPolicy(pool))
	}
	return spec
}

func ofPool(change ...func(*claimSpec)) claimSpec {
	spec := claimSpec{WarmPoolRef: &extensionsv1beta1.WarmPoolRef{Name: "warm"}}
	for _, c := range change {
		c(&spec)
	}
	return spec
}

func labelled(s *claimSpec) {
	s.SandboxMetadata = &extensionsv1beta1.Metadata{Labels: map[string]string{"a": "b"}}
	s.PodMetadata = s.SandboxMetadata.DeepCopy()
}

func withEnv(s *claimSpec) { s.Env = []extensionsv1beta1.EnvVar{{Name: "A", Value: "b"}} }

// TestClaimsFitTheServedSchema has an API server reject the fields that its schema lacks, with the message of a real
// one.
func TestClaimsFitTheServedSchema(t *testing.T) {
	older, newer := []string{"warmPoolRef"}, []string{"sandboxTemplateRef", "warmpool"}
	tests := map[string]struct {
		unknown []string
		spec    claimSpec
		want    string
		remark  string
		fails   string
	}{
		"a pool is named where pools can be": {spec: ofPool(), want: `{"warmPoolRef":{"name":"warm"}}`},
		"a template is named where templates can be": {
			spec: ofTemplate("none"), want: `{"sandboxTemplateRef":{"name":"py"},"warmpool":"none"}`,
		},
		"an older cluster gets the pool's template": {
			unknown: older, spec: ofPool(), want: `{"sandboxTemplateRef":{"name":"py"},"warmpool":"warm"}`,
		},
		"variables start a new Sandbox there": {
			unknown: older, spec: ofPool(withEnv),
			want: `{"env":[{"name":"A","value":"b"}],"sandboxTemplateRef":{"name":"py"},"warmpool":"none"}`,
		},
		"a newer cluster gets the fullest pool": {
			unknown: newer, spec: ofTemplate(""), want: `{"warmPoolRef":{"name":"warm"}}`,
		},
		"a newer cluster gets the pool that was named": {
			unknown: newer, spec: ofTemplate("cool"), want: `{"warmPoolRef":{"name":"cool"}}`,
		},
		"a newer cluster makes nothing without a pool": {
			unknown: newer, spec: ofTemplate("none"), fails: "makes claims from pools only",
		},
		"a pool of another template is refused": {
			unknown: newer, spec: ofTemplate("other"), fails: "pool other is of template node, not of py",
		},
		"a pool that is missing is named": {
			unknown: older, spec: claimSpec{WarmPoolRef: &extensionsv1beta1.WarmPoolRef{Name: "nope"}},
			fails: `no pool is called "nope"`,
		},
		"a cluster that knows neither is told": {
			unknown: slices.Concat(older, newer), spec: ofPool(), fails: "have no field spec.",
		},
		"metadata moves to where it can be": {
			unknown: []string{"sandboxMetadata", "podMetadata"}, spec: ofPool(labelled),
			want: `{"additionalPodMetadata":{"labels":{"a":"b"}},"warmPoolRef":{"name":"warm"}}`, remark: "cannot label",
		},
		"a field without another is an error by its name": {
			unknown: []string{"env"}, spec: ofPool(withEnv), fails: "no field spec.env",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			cluster := fakecluster.New(pool("cool", "py", 0), pool("warm", "py", 3), pool("other", "node", 9))
			last := ""
			cluster.Sandboxes.PrependReactor(
				"create", apis.ResourceClaims,
				func(action clienttesting.Action) (bool, runtime.Object, error) {
					claim := action.(clienttesting.CreateAction).GetObject().(*extensionsv1beta1.SandboxClaim)
					raw, err := json.Marshal(claim.Spec)
					if err != nil {
						t.Error(err)
					}
					sent := map[string]any{}
					if err := json.Unmarshal(raw, &sent); err != nil {
						t.Error(err)
					}
					var refused []string
					for _, field := range tt.unknown {
						if _, was := sent[field]; was {
							refused = append(refused, `unknown field "spec.`+field+`"`)
						}
					}
					if len(refused) > 0 {
						return true, nil, apierrors.NewBadRequest("strict decoding error: " + strings.Join(refused, ", "))
					}
					ordered, err := json.Marshal(sent)
					last = string(ordered)
					return true, claim, err
				},
			)
			claim := &extensionsv1beta1.SandboxClaim{ObjectMeta: metav1.ObjectMeta{Name: "dev", Namespace: "ns"}, Spec: tt.spec}
			created, remarks, err := sandbox.New(cluster.Sandboxes, clocktesting.NewFakePassiveClock(now)).CreateClaim(
				t.Context(), claim, false,
			)
			if tt.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fails) {
					t.Errorf("got %v", err)
				}
				return
			}
			if err != nil || last != tt.want || !strings.Contains(strings.Join(remarks, ""), tt.remark) ||
				(tt.remark == "") != (len(remarks) == 0) {
				t.Fatalf("sent %s, remarks %q, %v", last, remarks, err)
			}
			if created.Annotations[apis.AnnotationClientFirstRequestedAt] == "" {
				t.Error("the time of the request is not stamped")
			}
		})
	}
}

func TestAClusterWithoutClaimsSaysSo(t *testing.T) {
	cluster := fakecluster.New().Refuse("create", apis.ResourceClaims, fakecluster.NotServed())
	claim := &extensionsv1beta1.SandboxClaim{ObjectMeta: metav1.ObjectMeta{Name: "dev", Namespace: "ns"}}
	_, _, err := sandbox.New(cluster.Sandboxes, clocktesting.NewFakePassiveClock(now)).CreateClaim(
		t.Context(), claim, false,
	)
	if err == nil || !strings.Contains(err.Error(), "not installed") {
		t.Errorf("got %v", err)
	}
}
