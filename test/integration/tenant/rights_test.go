// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tenant

import (
	"crypto/tls"
	"fmt"
	"io"
	"net/http"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

var rights = map[string]attempt{
	"create a Pod, a Service, a volume or a NetworkPolicy itself": {
		try: func(w *tenancy) outcome {
			return all(w.tries(builders.Pod("mine")), w.tries(builders.Service("mine")),
				w.tries(builders.PersistentVolumeClaim("mine", "1Gi")), w.tries(networkPolicy("mine")))
		},
		want: outcome{byRBAC, "cannot create resource"},
	},
	"take over a NetworkPolicy by the annotation that names its template": {
		try: func(w *tenancy) outcome {
			w.protected(networkPolicy("web-network-policy"))
			return refusal(tryEdit(w, "web-network-policy", &networkingv1.NetworkPolicy{}, func(p *networkingv1.NetworkPolicy) {
				p.Annotations = map[string]string{"agents.x-k8s.io/sandbox-template-uid": "mine"}
			}))
		},
		want: outcome{byRBAC, `cannot patch resource "networkpolicies"`},
	},
	"let a Sandbox take over a Pod, by the label that makes the Pod adoptable": {
		try: func(w *tenancy) outcome {
			w.protected(builders.Pod("box"))
			return refusal(tryEdit(w, "box", &corev1.Pod{}, func(p *corev1.Pod) {
				p.Labels = map[string]string{"agents.x-k8s.io/adoptable": "true"}
			}))
		},
		want: outcome{byRBAC, `cannot patch resource "pods"`},
	},
	"write the status of a Sandbox, a claim or a pool": {
		try: func(w *tenancy) outcome {
			w.given(builders.Sandbox("box"), builders.Claim("box", "none"), builders.Pool("box", "none"))
			var outcomes []outcome
			for _, object := range []client.Object{
				&agentsv1beta1.Sandbox{}, &extensionsv1beta1.SandboxClaim{}, &extensionsv1beta1.SandboxWarmPool{},
			} {
				w.in(object).SetName("box")
				forged := client.RawPatch("application/merge-patch+json", []byte(`{"status":{"replicas":1}}`))
				outcomes = append(outcomes, refusal(w.tenant.Status().Patch(w.Context(), object, forged)))
			}
			return all(outcomes...)
		},
		want: outcome{byRBAC, "/status"},
	},
	"give a status with an object that it creates, such as the address of somebody else": {
		try: func(w *tenancy) outcome {
			w.creates(builders.Sandbox("box", builders.WithSandboxStatus(agentsv1beta1.SandboxStatus{
				PodIPs: []string{"10.6.6.6"},
			})), builders.Claim("waits", "none", builders.BoundTo("box", "10.6.6.6")))
			var sandbox agentsv1beta1.Sandbox
			var claim extensionsv1beta1.SandboxClaim
			if err := w.get("box", &sandbox); err != nil || len(sandbox.Status.PodIPs) > 0 {
				return outcome{nobody, fmt.Sprintf("%+v, %v", sandbox.Status, err)}
			}
			if err := w.get("waits", &claim); err != nil || claim.Status.SandboxStatus.Name != "" {
				return outcome{nobody, fmt.Sprintf("%+v, %v", claim.Status, err)}
			}
			return outcome{byServer, "drops the status, which is a subresource"}
		},
		want: outcome{byServer, "drops the status, which is a subresource"},
	},
	"act in another namespace": {
		try: func(w *tenancy) outcome {
			other := server.Namespace(w.T)
			var outcomes []outcome
			for _, object := range []client.Object{
				builders.Sandbox("box"), builders.Claim("box", "python"), builders.Pool("box", "python"),
				builders.Template("python"),
			} {
				object.SetNamespace(other)
				outcomes = append(outcomes, refusal(w.tenant.Create(w.Context(), object)))
			}
			return all(outcomes...)
		},
		want: outcome{byRBAC, `in the namespace "`},
	},
	"take the operator's Lease": {
		try: func(w *tenancy) outcome {
			lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{
				Namespace: "agent-sandbox-system", Name: "a3317529.agent-sandbox.x-k8s.io",
			}}
			return refusal(w.tenant.Create(w.Context(), lease))
		},
		want: outcome{byRBAC, `cannot create resource "leases"`},
	},
	"read the operator's metrics and profiles, with its own token": {
		try:  func(w *tenancy) outcome { return w.readEndpoints(w.token, http.StatusForbidden) },
		want: outcome{byOperator, "Authorization denied"},
	},
	"read the operator's metrics and profiles, without a token": {
		try:  func(w *tenancy) outcome { return w.readEndpoints("", http.StatusUnauthorized) },
		want: outcome{byOperator, "Unauthorized"},
	},
}

// tries makes the tenant try to create an object.
func (w *tenancy) tries(object client.Object) outcome {
	w.Helper()
	return refusal(w.tenant.Create(w.Context(), w.in(object)))
}

func networkPolicy(name string) *networkingv1.NetworkPolicy {
	return &networkingv1.NetworkPolicy{ObjectMeta: metav1.ObjectMeta{Name: name}}
}

// readEndpoints reads everything that the operator serves with its metrics.
func (w *tenancy) readEndpoints(token string, code int) outcome {
	w.Helper()
	//nolint:gosec // the certificate is self-signed
	anyCertificate := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	defer anyCertificate.CloseIdleConnections()
	var outcomes []outcome
	for _, path := range []string{
		"/metrics", "/debug/pprof/", "/debug/pprof/cmdline", "/debug/pprof/profile?seconds=1", "/debug/pprof/heap",
		"/debug/pprof/goroutine", "/debug/pprof/trace?seconds=1", "/debug/fgprof?seconds=1",
		"/metrics/../debug/pprof/heap", "//debug/pprof/heap",
	} {
		req, err := http.NewRequestWithContext(w.Context(), http.MethodGet, "https://"+w.metrics+path, nil)
		if err != nil {
			w.Fatal(err)
		}
		if token != "" {
			req.Header.Set("Authorization", "Bearer "+token)
		}
		var said outcome
		w.eventually("an answer", func() error {
			res, err := (&http.Client{Transport: anyCertificate}).Do(req)
			if err != nil {
				return err // it is about to listen
			}
			defer func() { _ = res.Body.Close() }()
			body, err := io.ReadAll(res.Body)
			said = outcome{byOperator, string(body)}
			if res.StatusCode != code {
				said = outcome{nobody, fmt.Sprintf("%s: %d %s", path, res.StatusCode, body)}
			}
			return err
		})
		outcomes = append(outcomes, said)
	}
	return all(outcomes...)
}
