// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package harness runs end-to-end tests against a real cluster. Each test has its own namespace, runs the plugin and
// kubectl as binaries, as a user does, and waits by polling. When a test fails, the harness collects objects and logs
// in $ARTIFACTS.
//
// The harness reads these environment variables, which run.sh sets:
//
//	KUBECONFIG      the cluster administrator's kubeconfig
//	E2E_PLUGIN      the kubectl-sandbox binary
//	E2E_KUBECTL     the kubectl binary
//	E2E_TESTCLUSTER the testcluster binary; E2E_CLUSTER the cluster's name
//	ARTIFACTS       the directory for reports and logs
package harness

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
)

// Images that are present in the test cluster.
const (
	ImageShell   = "localhost/sandbox-shell:v1"
	ImagePython  = "localhost/sandbox-python:v1"
	ImageRuntime = "localhost/sandbox-runtime:race" // made by test/e2e/run.sh
)

// DefaultTimeout is how long a test waits for something that usually takes a second or two. It allows for slow
// machines.
const DefaultTimeout = 90 * time.Second

// T is a test with a namespace of its own.
type T struct {
	*testing.T

	Client    client.WithWatch
	Namespace string
	Timeout   time.Duration // of Eventually
}

// RequireEnv returns an environment variable. If it is not set, RequireEnv panics and names the make target to use.
func RequireEnv(name string) string {
	value := os.Getenv(name)
	if value == "" {
		panic(name + " is not set: run these tests with 'make test-e2e'")
	}
	return value
}

// New creates a namespace that is deleted when the test ends.
func New(t *testing.T) *T {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		clientgoscheme.AddToScheme, agentsv1beta1.AddToScheme, extensionsv1beta1.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	config, err := clientcmd.BuildConfigFromFlags("", RequireEnv("KUBECONFIG"))
	if err != nil {
		t.Fatal(err)
	}
	config.QPS = -1
	quiet()
	c, err := client.NewWithWatch(config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "e2e-"}}
	if err := c.Create(t.Context(), namespace); err != nil {
		t.Fatal(err)
	}
	h := &T{T: t, Client: c, Namespace: namespace.Name, Timeout: DefaultTimeout}
	t.Cleanup(func() {
		if t.Failed() {
			h.dump()
		}
		ctx, cancel := context.WithTimeout(context.Background(), DefaultTimeout)
		defer cancel()
		if err := c.Delete(ctx, namespace); err != nil {
			t.Errorf("delete namespace: %v", err)
		}
	})
	return h
}

// In returns a harness with the same namespace for a subtest, which fails and ends on its own.
func (h *T) In(t *testing.T) *T {
	return &T{T: t, Client: h.Client, Namespace: h.Namespace, Timeout: h.Timeout}
}

// dump writes objects and logs that help to explain a failure to $ARTIFACTS.
func (h *T) dump() {
	dir := filepath.Join(RequireEnv("ARTIFACTS"), "e2e", strings.NewReplacer("/", "_", " ", "_").Replace(h.Name()))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		h.Logf("artifacts: %v", err)
		return
	}
	keep := func(file string, r Result) {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(r.Stdout+r.Stderr), 0o644); err != nil {
			h.Logf("artifacts: %v", err)
		}
	}
	keep("objects.yaml", h.Kubectl("get", "sandboxclaims,sandboxtemplates,sandboxwarmpools,sandboxes,pods,services,"+
		"persistentvolumeclaims,networkpolicies,events", "-o", "yaml"))
	keep("operator.log",
		h.kubectl(nil, "-n", "agent-sandbox-system", "logs", "-l", "app=agent-sandbox-controller", "--tail=-1", "--prefix"))
	keep("node.log",
		run(context.Background(), nil, RequireEnv("E2E_TESTCLUSTER"), "logs", "--name", RequireEnv("E2E_CLUSTER"), "--to",
			filepath.Join(dir, "node")))
	h.Logf("logs and objects are in %s", dir)
}

// Result is the output and the exit code of a command.
type Result struct {
	Args           string
	Stdout, Stderr string
	Code           int
}

