// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pool_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	clienttesting "k8s.io/client-go/testing"

	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakecluster"
)

func TestSetTemplateChangesThatPoolOnly(t *testing.T) {
	cluster := fakecluster.New(warm())
	if err := client(cluster).SetTemplate(t.Context(), warm(), "node", false); err != nil {
		t.Fatal(err)
	}
	got := string(cluster.Sandboxes.Actions()[0].(clienttesting.PatchActionImpl).Patch)
	if want := `{"metadata":{"uid":"p"},"spec":{"sandboxTemplateRef":{"name":"node"}}}`; got != want {
		t.Errorf("got %s", got)
	}
	p, err := client(cluster).Pool(t.Context(), builders.Namespace, "warm")
	if err != nil || p.Spec.TemplateRef.Name != "node" || *p.Spec.Replicas != 2 {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestOnlyWhatDiffersOfATemplateIsSent(t *testing.T) {
	read := builders.Template(
		"python", builders.WithUID("t"), builders.WithResourceVersion("7"), builders.WithLabel("team", "a"),
		builders.WithTemplateSpec(func(s *extensionsv1beta1.SandboxTemplateSpec) {
			s.EnvVarsInjectionPolicy, s.Service = extensionsv1beta1.EnvVarsInjectionPolicyAllowed, new(true)
		}),
	)
	const pinned = `"resourceVersion": "7", "uid": "t"`
	tests := map[string]struct {
		change func(*extensionsv1beta1.SandboxTemplate)
		patch  string
	}{
		"nothing": {change: func(*extensionsv1beta1.SandboxTemplate) {}, patch: `{"metadata": {` + pinned + `}}`},
		"a value": {
			change: func(d *extensionsv1beta1.SandboxTemplate) {
				d.Spec.EnvVarsInjectionPolicy = extensionsv1beta1.EnvVarsInjectionPolicyOverrides
			},
			patch: `{"metadata": {` + pinned + `}, "spec": {"envVarsInjectionPolicy": "Overrides"}}`,
		},
		"a field that is left out": {
			change: func(d *extensionsv1beta1.SandboxTemplate) { d.Spec.Service = nil },
			patch:  `{"metadata": {` + pinned + `}, "spec": {"service": null}}`,
		},
		"labels": {
			change: func(d *extensionsv1beta1.SandboxTemplate) { d.Labels = map[string]string{"stage": "test"} },
			patch:  `{"metadata": {"labels": {"stage": "test", "team": null}, ` + pinned + `}}`,
		},
		"no field that the API server sets": {
			change: func(d *extensionsv1beta1.SandboxTemplate) {
				d.UID, d.ResourceVersion, d.Generation, d.APIVersion = "", "", 0, "x/v1"
			},
			patch: `{"metadata": {` + pinned + `}}`,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			cluster := fakecluster.New(read)
			desired := read.DeepCopy()
			tt.change(desired)
			if _, err := client(cluster).UpdateTemplate(t.Context(), read, desired, true); err != nil {
				t.Fatal(err)
			}
			action := cluster.Sandboxes.Actions()[0].(clienttesting.PatchActionImpl)
			if len(action.PatchOptions.DryRun) != 1 || action.PatchOptions.FieldValidation != "Strict" {
				t.Errorf("options %+v", action.PatchOptions)
			}
			var got, want any
			if err := json.Unmarshal(action.Patch, &got); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal([]byte(tt.patch), &want); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
