// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package router

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	kubernetesfake "k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/client/clientset/versioned/fake"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
)

// world is a whole router on loopback, with an API server that is a fake.
type world struct {
	t          testing.TB
	config     Config
	sandboxes  *fake.Clientset
	kubernetes *kubernetesfake.Clientset
	url, admin string
	stop       context.CancelFunc
	ended      chan error
	client     *http.Client

	mu  sync.Mutex
	log bytes.Buffer
}

// longToken is a token of Ann that looks like that of a ServiceAccount: a JSON Web Token of a kilobyte.
var longToken = func() string {
	encode := base64.RawURLEncoding.EncodeToString
	return encode([]byte(`{"alg":"RS256","kid":"`+strings.Repeat("k", 43)+`"}`)) + "." + encode([]byte(
		`{"aud":["https://kubernetes.default.svc"],"exp":1777777777,"iat":1777770000,"iss":"https://kubernetes.default.svc",`+
			`"jti":"1b0e9a62-5c8e-4a1f-9a0e-1f2d3c4b5a69","kubernetes.io":{"namespace":"agents","node":{"name":"node-1",`+
			`"uid":"5b6c7d8e-0000-4a1f-9a0e-1f2d3c4b5a69"},"pod":{"name":"agent-7f9c","uid":"9a0e1f2d-0000-4a1f-9a0e-`+
			`1f2d3c4b5a69"},"serviceaccount":{"name":"agent","uid":"3c4b5a69-0000-4a1f-9a0e-1f2d3c4b5a69"},"warnafter":`+
			`1777773607},"nbf":1777770000,"sub":"system:serviceaccount:agents:agent"}`)) + "." + encode(make([]byte, 256))
}()

// The other users are called after their tokens. Ann may reach everything in the namespace default, Bob the claim
// "warm".
func allowed(user string, is *authorizationv1.ResourceAttributes) bool {
	if is.Verb != "create" || is.Subresource != "proxy" || is.Namespace != "default" {
		return false
	}
	return user == "ann" || user == "bob" && is.Resource == "sandboxclaims" && is.Name == "warm"
}

func kubernetesOf(objects ...runtime.Object) *kubernetesfake.Clientset {
	client := kubernetesfake.NewClientset(objects...)
	client.PrependReactor("create", "tokenreviews", func(action clienttesting.Action) (bool, runtime.Object, error) {
		review := action.(clienttesting.CreateAction).GetObject().(*authenticationv1.TokenReview).DeepCopy()
		users := map[string]string{"ann": "ann", "bob": "bob", "eve": "eve", longToken: "ann"}
		review.Status.User.Username, review.Status.Authenticated = users[review.Spec.Token]
		return true, review, nil
	})
	client.PrependReactor("create", "subjectaccessreviews",
		func(action clienttesting.Action) (bool, runtime.Object, error) {
			review := action.(clienttesting.CreateAction).GetObject().(*authorizationv1.SubjectAccessReview).DeepCopy()
			review.Status.Allowed = allowed(review.Spec.User, review.Spec.ResourceAttributes)
			return true, review, nil
		})
	return client
}

// newWorld starts a router. Its drain is short.
func newWorld(t testing.TB, change func(*Config)) *world {
	t.Helper()
	w := prepare(t, change)
	w.start()
	return w
}

// newLaggingWorld starts a router whose watches say nothing: its book stays as it was at the start.
func newLaggingWorld(t testing.TB, change func(*Config)) *world {
	t.Helper()
	w := prepare(t, change)
	w.sandboxes.PrependWatchReactor("*", func(clienttesting.Action) (bool, watch.Interface, error) {
		return true, watch.NewFake(), nil
	})
	w.start()
	return w
}

func prepare(t testing.TB, change func(*Config)) *world {
	t.Helper()
	sandboxes, pods := objects()
	w := &world{t: t, config: Defaults(), kubernetes: kubernetesOf(pods...), sandboxes: fake.NewSimpleClientset()}
	w.add(sandboxes...)
	w.sandboxes.Resources = []*metav1.APIResourceList{{GroupVersion: "extensions.agents.x-k8s.io/v1beta1"}}
	w.config.DrainDelay, w.config.DrainTimeout = 0, 10*time.Second
	if change != nil {
		change(&w.config)
	}
	return w
}

