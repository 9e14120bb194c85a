// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package doctor makes each check of `kubectl sandbox doctor` fail in turn on a real API server, checks the finding and
// its cure, and applies the cure. There are no controllers: the tests act in their place.
package doctor

import (
	"os"
	"strings"
	"testing"
	"time"

	nodev1 "k8s.io/api/node/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/plugin"
	"github.com/agent-sandbox/kubectl-sandbox/test/integration/apiserver"
)

var server *apiserver.Server

func TestMain(m *testing.M) {
	os.Exit(apiserver.Run(m, func(s *apiserver.Server) { server = s }, apiserver.WithoutCRDs()))
}

// fault is one fault of an installation and what doctor reports about it.
type fault struct {
	check  string
	status string // default: failed
	says   string
	cure   string
	inject func(*testing.T, kubernetes.Interface)
	repair func(*testing.T, kubernetes.Interface) // default: upgrade
}

func kubectl(args ...string) func(*testing.T, kubernetes.Interface) {
	return func(t *testing.T, _ kubernetes.Interface) { t.Helper(); mustKubectl(t, args...) }
}

// patchOperator replaces a field of the operator's Deployment.
func patchOperator(path, value string) func(*testing.T, kubernetes.Interface) {
	return func(t *testing.T, client kubernetes.Interface) {
		t.Helper()
		mustKubectl(t, "-n", operatorNamespace, "patch", "deployment", apis.OperatorName, "--type=json", "-p",
			`[{"op":"replace","path":"`+path+`","value":`+value+`}]`)
		setAvailable(t, client, 1)
	}
}

