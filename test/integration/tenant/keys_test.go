// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tenant

import (
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

const (
	nameHash     = "agents.x-k8s.io/sandbox-name-hash"
	sandboxUID   = "agents.x-k8s.io/sandbox-uid"
	claimUID     = "agents.x-k8s.io/claim-uid"
	templateHash = "agents.x-k8s.io/sandbox-template-ref-hash"
	poolHash     = "agents.x-k8s.io/warm-pool-sandbox"
	sandboxName  = "agents.x-k8s.io/sandbox-name"
	appArmor     = "container.apparmor.security.beta.kubernetes.io/main"
)

var keys = map[string]attempt{
	"get the traffic of another Sandbox: a podTemplate has the labels that its Service selects": {
		try: func(w *tenancy) outcome {
			w.given(builders.Sandbox("box", builders.WithService(true)))
			theirs := w.pod("box")
			w.creates(builders.Sandbox("mine", builders.WithPodLabel(nameHash, theirs.Labels[nameHash]),
				builders.WithPodLabel(sandboxUID, theirs.Labels[sandboxUID])))
			mine := w.pod("mine")
			if mine.Labels[nameHash] == theirs.Labels[nameHash] || mine.Labels[sandboxUID] == theirs.Labels[sandboxUID] {
				return outcome{nobody, fmt.Sprintf("labels are %v", mine.Labels)}
			}
			return w.eventSays(apis.ReasonMetadataDropped)
		},
		want: outcome{inEvent(apis.ReasonMetadataDropped), "agents.x-k8s.io/sandbox-name-hash"},
	},
	"pass as a router: a podTemplate has the label `app=sandbox-router`": {
		try: func(w *tenancy) outcome {
			w.creates(builders.Sandbox("mine", builders.WithPodLabel("app", "sandbox-router")))
			if err := checkPodLabel(w.pod("mine"), "app", ""); err != nil {
				return outcome{nobody, err.Error()}
			}
			return w.eventSays(apis.ReasonMetadataDropped)
		},
		want: outcome{inEvent(apis.ReasonMetadataDropped), "app"},
	},
	"add reserved labels to the podTemplate of a running Sandbox": {
		try: func(w *tenancy) outcome {
			w.creates(builders.Sandbox("mine"))
			w.pod("mine")
			edits(w, "mine", &agentsv1beta1.Sandbox{}, func(s *agentsv1beta1.Sandbox) {
				s.Spec.PodTemplate.ObjectMeta.Labels = map[string]string{
					sandboxUID: "theirs", "app": "sandbox-router", "team": "a",
				}
			})
			w.eventually("the other label", func() error { return checkPodLabel(w.pod("mine"), "team", "a") })
			mine := w.pod("mine")
			if mine.Labels[sandboxUID] == "theirs" || mine.Labels["app"] != "" {
				return outcome{nobody, fmt.Sprintf("labels are %v", mine.Labels)}
			}
			return w.eventSays(apis.ReasonMetadataDropped)
		},
		want: outcome{inEvent(apis.ReasonMetadataDropped), "agents.x-k8s.io/sandbox-uid"},
	},
	"get the labels of a claim, a template and a pool for the Pod of a Sandbox that has no owner": {
		try: func(w *tenancy) outcome {
			w.creates(builders.Sandbox("mine", builders.WithLabel(claimUID, "theirs"),
				builders.WithLabel(templateHash, naming.Hash("web")), builders.WithLabel(poolHash, naming.Hash("web"))))
			pod := w.pod("mine")
			if err := errors.Join(checkPodLabel(pod, claimUID, ""), checkPodLabel(pod, templateHash, ""),
				checkPodLabel(pod, poolHash, "")); err != nil {
				return outcome{nobody, err.Error()}
			}
			return outcome{byOperator, "labels only Pods of claims and pools"}
		},
		want: outcome{byOperator, "labels only Pods of claims and pools"},
	},
	"leave the NetworkPolicy of a template: edit label and annotation of a claimed Sandbox": {
		try: func(w *tenancy) outcome {
			w.given(builders.Template("web"), builders.Claim("box", "web"))
			sandbox := w.claimed("box").Name
			w.pod(sandbox)
			edits(w, sandbox, &agentsv1beta1.Sandbox{}, func(s *agentsv1beta1.Sandbox) {
				s.Labels[templateHash], s.Annotations["agents.x-k8s.io/sandbox-template-ref"] = naming.Hash("none"), "none"
			})
			return w.becomes("restores them, and leaves the label on the Pod meanwhile", func() error {
				if err := checkPodLabel(w.pod(sandbox), templateHash, naming.Hash("web")); err != nil {
					w.Error(err) // at no time
				}
				var s agentsv1beta1.Sandbox
				if err := w.get(sandbox, &s); err != nil || s.Labels[templateHash] != naming.Hash("web") {
					return fmt.Errorf("labels are %v, %w", s.Labels, err)
				}
				return nil
			})
		},
		want: outcome{byOperator, "restores them, and leaves the label on the Pod meanwhile"},
	},
	"pass off its Sandbox as that of another claim: edit the label with the claim's UID": {
		try: func(w *tenancy) outcome {
			w.given(builders.Template("web"), builders.Claim("box", "web"))
			w.creates(builders.Claim("mine", "web"))
			theirs, mine := w.claimed("box"), w.claimed("mine")
			edits(w, mine.Name, &agentsv1beta1.Sandbox{}, func(s *agentsv1beta1.Sandbox) {
				s.Labels[claimUID] = theirs.Labels[claimUID]
			})
			return w.becomes("restores it: the owner counts", func() error {
				var s agentsv1beta1.Sandbox
				if err := w.get(mine.Name, &s); err != nil || s.Labels[claimUID] != mine.Labels[claimUID] {
					return fmt.Errorf("labels are %v, %w", s.Labels, err)
				}
				return nil
			})
		},
		want: outcome{byOperator, "restores it: the owner counts"},
	},
	"take a member out of its pool and of its policy: remove its labels": {
		try: func(w *tenancy) outcome {
			w.given(builders.Template("web"), builders.Pool("web", "web"))
			member := w.member("web").DeepCopy()
			w.pod(member.Name)
			edits(w, member.Name, &agentsv1beta1.Sandbox{}, func(s *agentsv1beta1.Sandbox) { s.Labels = nil })
			return w.becomes("restores them: the owner counts", func() error {
				var s agentsv1beta1.Sandbox
				if err := w.get(member.Name, &s); err != nil || s.Labels[poolHash] != member.Labels[poolHash] ||
					s.Labels[templateHash] != member.Labels[templateHash] {
					return fmt.Errorf("labels are %v, %w", s.Labels, err)
				}
				return checkPodLabel(w.pod(member.Name), templateHash, member.Labels[templateHash])
			})
		},
		want: outcome{byOperator, "restores them: the owner counts"},
	},
	"give a volume the labels of another claim's retained volume: the metadata of a volumeClaimTemplate has them": {
		try: func(w *tenancy) outcome {
			mine := builders.Sandbox("mine", builders.WithVolume("data", "1Gi"))
			mine.Spec.VolumeClaimTemplates[0].Labels = map[string]string{claimUID: "theirs", sandboxUID: "theirs"}
			mine.Spec.VolumeClaimTemplates[0].Annotations = map[string]string{sandboxName: "theirs"}
			w.creates(mine)
			var volume corev1.PersistentVolumeClaim
			w.eventually("the volume", func() error { return w.get("data-mine", &volume) })
			if volume.Labels[claimUID] != "" || volume.Labels[sandboxUID] != "" || volume.Annotations[sandboxName] != "mine" {
				return outcome{nobody, fmt.Sprintf("%+v", volume.ObjectMeta)}
			}
			return outcome{byOperator, "ignores them"}
		},
		want: outcome{byOperator, "ignores them"},
	},
	"hand on reserved labels through the metadata of a template": {
		try: func(w *tenancy) outcome {
			w.creates(builders.Template("web", builders.WithLabel(poolHash, "theirs"), builders.WithLabel("team", "a")),
				builders.Claim("box", "web"))
			if s := w.claimed("box"); s.Labels[poolHash] != "" || s.Labels["team"] != "a" {
				return outcome{nobody, fmt.Sprintf("labels are %v", s.Labels)}
			}
			return outcome{byOperator, "does not copy them"}
		},
		want: outcome{byOperator, "does not copy them"},
	},
	"get the Sandbox of another claim: label and annotation of a new claim name it": {
		try: func(w *tenancy) outcome {
			w.given(builders.Template("web"), builders.Claim("box", "web"))
			theirs := w.claimed("box")
			w.creates(builders.Claim("mine", "web", builders.WithLabel(sandboxName, theirs.Name),
				builders.WithAnnotation(sandboxName, theirs.Name)))
			if w.claimed("mine").UID == theirs.UID || controllerOf(w.claimed("box")) != "SandboxClaim box" {
				return outcome{nobody, "it has the other claim's"}
			}
			return outcome{byOperator, "gives the claim a Sandbox of its own"}
		},
		want: outcome{byOperator, "gives the claim a Sandbox of its own"},
	},
	"get the Sandbox of another claim: patch label and annotation of its own claim later": {
		try: func(w *tenancy) outcome {
			w.given(builders.Template("web"), builders.Claim("box", "web"))
			w.creates(builders.Claim("mine", "web"))
			theirs, mine := w.claimed("box"), w.claimed("mine")
			edits(w, "mine", &extensionsv1beta1.SandboxClaim{}, func(c *extensionsv1beta1.SandboxClaim) {
				c.Labels = map[string]string{sandboxName: theirs.Name}
				c.Annotations = map[string]string{sandboxName: theirs.Name}
			})
			said := w.becomes("corrects them: the status counts", func() error {
				if now := w.claim("mine"); now.Annotations[sandboxName] != mine.Name || now.Labels[sandboxName] != mine.Name {
					return fmt.Errorf("%+v", now.ObjectMeta)
				}
				return nil
			})
			if w.claimed("mine").UID != mine.UID || w.claimed("box").UID != theirs.UID {
				return outcome{nobody, "the claims have other Sandboxes"}
			}
			return said
		},
		want: outcome{byOperator, "corrects them: the status counts"},
	},
	"set a reserved label of the Pod with a claim": {
		try: func(w *tenancy) outcome {
			return w.claimWith(func(s *extensionsv1beta1.SandboxClaimSpec) {
				s.AdditionalPodMetadata.Labels = map[string]string{sandboxUID: "theirs"}
			})
		},
		want: outcome{inReady(apis.ReasonInvalidMetadata), "is in the reserved domain agents.x-k8s.io"},
	},
	"set a reserved annotation of the Pod with a claim": {
		try: func(w *tenancy) outcome {
			return w.claimWith(func(s *extensionsv1beta1.SandboxClaimSpec) {
				s.PodMetadata = &extensionsv1beta1.Metadata{
					Annotations: map[string]string{"agents.x-k8s.io/propagated-labels": "team"},
				}
			})
		},
		want: outcome{inReady(apis.ReasonInvalidMetadata), "is in the reserved domain agents.x-k8s.io"},
	},
	"set a reserved label of the Sandbox with a claim": {
		try: func(w *tenancy) outcome {
			return w.claimWith(func(s *extensionsv1beta1.SandboxClaimSpec) {
				s.SandboxMetadata = &extensionsv1beta1.Metadata{Labels: map[string]string{claimUID: "theirs"}}
			})
		},
		want: outcome{inReady(apis.ReasonInvalidMetadata), "is in the reserved domain agents.x-k8s.io"},
	},
	"set a key of Kubernetes with a claim, as the one that turns off AppArmor": {
		try: func(w *tenancy) outcome {
			return w.claimWith(func(s *extensionsv1beta1.SandboxClaimSpec) {
				s.PodMetadata = &extensionsv1beta1.Metadata{Annotations: map[string]string{appArmor: "unconfined"}}
			})
		},
		want: outcome{inReady(apis.ReasonInvalidMetadata), "is in the reserved domain kubernetes.io"},
	},
	"pass as a router with a claim": {
		try: func(w *tenancy) outcome {
			return w.claimWith(func(s *extensionsv1beta1.SandboxClaimSpec) {
				s.PodMetadata = &extensionsv1beta1.Metadata{Labels: map[string]string{"app": "sandbox-router"}}
			})
		},
		want: outcome{inReady(apis.ReasonInvalidMetadata), "identifies the router"},
	},
	"pass as a router with a claim that is patched later": {
		try: func(w *tenancy) outcome {
			w.given(builders.Template("web"))
			w.creates(builders.Claim("box", "web"))
			sandbox := w.claimed("box").Name
			w.pod(sandbox)
			edits(w, "box", &extensionsv1beta1.SandboxClaim{}, func(c *extensionsv1beta1.SandboxClaim) {
				c.Spec.PodMetadata = &extensionsv1beta1.Metadata{Labels: map[string]string{"app": "sandbox-router"}}
			})
			said := w.claimSays("box")
			if err := checkPodLabel(w.pod(sandbox), "app", ""); err != nil {
				return outcome{nobody, err.Error()}
			}
			return said
		},
		want: outcome{inReady(apis.ReasonInvalidMetadata), "identifies the router"},
	},
}

// claimWith makes the tenant create a claim of a template that permits nothing, and returns what the claim says. No Pod
// may come of it.
func (w *tenancy) claimWith(change func(*extensionsv1beta1.SandboxClaimSpec)) outcome {
	w.Helper()
	w.protected(builders.Template("web"))
	w.creates(builders.Claim("box", "web", builders.WithClaimSpec(change)))
	defer w.checkNone("box", &agentsv1beta1.Sandbox{})
	return w.claimSays("box")
}
