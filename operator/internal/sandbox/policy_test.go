// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
)

// promise returns the claim "holder" with a status that names a Sandbox and its template.
func promise(claim, sandbox types.UID, template string) client.Object {
	c := &extensionsv1beta1.SandboxClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "holder", UID: claim}}
	c.Status.SandboxStatus = extensionsv1beta1.SandboxStatus{Name: "box", UID: sandbox, TemplateName: template}
	return c
}

// A NetworkPolicy selects the Pod by the label of the template.
func TestAPodStaysUnderTheNetworkPolicyOfItsTemplateWhicheverLabelIsEdited(t *testing.T) {
	right, edited := naming.Hash("python"), naming.Hash("none")
	tests := map[string]struct {
		claim        client.Object // nil: it cannot be read
		sandbox, pod string
		want         string
	}{
		"the label of the Sandbox": {promise("holder", testUID, "python"), edited, right, right},
		"the label of the Pod":     {promise("holder", testUID, "python"), right, edited, right},
		"both":                     {promise("holder", testUID, "python"), edited, naming.Hash("other"), right},
		"the label of the Sandbox, and nobody can say what is right": {nil, edited, right, right},
		"the label of the Sandbox, which the claim does not have": {
			promise("holder", "another", "none"), edited, right, right,
		},
		"the label of the Sandbox, and another claim has the name": {
			promise("another", testUID, "none"), edited, right, right,
		},
		"neither": {promise("holder", testUID, "none"), right, right, right},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := box(labelled(apis.LabelSandboxTemplateRefHash, tt.sandbox),
				controlledBy(apis.GroupExtensions, apis.KindSandboxClaim))
			pod := builtPod(s, ready)
			pod.Labels[apis.LabelSandboxTemplateRefHash] = tt.pod
			objects := []client.Object{s, pod}
			if tt.claim != nil {
				objects = append(objects, tt.claim)
			}
			w := newWorld(t, objects...)
			w.settle()
			var now corev1.Pod
			if err := w.store.Get(t.Context(), client.ObjectKeyFromObject(pod), &now); err != nil {
				t.Fatal(err)
			}
			if got := now.Labels[apis.LabelSandboxTemplateRefHash]; got != tt.want {
				t.Errorf("the Pod has the label %s, want %s", got, tt.want)
			}
			if got := w.sandbox().Labels[apis.LabelSandboxTemplateRefHash]; got != tt.sandbox {
				t.Errorf("the label of the Sandbox, which is the claim's to restore, is %s", got)
			}
		})
	}
}