func faults() map[string]fault {
	const args = "/spec/template/spec/containers/0/args"
	return map[string]fault{
		"a definition is missing": {
			check: "definitions", says: apis.CRDSandboxWarmPools + " is missing", cure: "upgrade",
			inject: kubectl("delete", "crd", apis.CRDSandboxWarmPools),
		},
		"a definition is old": {
			check: "definitions", says: apis.CRDSandboxes + " differs from that of this program", cure: "upgrade",
			inject: kubectl("patch", "crd", apis.CRDSandboxes, "--type=json", "-p",
				`[{"op":"remove","path":"/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/operatingMode"}]`),
		},
		"a role is gone": {
			check: "operator-permissions", says: "may not", cure: "upgrade",
			inject: kubectl("delete", "clusterrole", apis.OperatorName),
		},
		"a binding is gone": {
			check: "operator-permissions", says: "patch sandboxclaims/status." + apis.GroupExtensions, cure: "upgrade",
			inject: kubectl("delete", "clusterrolebinding", apis.OperatorName+"-extensions"),
		},
		"the role of the leader's lease is gone": {
			check: "operator-permissions", says: "update leases.coordination.k8s.io", cure: "upgrade",
			inject: kubectl("-n", operatorNamespace, "delete", "role", apis.OperatorName+"-leader-election"),
		},
		"the operator is not available": {
			check: "operator", says: "its Pod is not there yet", cure: "kubectl describe",
			inject: func(t *testing.T, client kubernetes.Interface) { t.Helper(); setAvailable(t, client, 0) },
		},
		"the operator is scaled to zero": {
			check: "operator", says: "scaled to zero", cure: "kubectl scale",
			inject: kubectl("-n", operatorNamespace, "scale", "deployment", apis.OperatorName, "--replicas=0"),
			repair: func(t *testing.T, client kubernetes.Interface) { // an upgrade keeps a number of replicas that was set
				t.Helper()
				mustKubectl(t, "-n", operatorNamespace, "scale", "deployment", apis.OperatorName, "--replicas=1")
				setAvailable(t, client, 1)
			},
		},
		"the operator is gone": {
			check: "operator", says: "no operator is installed", cure: "kubectl sandbox install",
			inject: kubectl("-n", operatorNamespace, "delete", "deployment", apis.OperatorName),
			repair: func(t *testing.T, client kubernetes.Interface) {
				t.Helper()
				reinstall(t)
				setAvailable(t, client, 1)
			},
		},
		"the leader has fallen silent": {
			check: "leader", says: "operator-x held the Lease until", cure: "kubectl logs",
			inject: func(t *testing.T, c kubernetes.Interface) {
				t.Helper()
				setLease(t, c, "operator-x_1", time.Now().Add(-time.Minute))
			},
			repair: func(t *testing.T, c kubernetes.Interface) {
				t.Helper()
				setLease(t, c, "operator-x_1", time.Now().Add(time.Hour))
			},
		},
		"nobody leads": {
			check: "leader", says: "nobody holds the Lease", cure: "kubectl logs",
			inject: func(t *testing.T, c kubernetes.Interface) { t.Helper(); setLease(t, c, "", time.Now()) },
			repair: func(t *testing.T, c kubernetes.Interface) {
				t.Helper()
				setLease(t, c, "operator-x_1", time.Now().Add(time.Hour))
			},
		},
		"several operators without an election": {
			check: "flags", says: "2 operators run without leader election", cure: "--replicas=1",
			inject: func(t *testing.T, c kubernetes.Interface) {
				t.Helper()
				patchOperator(args+"/0", `"--leader-elect=false"`)(t, c)
				mustKubectl(t, "-n", operatorNamespace, "scale", "deployment", apis.OperatorName, "--replicas=2")
				setAvailable(t, c, 2)
			},
			repair: func(t *testing.T, c kubernetes.Interface) {
				t.Helper()
				mustKubectl(t, "-n", operatorNamespace, "scale", "deployment", apis.OperatorName, "--replicas=1")
				patchOperator(args+"/0", `"--leader-elect=true"`)(t, c)
			},
		},
		"an operator of other namespaces": {
			check: "flags", status: statusWarning, says: "watches only elsewhere",
			cure:   "--watch-namespaces=elsewhere,default",
			inject: patchOperator(args, `["--leader-elect=true","--extensions=true","--watch-namespaces=elsewhere"]`),
			repair: patchOperator(args, `["--leader-elect=true","--extensions=true"]`),
		},
		"another version": {
			check: "version", status: statusWarning, says: "the operator has version v0.0.0-alpha", cure: "upgrade",
			inject: kubectl("-n", operatorNamespace, "label", "deployment", apis.OperatorName,
				"app.kubernetes.io/version=v0.0.0-alpha", "--overwrite"),
			// A development build has no published image, so an upgrade to it must name the image.
			repair: func(t *testing.T, client kubernetes.Interface) {
				t.Helper()
				deployment, err := client.AppsV1().Deployments(operatorNamespace).Get(t.Context(), apis.OperatorName,
					metav1.GetOptions{})
				if err != nil {
					t.Fatal(err)
				}
				reinstall(t, "--image", deployment.Spec.Template.Spec.Containers[0].Image)
			},
		},
		"no default StorageClass": {
			check: "storage", says: "no StorageClass is the default", cure: "kubectl annotate storageclass standard",
			inject: kubectl("annotate", "storageclass", "standard", "storageclass.kubernetes.io/is-default-class-"),
			repair: kubectl("annotate", "storageclass", "standard", "storageclass.kubernetes.io/is-default-class=true"),
		},
		"a metrics Service that is gone": {
			check: "metrics", says: "does not exist", cure: "upgrade",
			inject: kubectl("-n", operatorNamespace, "delete", "service", apis.OperatorName),
		},
	}
}

func reinstall(t *testing.T, args ...string) {
	t.Helper()
	if _, err := runAs(t, server.Kubeconfig(), append([]string{"install", "--wait=false"}, args...)...); err != nil {
		t.Fatal(err)
	}
}

