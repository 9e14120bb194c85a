// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package harness

import (
	_ "embed"
	"encoding/json"
	"strings"

	corev1 "k8s.io/api/core/v1"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
)

//go:embed client.py
var clientProgram string

// WebPort is the port of WebServer.
const WebPort = "8000"

// WebServer makes the containers of a template serve the file "index.html", which says hello.
func WebServer(template *extensionsv1beta1.SandboxTemplate) {
	container := &template.Spec.PodTemplate.Spec.Containers[0]
	container.Image = ImagePython
	container.Command = []string{"sh", "-c", "cd /tmp && echo hello >index.html && exec python3 -m http.server " + WebPort}
	container.ReadinessProbe = &corev1.Probe{PeriodSeconds: 1}
	container.ReadinessProbe.Exec = &corev1.ExecAction{Command: []string{"test", "-s", "/tmp/index.html"}}
}

// RouterClient is a sandbox that sends requests to the Service of a router.
type RouterClient struct {
	*T

	Router string // the namespace of the router
}

// Request is a request to a router.
type Request struct {
	Address string            `json:"address"`
	Headers map[string]string `json:"headers"`
	Method  string            `json:"method,omitempty"`
	Path    string            `json:"path,omitempty"`
	Body    string            `json:"body,omitempty"`
	Until   string            `json:"until,omitempty"`
}

// Answer is what a RouterClient gets.
type Answer struct {
	Status int      `json:"status"`
	Body   string   `json:"body"`
	Sent   int      `json:"sent"`
	Failed []string `json:"failed"`
}

// NewRouterClient starts the sandbox "client" in the test's namespace.
func (h *T) NewRouterClient(router string) *RouterClient {
	h.Helper()
	h.Create(h.NewSandbox("client", func(s *agentsv1beta1.Sandbox) {
		s.Spec.PodTemplate.Spec.Containers[0].Image = ImagePython
	}))
	h.Ready("client")
	return &RouterClient{h, router}
}

// Send sends a request and returns the answer.
func (c *RouterClient) Send(request Request) Answer {
	c.Helper()
	if request.Address == "" {
		request.Address = c.MustKubectl("--namespace", c.Router, "get", "service", "sandbox-router-svc",
			"--output", "jsonpath={.spec.clusterIP}:{.spec.ports[0].port}")
	}
	argument, err := json.Marshal(request)
	if err != nil {
		c.Fatal(err)
	}
	program := strings.NewReader(clientProgram)
	r := c.PluginWithInput(program, "exec", "-i", "client", "--", "python3", "-", string(argument))
	var answer Answer
	if err := json.Unmarshal([]byte(r.Stdout), &answer); err != nil {
		c.Fatalf("%v: %v", err, r)
	}
	return answer
}

// Get sends a GET request for the path / to a sandbox of the test's namespace.
func (c *RouterClient) Get(token, name string) Answer {
	c.Helper()
	return c.Send(Request{Headers: c.Headers(token, name)})
}

// Headers returns the headers of a request to the web server of a sandbox of the test's namespace.
func (c *RouterClient) Headers(token, name string) map[string]string {
	headers := map[string]string{
		"X-Sandbox-ID": name, "X-Sandbox-Namespace": c.Namespace, "X-Sandbox-Port": WebPort,
	}
	if token != "" {
		headers["Authorization"] = "Bearer " + token
	}
	return headers
}

// Token creates a ServiceAccount in the test's namespace, which may reach the sandboxes of claims there, and returns a
// token of it.
func (h *T) Token(account string) string {
	h.Helper()
	h.MustKubectl("create", "serviceaccount", account)
	h.MustKubectl("create", "role", account, "--verb=create", "--resource=sandboxclaims.extensions.agents.x-k8s.io/proxy")
	h.MustKubectl("create", "rolebinding", account, "--role="+account, "--serviceaccount="+h.Namespace+":"+account)
	return strings.TrimSpace(h.MustKubectl("create", "token", account))
}
