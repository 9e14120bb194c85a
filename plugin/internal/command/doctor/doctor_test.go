// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"bytes"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
)

func class(name, isDefault string) runtime.Object {
	return &storagev1.StorageClass{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Annotations: map[string]string{"storageclass.kubernetes.io/is-default-class": isDefault},
		},
	}
}

func daemon(name string) runtime.Object {
	return &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: name}}
}

func TestChecksOfTheCluster(t *testing.T) {
	tests := map[string]struct {
		check   string
		version string
		objects []runtime.Object
		status  Status
		says    string
	}{
		"a cluster that is too old": {
			check: checkKubernetes, version: "v1.29.9", status: Failed, says: "v1.30.0 is needed",
		},
		"the oldest supported cluster": {check: checkKubernetes, version: "v1.30.0", status: OK},
		"a provider's own version":     {check: checkKubernetes, version: "v1.33.2-gke.100", status: OK},
		"an invalid version":           {check: checkKubernetes, version: "unknown", status: Unknown},
		"no StorageClass at all":       {check: checkStorage, status: Failed, says: "there is no StorageClass"},
		"no StorageClass is the default": {
			check: checkStorage, objects: []runtime.Object{class("a", "false")}, status: Failed, says: "is the default",
		},
		"one StorageClass is the default": {
			check: checkStorage, objects: []runtime.Object{class("a", "false"), class("b", "true")}, status: OK, says: "b",
		},
		"two StorageClasses are the default": {
			check: checkStorage, objects: []runtime.Object{class("a", "true"), class("b", "true")}, status: Warning,
			says: "a, b",
		},
		"a network plugin that enforces": {
			check: checkNetworkPolicy, objects: []runtime.Object{daemon("kube-proxy"), daemon("cilium")}, status: OK,
		},
		"a network plugin that does not enforce": {
			check: checkNetworkPolicy, objects: []runtime.Object{daemon("kube-flannel-ds")}, status: Warning,
		},
		"an enforcing plugin beside one that does not enforce": {
			check: checkNetworkPolicy, objects: []runtime.Object{daemon("kube-flannel-ds"), daemon("kube-network-policies")},
			status: OK,
		},
		"an unknown network plugin": {
			check: checkNetworkPolicy, objects: []runtime.Object{daemon("ours")}, status: Unknown,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c := &cluster{
				kubernetes: fake.NewClientset(test.objects...), version: &version.Info{GitVersion: test.version},
				program: "kubectl sandbox",
			}
			for _, check := range checks() {
				if check.name != test.check {
					continue
				}
				got := check.run(t.Context(), c)
				if len(got) != 1 || got[0].Status != test.status || !strings.Contains(got[0].Message, test.says) {
					t.Errorf("got %+v", got)
				}
				if (test.status == Failed || test.status == Warning) != (got[0].Cure != "") {
					t.Errorf("the cure is %q", got[0].Cure)
				}
			}
		})
	}
}

func TestTheReport(t *testing.T) {
	report := Report{Findings: []Finding{
		{Check: checkKubernetes, Status: OK, Message: "version v1.37.0"},
		{Check: checkStorage, Status: Failed, Message: "there is none", Cure: "make one"},
		{Check: checkStorage, Status: Failed, Message: "really", Cure: "make one"},
		{Check: checkOperator, Status: Failed, Message: "gone", Cure: "install"},
	}}
	err := report.failure()
	if err == nil || err.Error() != "failed: storage, operator" || cli.ExitCode(err) != cli.ExitFailed {
		t.Errorf("%v", err)
	}
	var out bytes.Buffer
	if err := report.print(&out, "", false); err != nil {
		t.Fatal(err)
	}
	want := "ok       kubernetes             version v1.37.0\n" +
		"failed   storage                there is none\n" +
		"                                -> make one\n"
	if !strings.HasPrefix(out.String(), want) {
		t.Errorf("got\n%s", out.String())
	}
	out.Reset()
	if err := report.print(&out, "", true); err != nil ||
		!strings.HasPrefix(out.String(), "\x1b[32mok      \x1b[m kubernetes") {
		t.Errorf("coloured: %q (%v)", out.String(), err)
	}
	if err := (Report{Findings: report.Findings[:1]}).failure(); err != nil {
		t.Error(err)
	}
}

func TestValidate(t *testing.T) {
	for name, o := range map[string]Options{
		"an unknown format": {Output: "wide"},
		"an unknown check":  {Skip: []string{"storage", "everything"}},
	} {
		if err := o.Validate(); cli.ExitCode(err) != cli.ExitUsage {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := (&Options{Output: "yaml", Skip: names()}).Validate(); err != nil {
		t.Error(err)
	}
}