func TestDoctorNamesWhatIsWrongWithItsCure(t *testing.T) {
	client := kubernetes.NewForConfigOrDie(server.Config())
	found, err := runDoctor(t, server.Kubeconfig(), "default")
	if err == nil || found["operator"].Status != statusFailed ||
		!strings.Contains(found["operator"].Cure, "kubectl sandbox install") {
		t.Errorf("before an installation: %v, %+v", err, found["operator"])
	}
	installOperator(t, client)
	checkHealthy := func(t *testing.T) {
		t.Helper()
		found, err := runDoctor(t, server.Kubeconfig(), "default")
		if err != nil {
			t.Fatalf("not healthy: %v: %+v", err, found)
		}
		for check, finding := range found {
			if finding.Status != statusOK && check != "networkpolicy" { // unknown without a network plugin
				t.Fatalf("not healthy: %+v", finding)
			}
		}
	}
	checkHealthy(t)
	for name, f := range faults() {
		t.Run(name, func(t *testing.T) {
			f.inject(t, client)
			found, err := runDoctor(t, server.Kubeconfig(), "default")
			want := f.status
			if want == "" {
				want = statusFailed
			}
			got := found[f.check]
			if got.Status != want || !strings.Contains(got.Message, f.says) || !strings.Contains(got.Cure, f.cure) {
				t.Errorf("got %+v, want %s with %q and the cure %q", got, want, f.says, f.cure)
			}
			if (want == statusFailed) != (err != nil && strings.Contains(err.Error(), f.check)) ||
				(err != nil && plugin.ExitCode(err) != 1) {
				t.Errorf("the command ends with %v", err)
			}
			if f.repair == nil {
				upgradeOperator(t, client)
			} else {
				f.repair(t, client)
			}
			checkHealthy(t)
		})
	}
}

func TestDoctorOfSomebodyWhoMayDoLittle(t *testing.T) {
	namespace := server.Namespace(t)
	nobody := server.User(t, "patient-nobody", "")
	found, err := runDoctor(t, nobody.Kubeconfig, namespace)
	if err == nil {
		t.Error("doctor reports no failure to a user without permissions")
	}
	for check, says := range map[string]string{
		"permissions":      "create sandboxes." + apis.GroupAgents,
		"exec-permissions": "create pods/exec",
	} {
		got := found[check]
		if got.Status != statusFailed || !strings.Contains(got.Message, says) || !strings.Contains(got.Message, namespace) ||
			!strings.Contains(got.Cure, "--user=patient-nobody") || strings.Contains(got.Cure, "--clusterrole=edit") {
			t.Errorf("%+v", got)
		}
	}
	for _, check := range []string{
		"definitions", "operator", "operator-permissions", "storage", "runtimeclasses", "networkpolicy",
	} {
		if found[check].Status != statusUnknown {
			t.Errorf("a check without permissions is not unknown: %+v", found[check])
		}
	}
	halfway := server.User(t, "patient-halfway", namespace, rbacv1.PolicyRule{
		APIGroups: []string{""}, Resources: []string{"pods/exec", "pods/attach", "pods/portforward"},
		Verbs: []string{"create"},
	})
	found, _ = runDoctor(t, halfway.Kubeconfig, namespace)
	if got := found["exec-permissions"].Message; !strings.Contains(got, "get pods/exec") ||
		strings.Contains(got, "create") {
		t.Errorf("WebSocket connections need the verb get: %s", got)
	}
}

func TestDoctorKnowsTemplatesOfMissingRuntimeClasses(t *testing.T) {
	client := kubernetes.NewForConfigOrDie(server.Config())
	reinstall(t)
	namespace := server.Namespace(t)
	template := `{"apiVersion":"extensions.agents.x-k8s.io/v1beta1","kind":"SandboxTemplate","metadata":{"name":"safe"},` +
		`"spec":{"podTemplate":{"spec":{"runtimeClassName":"gvisor","containers":[{"name":"main","image":"x"}]}}}}`
	if _, stderr, err := server.Kubectl(t, template, "-n", namespace, "create", "-f", "-"); err != nil {
		t.Fatalf("%v: %s", err, stderr)
	}
	t.Cleanup(func() {
		_, _, _ = server.Kubectl(t, "", "-n", namespace, "delete", "sandboxtemplate", "safe")
	})
	found, _ := runDoctor(t, server.Kubeconfig(), "default")
	if got := found["runtimeclasses"]; got.Status != statusFailed ||
		!strings.Contains(got.Message, namespace+"/safe names RuntimeClass gvisor") {
		t.Errorf("%+v", got)
	}
	class := &nodev1.RuntimeClass{ObjectMeta: metav1.ObjectMeta{Name: "gvisor"}, Handler: "runsc"}
	if _, err := client.NodeV1().RuntimeClasses().Create(t.Context(), class, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if found, _ = runDoctor(t, server.Kubeconfig(), "default"); found["runtimeclasses"].Status != statusOK {
		t.Errorf("%+v", found["runtimeclasses"])
	}
	if err := client.NodeV1().RuntimeClasses().Delete(t.Context(), "gvisor", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
}
