// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tenant

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

// Two names with the same hash.
const (
	theirs = "costarring"
	alike  = "liquid"
)

var names = map[string]attempt{
	"get a Pod of others: a Sandbox has its name": {
		try: func(w *tenancy) outcome {
			w.protected(builders.Pod("box"))
			w.creates(builders.Sandbox("box"))
			return w.sandboxSays("box")
		},
		want: outcome{inReady(apis.ReasonReconcilerError), `Pod "box" exists and does not belong to this Sandbox`},
	},
	"get a Pod of a ReplicaSet: a Sandbox has its name": {
		try: func(w *tenancy) outcome {
			w.protected(builders.Pod("box", builders.OwnedByStranger()))
			w.creates(builders.Sandbox("box"))
			return w.sandboxSays("box")
		},
		want: outcome{inReady(apis.ReasonReconcilerError), `Pod "box" is controlled by ReplicaSet "stranger"`},
	},
	"get a Pod of others: the annotation pod-name of a Sandbox names it": {
		try: func(w *tenancy) outcome {
			w.protected(builders.Pod("box"))
			w.creates(builders.Sandbox("mine", builders.WithAnnotation("agents.x-k8s.io/pod-name", "box")))
			w.pod("mine")
			return w.becomes("makes a Pod of its own, and corrects the annotation", func() error {
				var s agentsv1beta1.Sandbox
				if err := w.get("mine", &s); err != nil || s.Annotations["agents.x-k8s.io/pod-name"] != "mine" {
					return fmt.Errorf("annotations are %v, %w", s.Annotations, err)
				}
				return nil
			})
		},
		want: outcome{byOperator, "makes a Pod of its own, and corrects the annotation"},
	},
	"get the traffic of a Service of others: a Sandbox has its name": {
		try: func(w *tenancy) outcome {
			w.protected(builders.Service("box", builders.Selecting("app", "shop")))
			w.creates(builders.Sandbox("box", builders.WithService(true)))
			return w.sandboxSays("box")
		},
		want: outcome{inReady(apis.ReasonReconcilerError), `Service "box" exists and does not belong to this Sandbox`},
	},
	"get a Pod of others: the annotation pod-name of a running Sandbox is changed to name it": {
		try: func(w *tenancy) outcome {
			w.protected(builders.Pod("box"))
			w.creates(builders.Sandbox("mine"))
			w.pod("mine")
			edits(w, "mine", &agentsv1beta1.Sandbox{}, func(s *agentsv1beta1.Sandbox) {
				metav1.SetMetaDataAnnotation(&s.ObjectMeta, "agents.x-k8s.io/pod-name", "box")
			})
			return w.becomes("keeps its own Pod, and corrects the annotation", func() error {
				var s agentsv1beta1.Sandbox
				if err := w.get("mine", &s); err != nil || s.Annotations["agents.x-k8s.io/pod-name"] != "mine" {
					return fmt.Errorf("annotations are %v, %w", s.Annotations, err)
				}
				return nil
			})
		},
		want: outcome{byOperator, "keeps its own Pod, and corrects the annotation"},
	},
	"get the traffic of a Service that others create later: a Sandbox has its name first": {
		try: func(w *tenancy) outcome {
			w.creates(builders.Sandbox("shop", builders.WithService(true)))
			w.eventually("its Service", func() error { return w.get("shop", &corev1.Service{}) })
			return outcome{by: nobody}
		},
		want: outcome{nobody, "whoever may create Sandboxes may create headless Services of their names, " +
			"for their Pods alone. " +
			"The first one has the name"},
	},
	"get the volume of a StatefulSet: a volumeClaimTemplate and a Sandbox together have its name": {
		try: func(w *tenancy) outcome {
			w.protected(builders.PersistentVolumeClaim("data-web-0", "1Gi"))
			w.creates(builders.Sandbox("web-0", builders.WithVolume("data", "1Gi")))
			defer w.checkNone("web-0", &corev1.Pod{})
			return w.sandboxSays("web-0")
		},
		want: outcome{
			inReady(apis.ReasonReconcilerError), `PersistentVolumeClaim "data-web-0" exists and does not belong to this Sandbox`,
		},
	},
	"get the volume of another Sandbox: `a-b` and `c` give the same name as `a` and `b-c`": {
		try: func(w *tenancy) outcome {
			kept := builders.Sandbox("b-c", builders.WithVolume("a", "1Gi"))
			kept.Spec.PersistentVolumeClaimRetentionPolicy = retain()
			w.given(kept)
			w.eventually("the volume", func() error { return w.get("a-b-c", &corev1.PersistentVolumeClaim{}) })
			w.creates(builders.Sandbox("c", builders.WithVolume("a-b", "1Gi")))
			defer w.checkNone("c", &corev1.Pod{})
			return w.sandboxSays("c")
		},
		want: outcome{inReady(apis.ReasonReconcilerError), `PersistentVolumeClaim "a-b-c" exists and does not belong`},
	},
	"get the retained volume of a deleted Sandbox: a Sandbox has its name": {
		try: func(w *tenancy) outcome {
			kept := builders.Sandbox("box", builders.WithVolume("data", "1Gi"))
			kept.Spec.PersistentVolumeClaimRetentionPolicy = retain()
			w.given(kept)
			w.eventually("the volume", func() error { return w.get("data-box", &corev1.PersistentVolumeClaim{}) })
			w.delete(&agentsv1beta1.Sandbox{}, "box")
			w.deletePod("box")
			w.creates(builders.Sandbox("box", builders.WithVolume("data", "1Gi")))
			w.pod("box")
			return outcome{by: nobody}
		},
		want: outcome{nobody, "`whenDeleted: Retain` keeps a volume for the next Sandbox of the name, whoever creates it"},
	},
	"get a Sandbox of others: a claim has its name": {
		try: func(w *tenancy) outcome {
			w.given(builders.Sandbox("box"), builders.Template("web"))
			w.creates(builders.Claim("box", "web"))
			return w.claimSays("box")
		},
		want: outcome{inReady(apis.ReasonReconcilerError), `Sandbox "box" exists and does not belong to this claim`},
	},
	"replace a NetworkPolicy of others: it has the name of a template's policy": {
		try: func(w *tenancy) outcome {
			w.protected(networkPolicy("web-network-policy"))
			w.creates(builders.Template("web"))
			return w.eventSays(apis.ReasonNetworkPolicyRefused)
		},
		want: outcome{inEvent(apis.ReasonNetworkPolicyRefused), `NetworkPolicy "web-network-policy" does not belong to this`},
	},
	"delete a NetworkPolicy of others: the template of its name is Unmanaged": {
		try: func(w *tenancy) outcome {
			w.protected(networkPolicy("web-network-policy"))
			w.creates(builders.Template("web", unmanaged), builders.Claim("box", "web"))
			w.pod("box")
			return outcome{byOperator, "deletes only policies that it has created"}
		},
		want: outcome{byOperator, "deletes only policies that it has created"},
	},
	"open the network of another template's Sandboxes: the names of both templates have the same hash": {
		try: func(w *tenancy) outcome {
			w.given(builders.Template(theirs))
			w.eventually("their policy", func() error { return w.get(theirs+"-network-policy", &networkingv1.NetworkPolicy{}) })
			w.creates(builders.Template(alike, open))
			defer w.checkNone(alike+"-network-policy", &networkingv1.NetworkPolicy{})
			return w.eventSays(apis.ReasonNetworkPolicyRefused)
		},
		want: outcome{inEvent(apis.ReasonNetworkPolicyRefused), "selects the same Pods"},
	},
	"get the traffic of another Sandbox: the names of both have the same hash": {
		try: func(w *tenancy) outcome {
			w.given(builders.Sandbox(theirs, builders.WithService(true)))
			w.creates(builders.Sandbox(alike))
			mine, service := w.pod(alike), &corev1.Service{}
			w.eventually("their Service", func() error { return w.get(theirs, service) })
			if labels.SelectorFromSet(service.Spec.Selector).Matches(labels.Set(mine.Labels)) {
				return outcome{nobody, fmt.Sprintf("the Service selects the Pod: %v", service.Spec.Selector)}
			}
			return outcome{byOperator, "lets Services select by the UID of the Sandbox too"}
		},
		want: outcome{byOperator, "lets Services select by the UID of the Sandbox too"},
	},
	"get the members of another pool: the names of both have the same hash": {
		try: func(w *tenancy) outcome {
			w.given(builders.Template("web"), builders.Pool(theirs, "web"))
			member := w.member(theirs)
			w.creates(builders.Pool(alike, "web", builders.WithReplicas(0)), builders.Claim("box", "", builders.FromPool(alike)))
			if w.claimed("box").UID == member.UID || controllerOf(w.member(theirs)) != "SandboxWarmPool "+theirs {
				return outcome{nobody, "the claim has the other pool's member"}
			}
			return outcome{byOperator, "finds members by the UID of the pool"}
		},
		want: outcome{byOperator, "finds members by the UID of the pool"},
	},
}

