// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tenant

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

var quantities = map[string]attempt{
	"fill etcd with one object of more than 1.5 MiB": {
		try: func(w *tenancy) outcome {
			return w.tries(builders.Template("web", builders.WithPodSpec(func(s *corev1.PodSpec) {
				for i := range 50 {
					s.Containers[0].Env = append(s.Containers[0].Env, corev1.EnvVar{
						Name: fmt.Sprintf("E%d", i), Value: strings.Repeat("x", 40<<10),
					})
				}
			})))
		},
		want: outcome{byServer, "request is too large"},
	},
	"leave no room for the operator's annotations": {
		try: func(w *tenancy) outcome {
			w.given(builders.Template("web"))
			w.creates(builders.Claim("box", "web", builders.WithClaimSpec(func(s *extensionsv1beta1.SandboxClaimSpec) {
				s.SandboxMetadata = &extensionsv1beta1.Metadata{
					Annotations: map[string]string{"a": strings.Repeat("x", 256<<10-len("a"))},
				}
			})))
			return w.claimSays("box")
		},
		want: outcome{inReady(apis.ReasonReconcilerError), "annotations"},
	},
	"set more variables than a process can have": {
		try: func(w *tenancy) outcome {
			return w.tries(builders.Claim("box", "web", builders.WithClaimSpec(
				func(s *extensionsv1beta1.SandboxClaimSpec) { s.Env = make([]extensionsv1beta1.EnvVar, 257) })))
		},
		want: outcome{bySchema, "must have at most 256 items"},
	},
	"size a pool beyond every cluster": {
		try: func(w *tenancy) outcome {
			return w.tries(builders.Pool("web", "web", builders.WithReplicas(150001)))
		},
		want: outcome{bySchema, "should be less than or equal to 150000"},
	},
	"size a pool beyond the quota of the namespace": {
		try: func(w *tenancy) outcome {
			w.limit("count/sandboxes.agents.x-k8s.io", builders.Sandbox("probe"))
			w.given(builders.Template("web"))
			w.creates(builders.Pool("web", "web", builders.WithReplicas(1000)))
			return w.eventSays(apis.ReasonMemberRejected)
		},
		want: outcome{byQuota, "exceeded quota"},
	},
	"size a pool as large as the schema permits, where no quota holds": {
		try: func(w *tenancy) outcome {
			return w.tries(builders.Pool("web", "none", builders.WithReplicas(150000)))
		},
		want: outcome{nobody, "set a quota for `count/sandboxes.agents.x-k8s.io` and for Pods in the namespace of a tenant"},
	},
}
