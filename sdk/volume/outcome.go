// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package volume

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
)

// Outcome says what happens to a volume when its Sandbox is deleted.
type Outcome struct {
	Name, Size string
	// Stays reports that it outlives the Sandbox.
	Stays bool
}

// String formats the volume for people: its name and, if known, its size.
func (f Outcome) String() string {
	if f.Size == "" {
		return f.Name
	}
	return f.Name + " (" + f.Size + ")"
}

// Outcomes returns what happens to the volumes of a claim and its Sandbox when they are deleted. Either may be nil. For
// a volume that is not in there, the Sandbox's spec decides.
func Outcomes(
	claim *extensionsv1beta1.SandboxClaim, sandbox *agentsv1beta1.Sandbox, there []corev1.PersistentVolumeClaim,
) []Outcome {
	var all []Outcome
	if sandbox == nil {
		for _, volume := range KeptFor(claim, there) {
			all = append(all, Outcome{Name: volume.Name, Size: Size(&volume), Stays: true})
		}
		return all
	}
	for i := range sandbox.Spec.VolumeClaimTemplates {
		template := &sandbox.Spec.VolumeClaimTemplates[i]
		fate := Outcome{Name: naming.PersistentVolumeClaim(template.Name, sandbox.Name), Stays: sandbox.Spec.RetainsVolumes()}
		if size, asked := template.Spec.Resources.Requests[corev1.ResourceStorage]; asked {
			fate.Size = size.String()
		}
		for j := range there {
			if there[j].Name == fate.Name && there[j].Namespace == sandbox.Namespace {
				fate.Size, fate.Stays = Size(&there[j]), !metav1.IsControlledBy(&there[j], sandbox)
			}
		}
		all = append(all, fate)
	}
	return all
}

// KeptFor returns the volumes that outlived the Sandbox of a claim: its next Sandbox gets them back.
func KeptFor(
	claim *extensionsv1beta1.SandboxClaim, there []corev1.PersistentVolumeClaim,
) (kept []corev1.PersistentVolumeClaim) {
	for i := range there {
		if claim != nil && there[i].Namespace == claim.Namespace && there[i].Labels[apis.LabelClaimUID] == string(claim.UID) {
			kept = append(kept, there[i])
		}
	}
	return kept
}

// Size returns the size of a volume or, before it is bound, its request.
func Size(volume *corev1.PersistentVolumeClaim) string {
	size, bound := volume.Status.Capacity[corev1.ResourceStorage]
	if !bound {
		size = volume.Spec.Resources.Requests[corev1.ResourceStorage]
	}
	if size.IsZero() {
		return ""
	}
	return size.String()
}

// maxNames is how many volumes a sentence names.
const maxNames = 20

// Names lists the volumes that stay, or those that are deleted, for people; empty if there are none.
func Names(fates []Outcome, stay bool) string {
	var names []string
	for _, fate := range fates {
		if fate.Stays == stay {
			names = append(names, fate.String())
		}
	}
	if more := len(names) - maxNames; more > 0 {
		names = append(names[:maxNames], fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}

// Count returns how many volumes stay, or how many are deleted.
func Count(fates []Outcome, stay bool) (n int) {
	for _, fate := range fates {
		if fate.Stays == stay {
			n++
		}
	}
	return n
}

// ShutdownText says what happens at the shutdown time of a claim, or else of a Sandbox.
func ShutdownText(
	claim *extensionsv1beta1.SandboxClaim, sandbox *agentsv1beta1.Sandbox, there []corev1.PersistentVolumeClaim,
) string {
	var text string
	switch {
	case claim != nil && (claim.Spec.Lifecycle == nil || claim.Spec.Lifecycle.ShutdownPolicy == "" ||
		claim.Spec.Lifecycle.ShutdownPolicy == extensionsv1beta1.ShutdownPolicyRetain):
		text = "the claim stays and its Sandbox is deleted"
	case claim != nil:
		text = "the claim is deleted with its Sandbox"
	case sandbox.Spec.ShutdownPolicy == nil || *sandbox.Spec.ShutdownPolicy == agentsv1beta1.ShutdownPolicyRetain:
		if len(sandbox.Spec.VolumeClaimTemplates) == 0 {
			return "its Pod is deleted; the Sandbox stays"
		}
		return "its Pod is deleted; the Sandbox stays, with its volumes"
	default:
		text = "the Sandbox is deleted"
	}
	fates := Outcomes(claim, sandbox, there)
	if going := Names(fates, false); going != "" {
		text += ", with " + noun(Count(fates, false)) + " " + going
	}
	if staying := Names(fates, true); staying != "" {
		text += "; " + noun(Count(fates, true)) + " " + staying + " " + stay(Count(fates, true))
	}
	return text
}

func noun(count int) string {
	if count == 1 {
		return "volume"
	}
	return "volumes"
}

func stay(count int) string {
	if count == 1 {
		return "stays"
	}
	return "stay"
}
