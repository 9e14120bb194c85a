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

// Pool is one pool.
type Pool struct {
	UID             types.UID
	Namespace, Name string
	Labels          map[string]string
	Template        string
	Created         time.Time
	// The numbers are pool.Unknown where they could not be read. Pending are the members that are not ready yet.
	Desired, Ready, Claimed, Pending, Stale int
	// Short is why fewer members than desired are ready, empty if that is not so.
	Short string
	// Broken says that what the pool is made from has to be changed.
	Broken bool
	// Warm and Cold count the claims that exist and asked for this pool, by how they were served: with a member that was Ready,
	// or in any other way.
	Warm, Cold int
	// ReadyHistory are the latest numbers of ready members, ClaimHistory the claims in each of the latest minutes.
	ReadyHistory, ClaimHistory []int

	path, search string
}

// OfPool makes the row of a pool. The history may be empty.
func OfPool(s *pool.Summary, warm, cold int, ready, claims []int) *Pool {
	p := &Pool{
		UID: s.Pool.UID, Namespace: s.Pool.Namespace, Name: s.Pool.Name, Labels: s.Pool.Labels,
		Template: s.Pool.Spec.TemplateRef.Name, Created: s.Pool.CreationTimestamp.Time,
		Desired: s.Desired, Ready: s.Ready, Claimed: s.Claimed, Pending: max(0, len(s.Members)-s.Ready), Stale: s.Stale,
		Short: s.Shortage, Broken: s.Broken(), Warm: warm, Cold: cold, ReadyHistory: ready, ClaimHistory: claims,
	}
	if count, why, has := strings.Cut(s.Shortage, ": "); has {
		p.Short = count + ": " + brief(why)
	}
	p.path = p.Namespace + "/" + p.Name
	p.search = strings.ToLower(p.path + "\x00" + p.Template + "\x00" + p.Short)
	return p
}

// HitRatio is the share of claims that were served warm, from 0 to 1. Known is false while there is none to judge by.
func (p *Pool) HitRatio() (ratio float64, known bool) {
	if p.Warm+p.Cold == 0 {
		return 0, false
	}
	return float64(p.Warm) / float64(p.Warm+p.Cold), true
}

// Template is one template.
type Template struct {
	UID             types.UID
	Namespace, Name string
	Labels          map[string]string
	Created         time.Time
	// Images and Requests are what a Sandbox of it gets.
	Images, Requests string
	Volumes          int
	// Policy says what claims may add and whether the operator writes a NetworkPolicy.
	Policy string
	// Pools are the names of the pools that use it; Claims counts the claims.
	Pools  []string
	Claims int
	// Fault is what members of a pool of it cannot start for, empty if it is not the template that has to be changed.
	Fault string

	path, search string
}

// OfTemplate makes the row of a template that the pools and so many claims use, and that has the fault.
func OfTemplate(t *extensionsv1beta1.SandboxTemplate, pools []string, claims int, fault string) *Template {
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

// policy is what differs from the defaults, in words.
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
