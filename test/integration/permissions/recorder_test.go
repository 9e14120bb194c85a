// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package permissions

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// recorder is an authorization webhook without an opinion. The API server sends it each authorization request,
// including those of admission plugins, before RBAC decides. It is safe for concurrent use.
type recorder struct {
	server *httptest.Server
	dir    string

	mu   sync.Mutex
	used map[string]map[usedPermission]bool // by user
}

// usedPermission is a permission that a request needed. The namespace is empty for cluster-scoped requests.
type usedPermission struct{ namespace, permission string }

func newRecorder() (*recorder, error) {
	dir, err := os.MkdirTemp("", "kubectl-sandbox-permissions-")
	if err != nil {
		return nil, err
	}
	r := &recorder{dir: dir, used: map[string]map[usedPermission]bool{}}
	r.server = httptest.NewServer(http.HandlerFunc(r.review))
	return r, os.WriteFile(r.config(), []byte(`apiVersion: v1
kind: Config
clusters: [{name: recorder, cluster: {server: "`+r.server.URL+`"}}]
users: [{name: server}]
contexts: [{name: recorder, context: {cluster: recorder, user: server}}]
current-context: recorder
`), 0o600)
}

func (r *recorder) config() string { return filepath.Join(r.dir, "webhook.kubeconfig") }

func (r *recorder) close() {
	r.server.CloseClientConnections()
	r.server.Close()
	_ = os.RemoveAll(r.dir) // a temporary directory
}

// configure makes the API server send authorization requests to the recorder first, and enables the admission plugin
// that checks the permission for owner references that block deletion.
func (r *recorder) configure(env *envtest.Environment) {
	env.ControlPlane.GetAPIServer().Configure().
		Set("authorization-mode", "Webhook,RBAC").
		Set("authorization-webhook-config-file", r.config()).
		Set("authorization-webhook-version", "v1").
		Set("enable-admission-plugins", "OwnerReferencesPermissionEnforcement")
}

func (r *recorder) review(w http.ResponseWriter, request *http.Request) {
	var review authorizationv1.SubjectAccessReview
	if err := json.NewDecoder(request.Body).Decode(&review); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if a := review.Spec.ResourceAttributes; a != nil {
		asked := permission(a.Group, a.Resource, a.Subresource, a.Verb)
		if a.Resource == "customresourcedefinitions" { // granted by name
			asked += " " + a.Name
		}
		r.record(review.Spec.User, usedPermission{a.Namespace, asked})
	}
	answer := authorizationv1.SubjectAccessReview{
		TypeMeta: metav1.TypeMeta{APIVersion: "authorization.k8s.io/v1", Kind: "SubjectAccessReview"},
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer) // the API server may have disconnected
}

// allFinalizers is the permission that OwnerReferencesPermissionEnforcement checks first. It stands for the finalizers
// of all kinds, and the operator does not need it.
const allFinalizers = "update */finalizers.*"

func (r *recorder) record(user string, what usedPermission) {
	if what.permission == allFinalizers {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.used[user] == nil {
		r.used[user] = map[usedPermission]bool{}
	}
	r.used[user][what] = true
}

// usedBy returns the sorted permissions that a user has needed in the namespace and elsewhere.
func (r *recorder) usedBy(user, namespace string) (here, elsewhere []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for what := range r.used[user] {
		if what.namespace == namespace {
			here = append(here, what.permission)
		} else {
			elsewhere = append(elsewhere, what.permission)
		}
	}
	slices.Sort(here)
	slices.Sort(elsewhere)
	return here, slices.Compact(elsewhere)
}

func permission(group, resource, subresource, verb string) string {
	if subresource != "" {
		resource += "/" + subresource
	}
	return fmt.Sprintf("%s %s", verb, strings.TrimSuffix(resource+"."+group, "."))
}

// listPermissions returns the sorted permissions of the rules, with one for each resource name if there are names.
func listPermissions(rules []rbacv1.PolicyRule) []string {
	var all []string
	for _, rule := range rules {
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				for _, verb := range rule.Verbs {
					granted := permission(group, resource, "", verb)
					for _, name := range rule.ResourceNames {
						all = append(all, granted+" "+name)
					}
					if len(rule.ResourceNames) == 0 {
						all = append(all, granted)
					}
				}
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
