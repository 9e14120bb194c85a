// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"testing"

	"helm.sh/helm/v4/pkg/action"
	"helm.sh/helm/v4/pkg/kube"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/operator/install"
	"github.com/agent-sandbox/kubectl-sandbox/test/chart"
)

// TestAnUpgradeKeepsTheKeyOfARouter upgrades a release with routers, also one that installs them.
func TestAnUpgradeKeepsTheKeyOfARouter(t *testing.T) {
	ensureNamespace(t, operatorNamespace)
	ensureNamespace(t, "team-a")
	const crds, routers = "crds: {install: false}\n", "router: {enabled: true, namespaces: [team-a]}\n"
	if err := installChart(t, load(t, directory), crds, nil); err != nil {
		t.Fatal(err)
	}
	upgrade := func(text string) {
		t.Helper()
		u := action.NewUpgrade(helm(t))
		u.Namespace, u.WaitStrategy, u.ServerSideApply = operatorNamespace, kube.HookOnlyStrategy, "true"
		if _, err := u.Run(chart.Name, load(t, directory), values(t, crds+text)); err != nil {
			t.Fatal(err)
		}
	}
	key := func(namespace string) string {
		t.Helper()
		secret := get(t, secrets, namespace, install.SigningKeyName)
		if secret == nil {
			return ""
		}
		text, _, _ := unstructured.NestedString(secret.Object, "data", install.SigningKeyEntry)
		return text
	}
	upgrade(routers)
	own, tenants := key(operatorNamespace), key("team-a")
	if own == "" || tenants == "" || own == tenants {
		t.Errorf("the keys are %q and %q", own, tenants)
	}
	upgrade(routers + "replicaCount: 2")
	if key(operatorNamespace) != own || key("team-a") != tenants {
		t.Error("an upgrade replaced a key")
	}
	upgrade("")
	if key(operatorNamespace) != "" || get(t, deployments, operatorNamespace, apis.RouterDeployment) != nil {
		t.Error("without the value something of the router is left")
	}
	uninstallChart(t)
}
