// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package installer

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

func object(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	o := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &o.Object); err != nil {
		t.Fatal(err)
	}
	return o
}

// manifest is what we would apply. The second form is what is there: %s is who set what.
const manifest = `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: agent-sandbox-controller
  labels: {app.kubernetes.io/version: v2}
spec:
  replicas: 1
  template:
    spec:
      nodeSelector: {kubernetes.io/os: linux}
      containers:
      - name: agent-sandbox-controller
        image: ours
        args: [--leader-elect=true]
        resources: {limits: {memory: 1Gi}, requests: {cpu: 50m}}
`

const there = `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: agent-sandbox-controller
  labels: {app.kubernetes.io/version: v1}
  managedFields:
  - manager: INSTALLER
    operation: Apply
    apiVersion: apps/v1
    fieldsType: FieldsV1
    fieldsV1: {"f:metadata": {"f:labels": {"f:app.kubernetes.io/version": {}}}, "f:spec": {"f:template": {"f:spec": {"f:nodeSelector": {}}}}}
  - manager: kubectl-edit
    operation: Update
    apiVersion: apps/v1
    fieldsType: FieldsV1
    fieldsV1: {"f:spec": {"f:replicas": {}, "f:template": {"f:spec": {"f:nodeSelector": {}, "f:containers": {'k:{"name":"agent-sandbox-controller"}': {".": {}, "f:name": {}, "f:image": {}, "f:args": {}, "f:resources": {"f:limits": {"f:memory": {}}, "f:requests": {"f:cpu": {}}}}, 'k:{"name":"sidecar"}': {".": {}, "f:name": {}, "f:image": {}}}}}}}
  - manager: kube-controller-manager
    operation: Update
    subresource: status
    apiVersion: apps/v1
    fieldsType: FieldsV1
    fieldsV1: {"f:spec": {"f:template": {"f:spec": {"f:containers": {'k:{"name":"agent-sandbox-controller"}': {"f:image": {}}}}}}}
spec:
  replicas: 2
  template:
    spec:
      nodeSelector: {disk: ssd}
      containers:
      - name: agent-sandbox-controller
        image: theirs
        args: [--leader-elect=true, --v=9]
        resources: {limits: {memory: 4Gi}, requests: {cpu: 50m}}
      - {name: sidecar, image: sidecar}
`

func TestWhatSomebodyElseSetIsLeftOutOfWhatIsApplied(t *testing.T) {
	for _, installer := range []string{"kubectl-sandbox", "kubectl"} {
		want := object(t, manifest)
		got, err := dropForeignFields(want, object(t, strings.ReplaceAll(there, "INSTALLER", installer)))
		if err != nil {
			t.Fatal(err)
		}
		const container = `.spec.template.spec.containers[name="agent-sandbox-controller"]`
		kepts := []keptField{
			{container + ".resources.limits.memory", "kubectl-edit"}, {".spec.template.spec.nodeSelector", "kubectl-edit"},
		}
		if diff := cmp.Diff(kepts, got, cmp.AllowUnexported(keptField{})); diff != "" {
			t.Errorf("installed by %s: %s", installer, diff)
		}
		left := object(t, `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: agent-sandbox-controller
  labels: {app.kubernetes.io/version: v2}
spec:
  replicas: 1
  template:
    spec:
      containers:
      - name: agent-sandbox-controller
        image: ours
        args: [--leader-elect=true]
        resources: {limits: {}, requests: {}}
`)
		if diff := cmp.Diff(left.Object, want.Object); diff != "" {
			t.Errorf("installed by %s: what is applied: %s", installer, diff)
		}
	}
}

