// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/sdk"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/connect"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/tracing"
	"github.com/agent-sandbox/kubectl-sandbox/test/collector"
	"github.com/agent-sandbox/kubectl-sandbox/test/e2e/harness"
)

const (
	endpoint    = "OTEL_EXPORTER_OTLP_ENDPOINT"
	exportDelay = "OTEL_BSP_SCHEDULE_DELAY"
)

func TestOneTraceGoesFromTheClientThroughOperatorAndRouterToTheRuntime(t *testing.T) {
	h := harness.New(t)
	config, err := clientcmd.BuildConfigFromFlags("", harness.RequireEnv("KUBECONFIG"))
	if err != nil {
		t.Fatal(err)
	}
	spans := collector.Listen(t, hostAddress(h, config))
	defer traceTo(h, spans.GRPC)()
	h.Apply(runtimeTemplate(h))
	harness.Patch(h, "runtime-copied", &extensionsv1beta1.SandboxTemplate{},
		func(template *extensionsv1beta1.SandboxTemplate) {
			container := &template.Spec.PodTemplate.Spec.Containers[0]
			container.Env = append(container.Env, corev1.EnvVar{Name: endpoint, Value: spans.HTTP},
				corev1.EnvVar{Name: exportDelay, Value: "100"})
		})
	provider, sandboxes := tracedClient(h, config, spans)
	for _, name := range []string{"cold", "warm"} {
		if name == "warm" {
			h.CreateAll(h.NewPool("warm", "runtime-copied", 1))
			h.FullPool("warm")
		}
		id := useSandbox(h, provider, sandboxes, name)
		h.Eventually("the whole trace of "+name, func() error { return checkTrace(spans.Spans(id), name) })
		checkAnnotations(h, name, id)
	}
}

// traceTo makes the operator and the router export to a collector, which an upgrade keeps, until stop is called.
func traceTo(h *harness.T, collector string) (stop func()) {
	h.Helper()
	operator(h, "install", "--env", endpoint+"="+collector, "--env", exportDelay+"=100")
	operator(h, "upgrade")
	deployments := []string{"deployment/" + apis.OperatorName, "deployment/" + apis.RouterDeployment}
	for _, deployment := range deployments {
		env := h.MustKubectl("-n", operatorNamespace, "get", deployment, "-o",
			`jsonpath={range .spec.template.spec.containers[0].env[*]}{.name}={.value} {end}`)
		if !strings.Contains(env, endpoint+"="+collector+" ") {
			h.Fatalf("%s has the variables %s", deployment, env)
		}
		h.MustKubectl("-n", operatorNamespace, "rollout", "status", deployment, "--timeout=120s")
	}
	return func() {
		for _, deployment := range deployments {
			h.MustKubectl("-n", operatorNamespace, "set", "env", deployment, endpoint+"-", exportDelay+"-")
			h.MustKubectl("-n", operatorNamespace, "rollout", "status", deployment, "--timeout=120s")
		}
		waitUntilHealthy(h)
	}
}

// hostAddress returns the address of this machine that the node, and so its Pods, can reach.
func hostAddress(h *harness.T, config *rest.Config) string {
	h.Helper()
	server, err := url.Parse(config.Host)
	if err != nil {
		h.Fatal(err)
	}
	connection, err := (&net.Dialer{}).DialContext(h.Context(), "udp", server.Host) // sends nothing
	if err != nil {
		h.Fatal(err)
	}
	defer func() { _ = connection.Close() }()
	host, _, err := net.SplitHostPort(connection.LocalAddr().String())
	if err != nil {
		h.Fatal(err)
	}
	return host
}

// runtimeTemplate returns the example of a template with the runtime, with the images of the test cluster.
func runtimeTemplate(h *harness.T) string {
	h.Helper()
	text, err := os.ReadFile("../../../examples/templates/runtime-copied.yaml")
	if err != nil {
		h.Fatal(err)
	}
	return strings.NewReplacer("python:3.13-slim", harness.ImagePython, "ghcr.io/agent-sandbox/sandbox-runtime:v0.1.0",
		harness.ImageRuntime).Replace(string(text))
}