func retain() *agentsv1beta1.PersistentVolumeClaimRetentionPolicy {
	return &agentsv1beta1.PersistentVolumeClaimRetentionPolicy{
		WhenDeleted: agentsv1beta1.PersistentVolumeClaimRetentionPolicyRetain,
	}
}

var unmanaged = builders.WithTemplateSpec(func(s *extensionsv1beta1.SandboxTemplateSpec) {
	s.NetworkPolicyManagement = extensionsv1beta1.NetworkPolicyManagementUnmanaged
})

// open permits all traffic.
var open = builders.WithTemplateSpec(func(s *extensionsv1beta1.SandboxTemplateSpec) {
	s.NetworkPolicy = &extensionsv1beta1.NetworkPolicySpec{
		Ingress: []networkingv1.NetworkPolicyIngressRule{{}}, Egress: []networkingv1.NetworkPolicyEgressRule{{}},
	}
})

// delete deletes an object of others.
func (w *tenancy) delete(object client.Object, name string) {
	w.Helper()
	object.SetName(name)
	if err := w.admin.Delete(w.Context(), w.in(object)); err != nil {
		w.Fatal(err)
	}
}

// deletePod deletes the Pod of a deleted Sandbox, as the garbage collector does.
func (w *tenancy) deletePod(name string) {
	w.Helper()
	pod := w.pod(name)
	if err := w.admin.Delete(w.Context(), pod, client.GracePeriodSeconds(0)); err != nil {
		w.Fatal(err)
	}
}
