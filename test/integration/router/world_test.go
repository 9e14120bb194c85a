// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package router

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/client/clientset/versioned"
	"github.com/agent-sandbox/kubectl-sandbox/apis/crds"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/plugin"
	"github.com/agent-sandbox/kubectl-sandbox/router"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

const loopback = "127.0.0.1"

// world is a router on loopback, with a namespace of its own.
type world struct {
	t          *testing.T
	namespace  string
	port       string // of the server in every Pod
	url, admin string
	sandboxes  versioned.Interface
	kubernetes kubernetes.Interface
}

func newWorld(t *testing.T) *world {
	t.Helper()
	pod := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "here")
	}))
	t.Cleanup(pod.Close)
	_, port, _ := net.SplitHostPort(pod.Listener.Addr().String())
	w := &world{
		t: t, namespace: server.Namespace(t), port: port,
		sandboxes: versioned.NewForConfigOrDie(server.Config()), kubernetes: kubernetes.NewForConfigOrDie(server.Config()),
	}
	config := router.Defaults()
	config.BindAddress, config.ProbeBindAddress = freeAddress(t), freeAddress(t)
	w.url, w.admin = "http://"+config.BindAddress, "http://"+config.ProbeBindAddress
	config.ReviewTTL, config.DrainDelay = 0, 0
	config.SigningKeyFile = filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(config.SigningKeyFile, []byte(strings.Repeat("k", 32)), 0o600); err != nil {
		t.Fatal(err)
	}
	clients, err := router.Connect(server.Config(), nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- router.Run(ctx, config, clients, logr.Discard()) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	w.eventually("it listens", func() bool { status, _ := w.get(w.admin+"/livez", "", ""); return status == 200 })
	return w
}

func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", loopback+":0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

func (w *world) eventually(what string, is func() bool) {
	w.t.Helper()
	err := wait.PollUntilContextTimeout(w.t.Context(), 50*time.Millisecond, 2*time.Minute, true,
		func(context.Context) (bool, error) { return is(), nil })
	if err != nil {
		w.t.Fatalf("it is not so that %s", what)
	}
}

// get sends a request, for a sandbox if it is named.
func (w *world) get(url, token, sandbox string) (int, string) {
	w.t.Helper()
	request, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, url, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	if sandbox != "" {
		request.Header = http.Header{
			"Authorization": {"Bearer " + token}, "X-Sandbox-Id": {sandbox}, "X-Sandbox-Namespace": {w.namespace},
			"X-Sandbox-Port": {w.port},
		}
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err.Error()
	}
	defer response.Body.Close()
	body, _ := io.ReadAll(response.Body)
	return response.StatusCode, string(body)
}

// expect checks what a token opens.
func (w *world) expect(t *testing.T, token string, statuses map[string]int) {
	t.Helper()
	for sandbox, want := range statuses {
		if status, body := w.get(w.url, token, sandbox); status != want || status == 200 && body != "here" {
			t.Errorf("%s: %d %s, want %d", sandbox, status, body, want)
		}
	}
}

// plugin runs a command as an administrator.
func (w *world) plugin(args ...string) (string, error) {
	w.t.Helper()
	var out bytes.Buffer
	cmd := plugin.NewCommand("kubectl sandbox", clock.RealClock{}, genericiooptions.IOStreams{
		In: strings.NewReader(""), Out: &out, ErrOut: io.Discard,
	})
	cmd.SetArgs(append(args, "--kubeconfig", server.Kubeconfig(), "-n", w.namespace))
	err := cmd.ExecuteContext(w.t.Context())
	return out.String(), err
}

// define installs a definition.
func (w *world) define(name string) {
	w.t.Helper()
	all, err := crds.All()
	if err != nil {
		w.t.Fatal(err)
	}
	var wanted []*apiextensionsv1.CustomResourceDefinition
	for _, crd := range all {
		if crd.Name == name {
			wanted = append(wanted, crd)
		}
	}
	if _, err := envtest.InstallCRDs(server.Config(), envtest.CRDInstallOptions{CRDs: wanted}); err != nil {
		w.t.Fatal(err)
	}
}

