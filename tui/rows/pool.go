// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package rows

import (
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/pool"
)

// Pool is the row of a pool.
type Pool struct {
	UID             types.UID
	Namespace, Name string
	Labels          map[string]string
	Template        string
	Created         time.Time
	// A number is pool.Unknown if it could not be read. Pending is the number of members that are not ready yet.
	Desired, Ready, Claimed, Pending, Stale int
	// Short is why fewer members than desired are ready, or empty.
	Short string
	// Broken says that the template has to be changed before members can start.
	Broken bool
	// Warm counts the existing claims of this pool that got a Ready member, Cold those that got anything else.
	Warm, Cold int
	// ReadyHistory has the latest numbers of ready members, ClaimHistory the number of claims in each of the latest
	// minutes.
	ReadyHistory, ClaimHistory []int

	path, search string
}

// FromPool returns the row of a pool. The histories may be empty.
func FromPool(s *pool.Summary, warm, cold int, ready, claims []int) *Pool {
	p := &Pool{
		UID: s.Pool.UID, Namespace: s.Pool.Namespace, Name: s.Pool.Name, Labels: s.Pool.Labels,
		Template: s.Pool.Spec.TemplateRef.Name, Created: s.Pool.CreationTimestamp.Time,
		Desired: s.Desired, Ready: s.Ready, Claimed: s.Claimed, Pending: max(0, len(s.Members)-s.Ready), Stale: s.Stale,
		Short: s.Shortage, Broken: s.Broken(), Warm: warm, Cold: cold, ReadyHistory: ready, ClaimHistory: claims,
	}
	if count, why, has := strings.Cut(s.Shortage, ": "); has {
		p.Short = count + ": " + shortReason(why)
	}
	p.path = p.Namespace + "/" + p.Name
	p.search = strings.ToLower(p.path + "\x00" + p.Template + "\x00" + p.Short)
	return p
}

// HitRatio returns the share of claims that were served warm, from 0 to 1. Known is false if there is no claim.
func (p *Pool) HitRatio() (ratio float64, known bool) {
	if p.Warm+p.Cold == 0 {
		return 0, false
	}
	return float64(p.Warm) / float64(p.Warm+p.Cold), true
}

// Template is the row of a template.
type Template struct {
	UID             types.UID
	Namespace, Name string
	Labels          map[string]string
	Created         time.Time
	// Images and Requests are those of a Sandbox of the template.
	Images, Requests string
	Volumes          int
	// Policy summarises what claims may add and which NetworkPolicy the operator writes.
	Policy string
	// Pools are the names of the pools that use the template; Claims is the number of its claims.
	Pools  []string
	Claims int
	// Fault is why members of its pools cannot start because of the template, or empty.
	Fault string

	path, search string
}

// FromTemplate returns the row of a template, with the pools and the number of claims that use it and its fault.
func FromTemplate(t *extensionsv1beta1.SandboxTemplate, pools []string, claims int, fault string) *Template {
	var images []string
	requests := corev1.ResourceList{}
	for i := range t.Spec.PodTemplate.Spec.Containers {
		c := &t.Spec.PodTemplate.Spec.Containers[i]
		images = append(images, c.Image)
		for name, quantity := range c.Resources.Requests {
			sum := requests[name]
			sum.Add(quantity)
			requests[name] = sum
		}
	}
	row := &Template{
		UID: t.UID, Namespace: t.Namespace, Name: t.Name, Labels: t.Labels, Created: t.CreationTimestamp.Time,
		Images: strings.Join(images, ","), Requests: quantities(requests), Volumes: len(t.Spec.VolumeClaimTemplates),
		Policy: policy(&t.Spec), Pools: pools, Claims: claims, Fault: fault,
	}
	row.path = row.Namespace + "/" + row.Name
	row.search = strings.ToLower(row.path + "\x00" + row.Images + "\x00" + strings.Join(pools, " ") + "\x00" + fault)
	return row
}

func quantities(requests corev1.ResourceList) string {
	var words []string
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		if quantity, has := requests[name]; has {
			words = append(words, string(name)+" "+quantity.String())
		}
	}
	return strings.Join(words, " ")
}

// policy describes the network policy, and the rules for claims that differ from the defaults.
func policy(spec *extensionsv1beta1.SandboxTemplateSpec) string {
	words := []string{"default network policy"}
	switch {
	case spec.NetworkPolicyManagement == extensionsv1beta1.NetworkPolicyManagementUnmanaged:
		words[0] = "no network policy"
	case spec.NetworkPolicy != nil:
		words[0] = "own network policy"
	}
	if p := spec.EnvVarsInjectionPolicy; p != "" && p != extensionsv1beta1.EnvVarsInjectionPolicyDisallowed {
		words = append(words, "env "+strings.ToLower(string(p)))
	}
	if p := spec.VolumeClaimTemplatesPolicy; p != "" && p != extensionsv1beta1.VolumeClaimTemplatesPolicyDisallowed {
		words = append(words, "volumes "+strings.ToLower(string(p)))
	}
	return strings.Join(words, ", ")
}