func TestVariablesStayWithWhoSetThem(t *testing.T) {
	const text = `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: agent-sandbox-controller
  managedFields:
  - manager: kubectl-sandbox
    operation: Apply
    apiVersion: apps/v1
    fieldsType: FieldsV1
    fieldsV1: {"f:spec": {"f:template": {"f:spec": {"f:containers": {'k:{"name":"agent-sandbox-controller"}': {"f:env": {'k:{"name":"OURS"}': {".": {}, "f:name": {}, "f:value": {}}, 'k:{"name":"POD_NAMESPACE"}': {".": {}, "f:name": {}}, 'k:{"name":"THEIRS_NOW"}': {".": {}, "f:name": {}}}}}}}}}
  - manager: kubectl-set
    operation: Update
    apiVersion: apps/v1
    fieldsType: FieldsV1
    fieldsV1: {"f:spec": {"f:template": {"f:spec": {"f:containers": {'k:{"name":"agent-sandbox-controller"}': {"f:env": {'k:{"name":"POD_NAMESPACE"}': {"f:value": {}}, 'k:{"name":"THEIRS"}': {".": {}, "f:name": {}, "f:value": {}}, 'k:{"name":"THEIRS_NOW"}': {"f:value": {}}, 'k:{"name":"SECRET"}': {".": {}, "f:name": {}, "f:valueFrom": {"f:secretKeyRef": {}}}}}}}}}}
spec:
  template:
    spec:
      containers:
      - name: agent-sandbox-controller
        env:
        - {name: POD_NAMESPACE, value: theirs}
        - {name: OURS, value: ""}
        - {name: THEIRS, value: a}
        - {name: THEIRS_NOW, value: b}
        - {name: SECRET, valueFrom: {secretKeyRef: {name: a, key: b}}}
`
	var d appsv1.Deployment
	if err := yaml.Unmarshal([]byte(text), &d); err != nil {
		t.Fatal(err)
	}
	got, err := ownVariables(&d, "agent-sandbox-controller", d.Spec.Template.Spec.Containers[0].Env)
	if err != nil || len(got) != 1 || got[0].Name != "OURS" {
		t.Errorf("ours are %v, %v", got, err)
	}
	// The user asks for THEIRS.
	want := object(t, strings.NewReplacer("value: a}", "value: new}", "value: theirs}", "value: ours}").Replace(text))
	kept, err := dropForeignFields(want, object(t, text))
	if err != nil || len(kept) != 1 || !strings.Contains(kept[0].path, "POD_NAMESPACE") {
		t.Errorf("%v, %v", kept, err)
	}
	containers, _, _ := unstructured.NestedSlice(want.Object, "spec", "template", "spec", "containers")
	if text := fmt.Sprint(containers); !strings.Contains(text, "name:THEIRS value:new") || strings.Contains(text, "ours") {
		t.Errorf("what is applied: %s", text)
	}
}

func TestWhatNobodyInstalledIsTakenOverWhole(t *testing.T) {
	have := object(t, strings.ReplaceAll(there, `"f:app.kubernetes.io/version"`, `"f:mine"`))
	fields := have.GetManagedFields()
	fields[0].Manager = "kubectl-create"
	have.SetManagedFields(fields)
	want := object(t, manifest)
	got, err := dropForeignFields(want, have)
	if diff := cmp.Diff(object(t, manifest).Object, want.Object); err != nil || len(got) > 0 || diff != "" {
		t.Errorf("%v, %v, %s", got, err, diff)
	}
}

func TestPermissionsAndDefinitionsAreAlwaysThoseOfTheVersion(t *testing.T) {
	text := strings.NewReplacer("apps/v1", "rbac.authorization.k8s.io/v1", "Deployment", "ClusterRole")
	want := object(t, text.Replace(manifest))
	got, err := dropForeignFields(want, object(t, strings.ReplaceAll(text.Replace(there), "INSTALLER", "kubectl-sandbox")))
	if diff := cmp.Diff(object(t, text.Replace(manifest)).Object, want.Object); err != nil || len(got) > 0 || diff != "" {
		t.Errorf("%v, %v, %s", got, err, diff)
	}
}

func TestAnOutcomeIsWhatDiffersAndNotAResourceVersion(t *testing.T) {
	have, is := object(t, manifest), object(t, manifest)
	have.SetResourceVersion("1")
	is.SetResourceVersion("2")
	if got := outcome(step{want: is, have: have}, is); got != "unchanged" {
		t.Errorf("the same is %s", got)
	}
	have.SetResourceVersion("2")
	have.SetLabels(map[string]string{"a": "b"})
	if got := outcome(step{want: is, have: have}, is); got != "configured" {
		t.Errorf("a dry run that changes something is %s", got)
	}
}