func (r Result) String() string {
	return fmt.Sprintf("%s\nexit code %d\nstdout: %s\nstderr: %s", r.Args, r.Code, r.Stdout, r.Stderr)
}

func run(ctx context.Context, stdin io.Reader, program string, args ...string) Result {
	var stdout, stderr bytes.Buffer
	command := exec.CommandContext(ctx, program, args...)
	command.Stdin, command.Stdout, command.Stderr = stdin, &stdout, &stderr
	err := command.Run()
	result := Result{
		Args: filepath.Base(program) + " " + strings.Join(args, " "), Stdout: stdout.String(), Stderr: stderr.String(),
		Code: command.ProcessState.ExitCode(),
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		result.Stderr += err.Error()
		result.Code = -1
	}
	return result
}

// Plugin runs the plugin in the test's namespace.
func (h *T) Plugin(args ...string) Result { h.Helper(); return h.PluginWithInput(nil, args...) }

// PluginWithInput runs the plugin with the given standard input.
func (h *T) PluginWithInput(stdin io.Reader, args ...string) Result {
	h.Helper()
	ctx, cancel := context.WithTimeout(h.Context(), 3*time.Minute)
	defer cancel()
	return run(ctx, stdin, RequireEnv("E2E_PLUGIN"), append([]string{"-n", h.Namespace}, args...)...)
}

// Must runs the plugin and returns its standard output. It fails the test if the plugin fails.
func (h *T) Must(args ...string) string {
	h.Helper()
	r := h.Plugin(args...)
	if r.Code != 0 {
		h.Fatalf("%v", r)
	}
	return r.Stdout
}

// Kubectl runs kubectl in the test's namespace.
func (h *T) Kubectl(args ...string) Result {
	return h.kubectl(nil, append([]string{"-n", h.Namespace}, args...)...)
}

// KubectlWithoutNamespace runs kubectl with exactly the given arguments.
func (h *T) KubectlWithoutNamespace(args ...string) Result { return h.kubectl(nil, args...) }

// MustKubectl runs kubectl and returns its standard output. It fails the test if kubectl fails.
func (h *T) MustKubectl(args ...string) string {
	h.Helper()
	r := h.Kubectl(args...)
	if r.Code != 0 {
		h.Fatalf("%v", r)
	}
	return r.Stdout
}

// ApplyResult applies YAML in the test's namespace with kubectl and returns the result.
func (h *T) ApplyResult(yaml string, args ...string) Result {
	return h.kubectl(strings.NewReader(yaml), append([]string{"-n", h.Namespace, "apply", "-f", "-"}, args...)...)
}

func (h *T) kubectl(stdin io.Reader, args ...string) Result {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	return run(ctx, stdin, RequireEnv("E2E_KUBECTL"), args...)
}

// Eventually polls until the check passes. It fails the test with the check's last error after h.Timeout.
func (h *T) Eventually(what string, check func() error) {
	h.Helper()
	h.Within(h.Timeout, what, check)
}

// Within is Eventually with another timeout.
func (h *T) Within(limit time.Duration, what string, check func() error) {
	h.Helper()
	deadline := time.After(limit)
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	var err error
	for {
		if err = check(); err == nil {
			return
		}
		select {
		case <-deadline:
			h.Fatalf("%s: not within %v: %v", what, limit, err)
		case <-h.Context().Done():
			h.Fatalf("%s: %v", what, h.Context().Err())
		case <-tick.C:
		}
	}
}

// Get reads an object of the test's namespace and reports whether it exists.
func (h *T) Get(name string, into client.Object) (found bool) {
	h.Helper()
	err := h.Client.Get(h.Context(), client.ObjectKey{Namespace: h.Namespace, Name: name}, into)
	if err != nil && !apierrors.IsNotFound(err) {
		h.Fatalf("get %s: %v", name, err)
	}
	return err == nil
}

// quiet discards the client's log once for all tests of the process, some of which run in parallel.
//
//nolint:gochecknoglobals // the logger of controller-runtime is global too
var quiet = sync.OnceFunc(func() { ctrllog.SetLogger(logr.Discard()) })
