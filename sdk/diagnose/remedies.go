// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package diagnose

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
)

// templateRemedies returns what to do about a problem that comes back until the template is changed. It returns nil for
// other problems, and if no template is known.
func templateRemedies(snapshot *Snapshot, recreate Step, obstacleProblem problem) []Step {
	template := snapshot.template()
	if template == "" || snapshot.Sandbox == nil {
		return nil
	}
	var what string
	switch obstacleProblem {
	case badImage:
		what = "correct the image in template " + template + ", or let the node pull it (imagePullSecrets)"
	case unstartable:
		what = "correct the Secrets, ConfigMaps and the command that template " + template + " names"
	case rejectedPod:
		what = "correct what the message names in template " + template
	case unschedulable:
		what = "add a node that fits, or ask for less in template " + template
	default:
		return nil
	}
	steps := []Step{{Text: what + ": kubectl edit sandboxtemplate " + template}}
	recreate.Text = "once the template is correct, delete and recreate it"
	if pool := metav1.GetControllerOf(snapshot.Sandbox); pool != nil && pool.Kind == apis.KindSandboxWarmPool {
		recreate.Text = "once the template is correct, its pool replaces it within minutes; to have that at once, delete it"
	}
	switch {
	case snapshot.TemplateMissing:
		steps = []Step{createTemplate(template)}
	case snapshot.TemplateChanged:
		steps = nil
		recreate.Text = "template " + template + " was changed after it was made: delete and recreate it"
	}
	if steps = append(steps, recreate); obstacleProblem == unschedulable {
		steps = append(steps, Step{Text: "see what is free on the nodes", Command: "nodes"})
	}
	return steps
}

// createTemplate is the step for a template that does not exist.
func createTemplate(template string) Step {
	return Step{
		Text:    fmt.Sprintf("template %s does not exist: create it, with an image that can be pulled", template),
		Command: "template create " + template + " --image IMAGE",
	}
}

// claimRemedies are for problems that only claims have; it returns nil for others. Once a missing object is created,
// the operator continues by itself, so no step deletes the claim.
func claimRemedies(snapshot *Snapshot, recreate Step, obstacleProblem problem) []Step {
	if snapshot.Claim == nil {
		return nil
	}
	spec := &snapshot.Claim.Spec
	switch obstacleProblem {
	case missingTemplate:
		return missingTemplateSteps(snapshot.template(), spec.PoolName())
	case missingPool:
		return missingPoolSteps(spec.TemplateName(), spec.PoolName())
	case refusedMetadata:
		return []Step{
			{
				Text: "leave out or change the label or annotation that is named above: kubectl edit sandboxclaim " +
					snapshot.Claim.Name,
			},
			recreate,
		}
	case refusedEnv:
		return []Step{refusedAddition("variables", "envVarsInjectionPolicy"), recreate}
	case refusedVolumes:
		return []Step{refusedAddition("volumes", "volumeClaimTemplatesPolicy"), recreate}
	default:
		return nil
	}
}

// refusedAddition is the step for something that the template does not let the claim add.
func refusedAddition(what, policy string) Step {
	return Step{
		Text: fmt.Sprintf("change the %s of the claim as the message says, or have the template allow them (%s: Allowed or "+
			"Overrides), or claim with --pool none if a warm pool cannot take them", what, policy),
	}
}

// missingTemplateSteps are for a claim whose template, or that of its pool, does not exist. The name may be unknown.
func missingTemplateSteps(template, pool string) []Step {
	first := Step{Text: "create the template that the message names, and the operator goes on by itself"}
	if template != "" {
		first = createTemplate(template)
		first.Text += ", and the operator goes on by itself"
	}
	other := "or name another one in a new claim: see which there are"
	if pool != "" {
		other = "or have pool " + pool + " use another one: see which there are"
	}
	return []Step{first, {Text: other, Command: "template list"}}
}

// missingPoolSteps are for a claim whose pool does not exist, or is one of another template than the claim names.
func missingPoolSteps(template, pool string) []Step {
	if template == "" {
		template = "TEMPLATE"
	}
	return []Step{
		{
			Text:    fmt.Sprintf("create pool %s, and the operator goes on by itself", pool),
			Command: fmt.Sprintf("pool create %s --template %s", pool, template),
		},
		{Text: "or name another one in a new claim: see which there are", Command: "pool list"},
	}
}