// run creates Sandboxes, and does what the operator and the kubelet do.
func (w *world) run(names ...string) {
	w.t.Helper()
	ctx := w.t.Context()
	sandboxes, pods := w.sandboxes.AgentsV1beta1().Sandboxes(w.namespace), w.kubernetes.CoreV1().Pods(w.namespace)
	for _, name := range names {
		made, err := sandboxes.Create(ctx, builders.Sandbox(name, builders.InNamespace(w.namespace)), metav1.CreateOptions{})
		if err != nil {
			w.t.Fatal(err)
		}
		made.Status.PodIPs = []string{loopback}
		if _, err := sandboxes.UpdateStatus(ctx, made, metav1.UpdateOptions{}); err != nil {
			w.t.Fatal(err)
		}
		pod, err := pods.Create(ctx, &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: name, OwnerReferences: []metav1.OwnerReference{
				*metav1.NewControllerRef(made, agentsv1beta1.SchemeGroupVersion.WithKind(apis.KindSandbox)),
			}},
			Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "none"}}},
		}, metav1.CreateOptions{})
		if err != nil {
			w.t.Fatal(err)
		}
		pod.Status.Phase, pod.Status.PodIP, pod.Status.PodIPs = corev1.PodRunning, loopback, []corev1.PodIP{{IP: loopback}}
		if _, err := pods.UpdateStatus(ctx, pod, metav1.UpdateOptions{}); err != nil {
			w.t.Fatal(err)
		}
	}
}

// remove deletes a Sandbox and its Pod.
func (w *world) remove(name string) {
	w.t.Helper()
	now := metav1.DeleteOptions{GracePeriodSeconds: new(int64(0))}
	if err := w.sandboxes.AgentsV1beta1().Sandboxes(w.namespace).Delete(w.t.Context(), name, now); err != nil {
		w.t.Fatal(err)
	}
	if err := w.kubernetes.CoreV1().Pods(w.namespace).Delete(w.t.Context(), name, now); err != nil {
		w.t.Fatal(err)
	}
}

// claim creates a claim that has a Sandbox.
func (w *world) claim(name, sandbox string) {
	w.t.Helper()
	ctx, claims := w.t.Context(), w.sandboxes.ExtensionsV1beta1().SandboxClaims(w.namespace)
	made, err := claims.Create(ctx, builders.Claim(name, "t", builders.InNamespace(w.namespace)), metav1.CreateOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	sandboxes := w.sandboxes.AgentsV1beta1().Sandboxes(w.namespace)
	is, err := sandboxes.Get(ctx, sandbox, metav1.GetOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	is.OwnerReferences = []metav1.OwnerReference{
		*metav1.NewControllerRef(made, extensionsv1beta1.SchemeGroupVersion.WithKind(apis.KindSandboxClaim)),
	}
	if _, err := sandboxes.Update(ctx, is, metav1.UpdateOptions{}); err != nil {
		w.t.Fatal(err)
	}
	made.Status.SandboxStatus = extensionsv1beta1.SandboxStatus{Name: is.Name, UID: is.UID}
	if _, err := claims.UpdateStatus(ctx, made, metav1.UpdateOptions{}); err != nil {
		w.t.Fatal(err)
	}
}

// account creates a ServiceAccount that may create a resource of one name.
func (w *world) account(name, group, resource, of string) {
	w.t.Helper()
	ctx, rbac, meta := w.t.Context(), w.kubernetes.RbacV1(), metav1.ObjectMeta{Name: name}
	_, err := w.kubernetes.CoreV1().ServiceAccounts(w.namespace).Create(ctx, &corev1.ServiceAccount{ObjectMeta: meta},
		metav1.CreateOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	role := &rbacv1.Role{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{{
		APIGroups: []string{group}, Resources: []string{resource}, ResourceNames: []string{of}, Verbs: []string{"create"},
	}}}
	if _, err := rbac.Roles(w.namespace).Create(ctx, role, metav1.CreateOptions{}); err != nil {
		w.t.Fatal(err)
	}
	binding := &rbacv1.RoleBinding{
		ObjectMeta: meta, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: name},
		Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: name, Namespace: w.namespace}},
	}
	if _, err := rbac.RoleBindings(w.namespace).Create(ctx, binding, metav1.CreateOptions{}); err != nil {
		w.t.Fatal(err)
	}
}

// accountToken returns a token of a ServiceAccount.
func (w *world) accountToken(name string) string {
	w.t.Helper()
	answer, err := w.kubernetes.CoreV1().ServiceAccounts(w.namespace).CreateToken(w.t.Context(), name,
		&authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	return answer.Status.Token
}
