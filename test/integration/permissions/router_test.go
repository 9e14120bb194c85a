// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package permissions

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/install"
	"github.com/agent-sandbox/kubectl-sandbox/operator/manager"
	"github.com/agent-sandbox/kubectl-sandbox/router"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

// routed is a running router whose user has the permissions of the manifests, and whose flags are theirs.
type routed struct {
	*world

	url   string
	rules []rbacv1.PolicyRule
}

// routerManifests returns the rules of a router for sandboxes and for reviews, and the arguments of its container.
func routerManifests(t *testing.T, options install.Router) (work, reviews []rbacv1.PolicyRule, args []string) {
	t.Helper()
	objects, err := install.Render(install.Options{Routers: []install.Router{options}})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range objects {
		var into any
		role, deployment := &rbacv1.ClusterRole{}, &appsv1.Deployment{}
		switch {
		case install.IsRouter(o):
			into = deployment
		case o.GetLabels()[apis.LabelApp] == apis.AppRouter && strings.HasSuffix(o.GetKind(), "Role"):
			into = role
		default:
			continue
		}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, into); err != nil {
			t.Fatal(err)
		}
		switch {
		case into == any(deployment):
			args = deployment.Spec.Template.Spec.Containers[0].Args
		case strings.HasSuffix(role.Name, "-reviews"):
			reviews = append(reviews, role.Rules...)
		default:
			work = append(work, role.Rules...)
		}
	}
	return work, reviews, args
}

