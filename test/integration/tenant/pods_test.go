// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tenant

import (
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

const restricted = `violates PodSecurity "restricted:latest"`

var pods = map[string]attempt{
	"run a privileged container in a Sandbox, in a namespace that enforces the level restricted": {
		try: func(w *tenancy) outcome {
			w.enforceRestricted()
			w.creates(builders.Sandbox("box", hardened, privileged))
			defer w.checkNone("box", &corev1.Pod{})
			return w.sandboxSays("box")
		},
		want: outcome{byPodSecurity, restricted + ": privileged"},
	},
	"mount files of the node through a template and a claim, in a namespace that enforces the level restricted": {
		try: func(w *tenancy) outcome {
			w.enforceRestricted()
			w.creates(builders.Template("web", hardened, hostPath), builders.Claim("box", "web"))
			defer w.checkNone("box", &corev1.Pod{})
			return w.claimSays("box")
		},
		want: outcome{byPodSecurity, restricted},
	},
	"use the node's network and processes in the members of a pool, in a namespace that enforces the level restricted": {
		try: func(w *tenancy) outcome {
			w.enforceRestricted()
			w.creates(builders.Template("web", hardened, hostNamespaces), builders.Pool("web", "web"))
			return w.sandboxSays(w.member("web").Name)
		},
		want: outcome{byPodSecurity, restricted + ": host namespaces"},
	},
	"turn off AppArmor by an annotation of the Pod, in a namespace that enforces the level restricted": {
		try: func(w *tenancy) outcome {
			w.enforceRestricted()
			w.creates(builders.Sandbox("box", hardened,
				builders.WithPodAnnotation("container.apparmor.security.beta.kubernetes.io/main", "unconfined")))
			defer w.checkNone("box", &corev1.Pod{})
			return w.sandboxSays("box")
		},
		want: outcome{byPodSecurity, restricted},
	},
	"make a Sandbox privileged after its Pod was admitted, and restart it": {
		try: func(w *tenancy) outcome {
			w.enforceRestricted()
			w.creates(builders.Sandbox("box", hardened))
			w.pod("box")
			edits(w, "box", &agentsv1beta1.Sandbox{}, func(s *agentsv1beta1.Sandbox) {
				s.Spec.Replicas = new(int32(0))
				privileged(&s.Spec.PodTemplate, nil, nil)
			})
			w.eventually("the Pod gone", func() error { return w.isGone("box", &corev1.Pod{}) })
			edits(w, "box", &agentsv1beta1.Sandbox{}, func(s *agentsv1beta1.Sandbox) { s.Spec.Replicas = new(int32(1)) })
			defer w.checkNone("box", &corev1.Pod{})
			return w.sandboxSays("box")
		},
		want: outcome{byPodSecurity, restricted + ": privileged"},
	},
	"start an ephemeral container with the Pod": {
		try: func(w *tenancy) outcome {
			w.creates(builders.Sandbox("box", builders.WithPodSpec(func(s *corev1.PodSpec) {
				s.EphemeralContainers = []corev1.EphemeralContainer{{
					EphemeralContainerCommon: corev1.EphemeralContainerCommon{Name: "debug", Image: builders.Image},
				}}
			})))
			defer w.checkNone("box", &corev1.Pod{})
			return w.sandboxSays("box")
		},
		want: outcome{byServer, "spec.ephemeralContainers: Forbidden"},
	},
	"run more Pods than the quota of the namespace permits": {
		try: func(w *tenancy) outcome {
			w.limit("pods", builders.Pod("probe"))
			w.creates(builders.Sandbox("box"))
			defer w.checkNone("box", &corev1.Pod{})
			return w.sandboxSays("box")
		},
		want: outcome{byQuota, "exceeded quota"},
	},
	"run a privileged container with files of the node where nothing forbids it": {
		try: func(w *tenancy) outcome {
			w.creates(builders.Sandbox("box", hardened, privileged, hostPath))
			w.pod("box")
			return outcome{by: nobody}
		},
		want: outcome{nobody, "whoever may create Sandboxes, templates or pools may run every Pod that admission lets into " +
			"the namespace, as with the permission to create Pods: let the namespace enforce a level of Pod Security"},
	},
	"use a ServiceAccount, a Secret or a volume of the namespace": {
		try: func(w *tenancy) outcome {
			w.creates(builders.Sandbox("box", builders.WithPodSpec(func(s *corev1.PodSpec) {
				s.ServiceAccountName, s.AutomountServiceAccountToken = "deployer", new(true)
				s.Volumes = []corev1.Volume{
					{Name: "keys", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "keys"}}},
					{Name: "data", VolumeSource: corev1.VolumeSource{
						PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "data-web-0"},
					}},
				}
			})))
			w.pod("box")
			return outcome{by: nobody}
		},
		want: outcome{nobody, "as with the permission to create Pods. Whoever may only create claims cannot choose them"},
	},
}