func (w *world) start() {
	w.t.Helper()
	listen := func() net.Listener {
		listener, err := (&net.ListenConfig{}).Listen(w.t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			w.t.Fatal(err)
		}
		return listener
	}
	front, admin := listen(), listen()
	w.url, w.admin = "http://"+front.Addr().String(), "http://"+admin.Addr().String()
	ctx, stop := context.WithCancel(context.WithoutCancel(w.t.Context()))
	w.stop, w.ended = stop, make(chan error, 1)
	transport := &http.Transport{MaxIdleConnsPerHost: 256}
	w.client = &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
	ended := w.ended
	go func() {
		defer close(ended)
		ended <- run(ctx, w.config, Clients{w.sandboxes, w.kubernetes, w.kubernetes}, w.logger(), front, admin)
	}()
	w.t.Cleanup(func() { stop(); transport.CloseIdleConnections(); <-ended })
	w.eventually("it is ready", func() bool { return w.adminStatus("/readyz") == http.StatusOK })
}

// logger keeps what is logged. A benchmark logs as the program does.
func (w *world) logger() logr.Logger {
	if _, ok := w.t.(*testing.B); ok {
		return zap.New(zap.WriteTo(io.Discard))
	}
	return funcr.NewJSON(func(line string) {
		w.mu.Lock()
		defer w.mu.Unlock()
		_, _ = w.log.WriteString(line + "\n")
	}, funcr.Options{})
}

func (w *world) logged() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.log.String()
}

func (w *world) eventually(what string, is func() bool) {
	w.t.Helper()
	err := wait.PollUntilContextTimeout(w.t.Context(), 2*time.Millisecond, 30*time.Second, true,
		func(context.Context) (bool, error) { return is(), nil })
	if err != nil {
		w.t.Fatalf("it is not so that %s", what)
	}
}

func (w *world) adminStatus(path string) int {
	response, err := http.Get(w.admin + path)
	if err != nil {
		return 0
	}
	_ = response.Body.Close()
	return response.StatusCode
}

func (w *world) metrics() string {
	w.t.Helper()
	response, err := http.Get(w.admin + "/metrics")
	if err != nil {
		w.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return string(text)
}

// pod starts a server of a Pod and returns its port.
func pod(t testing.TB, h http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	return server.URL[strings.LastIndex(server.URL, ":")+1:]
}

// answer is what a client gets.
type answer struct {
	status int
	detail string
	body   string
	header http.Header
}

// ask sends a request. The headers are pairs.
func (w *world) ask(method, path, body string, headers ...string) answer {
	w.t.Helper()
	request, err := http.NewRequestWithContext(w.t.Context(), method, w.url+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := w.client.Do(request)
	if err != nil {
		w.t.Fatal(err)
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	is := answer{response.StatusCode, "", string(raw), response.Header}
	var problem struct{ Detail string }
	if json.Unmarshal(raw, &problem) == nil {
		is.detail = problem.Detail
	}
	return is
}

// as asks for a sandbox with a token.
func (w *world) as(token, name, port string, headers ...string) answer {
	w.t.Helper()
	return w.ask(http.MethodGet, "/", "", append([]string{
		"Authorization", "Bearer " + token, "X-Sandbox-ID", name, "X-Sandbox-Port", port,
	}, headers...)...)
}

// secret writes a file.
func secret(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), strconv.Itoa(len(text)))
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// add adds objects as if another client had made them. The tracker's own Add would guess a wrong plural.
func (w *world) add(objects ...runtime.Object) {
	w.t.Helper()
	for _, object := range objects {
		resource := agentsv1beta1.SchemeGroupVersion.WithResource("sandboxes")
		if _, ok := object.(*extensionsv1beta1.SandboxClaim); ok {
			resource = extensionsv1beta1.SchemeGroupVersion.WithResource("sandboxclaims")
		}
		is := object.(metav1.Object)
		if err := w.sandboxes.Tracker().Create(resource, object, is.GetNamespace()); err != nil {
			w.t.Fatal(err)
		}
	}
}