// startRouter runs a router until the test ends. A tenant's has permissions only in the test's namespace.
func startRouter(t *testing.T, tenant bool) *routed {
	t.Helper()
	scheme, err := manager.Scheme()
	if err != nil {
		t.Fatal(err)
	}
	admin, err := client.New(server.Config(), client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	r := &routed{world: &world{T: t, client: admin, namespace: server.Namespace(t)}}
	options, where := install.Router{Args: []string{"--resume-on-request"}}, ""
	if tenant {
		options.Namespace, where = r.namespace, r.namespace
	}
	work, reviews, args := routerManifests(t, options)
	r.rules, r.user = slices.Concat(work, reviews), "router-"+r.namespace
	user := server.User(t, r.user, where, work...)
	server.Grant(t, r.user, "", reviews...)

	line := router.CommandLine{Config: router.Defaults()}
	flags := flag.NewFlagSet("router", flag.ContinueOnError)
	line.AddFlags(flags)
	if err := flags.Parse(args); err != nil {
		t.Fatal(err)
	}
	key := filepath.Join(t.TempDir(), filepath.Base(line.SigningKeyFile))
	if err := os.WriteFile(key, []byte(strings.Repeat("k", 32)), 0o600); err != nil {
		t.Fatal(err)
	}
	line.SigningKeyFile, line.BindAddress, line.ProbeBindAddress = key, freeAddress(t), freeAddress(t)
	line.DrainDelay = 0
	clients, err := router.Connect(user.Config, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.url = "http://" + line.BindAddress
	r.serve(line.Config, clients)
	return r
}

// serve runs the router, and waits until it is ready.
func (r *routed) serve(config router.Config, clients router.Clients) {
	r.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- router.Run(ctx, config, clients, logr.Discard()) }()
	r.Cleanup(func() {
		cancel()
		select {
		case err := <-ended:
			if err != nil {
				r.Errorf("the router ended with %v", err)
			}
		case <-time.After(timeout):
			r.Error("the router does not end")
		}
	})
	r.within("the router is ready", func() error {
		code, text, err := r.fetch("http://"+config.ProbeBindAddress+"/readyz", nil)
		if err == nil && code != http.StatusOK {
			err = errors.New(text)
		}
		return err
	})
}

// within polls until the check passes.
func (r *routed) within(what string, check func() error) {
	r.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(timeout)
	for {
		err := check()
		if err == nil {
			return
		}
		select {
		case <-deadline:
			r.Fatalf("%s: %v; used %v", what, err, r.used())
		case <-tick.C:
		}
	}
}

func (r *routed) fetch(url string, header http.Header) (int, string, error) {
	request, err := http.NewRequestWithContext(r.Context(), http.MethodGet, url, nil)
	if err != nil {
		return 0, "", err
	}
	request.Header = header
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	return response.StatusCode, string(text), err
}

// reach sends a request to a sandbox and checks the status.
func (r *routed) reach(token, name, port string, want int) {
	r.Helper()
	code, text, err := r.fetch(r.url+"/", http.Header{
		"Authorization": {"Bearer " + token}, "X-Sandbox-Id": {name}, "X-Sandbox-Namespace": {r.namespace},
		"X-Sandbox-Port": {port}, "X-Sandbox-Timeout": {"2"},
	})
	if err != nil || code != want {
		r.Fatalf("%s: %d %s %v; used %v", name, code, text, err, r.used())
	}
}

func (r *routed) used() []string {
	here, elsewhere := requests.usedBy(r.user, r.namespace)
	all := slices.Concat(here, elsewhere)
	slices.Sort(all)
	return slices.Compact(all)
}

func TestARouterIsGrantedWhatItUsesAndNothingElse(t *testing.T) {
	for name, tenant := range map[string]bool{"beside the operator": false, "in a tenant's namespace": true} {
		t.Run(name, func(t *testing.T) {
			backend := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				_, _ = io.WriteString(w, "hello")
			}))
			defer backend.Close()
			_, port, _ := net.SplitHostPort(backend.Listener.Addr().String()) // it has a port
			r := startRouter(t, tenant)
			agent, stranger := token(r.world, "agent"), token(r.world, "stranger")
			server.Grant(t, "system:serviceaccount:"+r.namespace+":agent", r.namespace,
				rbacv1.PolicyRule{
					APIGroups: []string{apis.GroupAgents}, Resources: []string{"sandboxes/proxy"}, Verbs: []string{"create"},
				},
				rbacv1.PolicyRule{
					APIGroups: []string{apis.GroupExtensions}, Resources: []string{"sandboxclaims/proxy"}, Verbs: []string{"create"},
				})
			r.createRunning("box")
			r.create(builders.Sandbox("asleep", builders.WithReplicas(0)))

			r.reach(agent, "box", port, http.StatusOK)
			r.reach(stranger, "box", port, http.StatusForbidden)
			r.reach(agent, "nothing", port, http.StatusNotFound)
			r.reach(agent, "asleep", port, http.StatusGatewayTimeout) // nobody starts its Pod here
			var asleep agentsv1beta1.Sandbox
			if err := r.get("asleep", &asleep); err != nil || asleep.Spec.Replicas == nil || *asleep.Spec.Replicas != 1 {
				t.Errorf("it was not resumed: %+v, %v", asleep.Spec.Replicas, err)
			}
			used, granted := r.used(), listPermissions(r.rules)
			for _, permission := range difference(used, granted) {
				t.Errorf("used and not granted: %s", permission)
			}
			for _, permission := range difference(granted, used) {
				t.Errorf("granted and never used: %s", permission)
			}
		})
	}
}

// createRunning creates a Sandbox and its Pod, which is on loopback.
func (r *routed) createRunning(name string) {
	r.Helper()
	sandbox := builders.Sandbox(name)
	r.create(sandbox)
	sandbox.Status.PodIPs = []string{"127.0.0.1"}
	if err := r.client.Status().Update(r.Context(), sandbox); err != nil {
		r.Fatal(err)
	}
	pod := builders.Pod(name, builders.OwnedBy(sandbox), builders.Ready("127.0.0.1"))
	status := pod.Status
	r.create(pod)
	pod.Status = status
	if err := r.client.Status().Update(r.Context(), pod); err != nil {
		r.Fatal(fmt.Errorf("the Pod: %w", err))
	}
}