// hardened makes a Pod fit the level restricted.
var hardened = builders.WithPodSpec(func(s *corev1.PodSpec) {
	s.SecurityContext = &corev1.PodSecurityContext{
		RunAsNonRoot: new(true), SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
	}
	s.Containers[0].SecurityContext = &corev1.SecurityContext{
		Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}}, AllowPrivilegeEscalation: new(false),
	}
})

var privileged = builders.WithPodSpec(func(s *corev1.PodSpec) {
	s.Containers[0].SecurityContext.Privileged, s.Containers[0].SecurityContext.AllowPrivilegeEscalation = new(true), nil
})

var hostPath = builders.WithPodSpec(func(s *corev1.PodSpec) {
	s.Volumes = append(s.Volumes, corev1.Volume{Name: "node", VolumeSource: corev1.VolumeSource{
		HostPath: &corev1.HostPathVolumeSource{Path: "/"},
	}})
})

var hostNamespaces = builders.WithPodSpec(func(s *corev1.PodSpec) {
	s.HostNetwork, s.HostPID, s.HostIPC = true, true, true
})

// enforceRestricted makes the namespace admit only Pods of the level restricted.
func (w *tenancy) enforceRestricted() {
	w.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.namespace}}
	patch := client.RawPatch("application/merge-patch+json",
		[]byte(`{"metadata":{"labels":{"pod-security.kubernetes.io/enforce":"restricted"}}}`))
	if err := w.admin.Patch(w.Context(), namespace, patch); err != nil {
		w.Fatal(err)
	}
	loose := builders.Pod("loose")
	w.eventually("the level is enforced", func() error {
		if w.admin.Create(w.Context(), w.in(loose.DeepCopy()), client.DryRunAll) == nil {
			return errors.New("a Pod of another level is admitted")
		}
		return nil
	})
}

// limit sets a quota of none, and waits until one is refused. There is no controller that computes its status.
func (w *tenancy) limit(what corev1.ResourceName, one client.Object) {
	w.Helper()
	none := corev1.ResourceList{what: resource.MustParse("0")}
	quota := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: "quota"}}
	quota.Spec.Hard = none
	w.given(quota)
	quota.Status.Hard, quota.Status.Used = none, none
	if err := w.admin.Status().Update(w.Context(), quota); err != nil {
		w.Fatal(err)
	}
	w.eventually("the quota is enforced", func() error {
		refused := one.DeepCopyObject().(client.Object)
		err := w.admin.Create(w.Context(), w.in(refused), client.DryRunAll)
		if err == nil || !strings.Contains(err.Error(), "exceeded quota") {
			return fmt.Errorf("it is not: %w", err)
		}
		return nil
	})
}

// member waits for a member of a pool.
func (w *tenancy) member(pool string) *agentsv1beta1.Sandbox {
	w.Helper()
	var member *agentsv1beta1.Sandbox
	w.eventually("a member of pool "+pool, func() error {
		var all agentsv1beta1.SandboxList
		if err := w.admin.List(w.Context(), &all, client.InNamespace(w.namespace)); err != nil {
			return err
		}
		for i := range all.Items {
			if controllerOf(&all.Items[i]) == "SandboxWarmPool "+pool {
				member = &all.Items[i]
				return nil
			}
		}
		return errors.New("there is none")
	})
	return member
}