// tracedClient returns a client that goes through the router, and where it sends its spans.
func tracedClient(
	h *harness.T, config *rest.Config, spans *collector.Collector,
) (*sdktrace.TracerProvider, *sdk.Client) {
	h.Helper()
	h.Setenv(endpoint, spans.GRPC)
	provider, err := tracing.NewTracerProvider(h.Context(), "agent")
	if err != nil {
		h.Fatal(err)
	}
	h.Cleanup(func() { _ = provider.Shutdown(context.WithoutCancel(h.Context())) })
	h.MustKubectl("create", "serviceaccount", "agent")
	h.MustKubectl("create", "role", "agent", "--verb=create", "--resource=sandboxclaims.extensions.agents.x-k8s.io/proxy")
	h.MustKubectl("create", "rolebinding", "agent", "--role=agent", "--serviceaccount="+h.Namespace+":agent")
	token := strings.TrimSpace(h.MustKubectl("create", "token", "agent"))
	sandboxes, err := sdk.New(config, sdk.WithNamespace(h.Namespace), sdk.WithTracerProvider(provider),
		sdk.WithConnection(connect.Tunnel{}), sdk.WithRouterToken(connect.Token(token)))
	if err != nil {
		h.Fatal(err)
	}
	return provider, sandboxes
}

// useSandbox claims a sandbox and runs a command in it, in one trace, and returns the ID of the trace.
func useSandbox(h *harness.T, provider *sdktrace.TracerProvider, sandboxes *sdk.Client, name string) string {
	h.Helper()
	ctx, task := provider.Tracer("agent").Start(h.Context(), "task")
	box, err := sandboxes.Create(ctx, sdk.Spec{Name: name, Template: "runtime-copied"})
	if err != nil {
		h.Fatal(err)
	}
	if result, err := box.Runtime().Run(ctx, "sh", "-c", "exit 3"); err != nil || result.ExitCode != 3 {
		h.Fatalf("%s: %+v, %v", name, result, err)
	}
	box.Disconnect()
	task.End()
	if err := provider.ForceFlush(h.Context()); err != nil {
		h.Fatal(err)
	}
	return task.SpanContext().TraceID().String()
}

// checkAnnotations checks that the Sandbox of a claim and its Pod carry a trace, and how the Sandbox was launched.
func checkAnnotations(h *harness.T, name, traceID string) {
	h.Helper()
	sandbox := h.Claimed(name)
	if harness.Warm(sandbox) != (name == "warm") {
		h.Errorf("%s is launched %s", name, sandbox.Labels[apis.LabelLaunchType])
	}
	if carried := sandbox.Annotations[apis.AnnotationTraceContext]; !strings.Contains(carried, traceID) {
		h.Errorf("%s carries the trace %q", name, carried)
	}
	h.Eventually("the Pod of "+name+" carries the trace", func() error {
		if carried := h.Pod(sandbox).Annotations[apis.AnnotationTraceContext]; !strings.Contains(carried, traceID) {
			return fmt.Errorf("it carries %q", carried)
		}
		return nil
	})
}

// checkTrace returns what is wrong with the spans of a trace.
func checkTrace(spans []collector.Span, sandbox string) error {
	find := func(service, name, below string) collector.Span {
		i := slices.IndexFunc(spans, func(s collector.Span) bool {
			parent := slices.ContainsFunc(spans, func(p collector.Span) bool { return p.ID == s.Parent && p.Service == below })
			return s.Service == service && s.Name == name && (parent || below == "")
		})
		if i < 0 {
			return collector.Span{}
		}
		return spans[i]
	}
	claim := find(apis.OperatorName, "ReconcileSandboxClaim", "agent")
	box := find(apis.OperatorName, "ReconcileSandbox", "")
	proxy := find("sandbox-router", "sandbox-router.proxy", "agent")
	command := find("sandbox-runtime", "sandbox-runtime.stream", "sandbox-router")
	switch {
	case claim.ID == "":
		return fmt.Errorf("no reconcile of the claim is below the client: %+v", spans)
	case box.ID == "":
		return fmt.Errorf("there is no reconcile of the Sandbox: %+v", spans)
	case proxy.ID == "" || proxy.Attributes["sandbox.name"] != sandbox:
		return fmt.Errorf("the router is not below the client: %+v", spans)
	case command.ID == "" || command.Numbers["sandbox.exit_code"] != 3:
		return fmt.Errorf("the command is not below the router: %+v", spans)
	}
	return nil
}
