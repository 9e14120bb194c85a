// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package describe

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/ending"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/printing"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/diagnose"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/pool"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/volume"
)

// Text returns the page about one sandbox.
func Text(t *resolve.Target, snapshot diagnose.Snapshot, style printing.Style, command func(string) string) string {
	d := diagnose.Of(snapshot)
	w := printing.Page{Style: style}
	w.Section("", headLines(t, &snapshot, style.Summary(&d)))
	if t.Sandbox != nil {
		w.Section("Labels", printing.SortedPairs(t.Sandbox.Labels))
		for i := range t.Sandbox.Spec.PodTemplate.Spec.Containers {
			c := &t.Sandbox.Spec.PodTemplate.Spec.Containers[i]
			w.Section("Container "+c.Name, printing.ContainerLines(c))
		}
		w.Section("Volumes", volumeLines(t.Sandbox, snapshot.Volumes))
	} else {
		w.Section("Volumes", keptVolumeLines(snapshot.Volumes))
	}
	w.Section("Events", eventLines(&snapshot, &d))
	whole := d.Whole()
	w.Add(style.Diagnosis(&whole, command))
	return w.String()
}

func headLines(t *resolve.Target, snapshot *diagnose.Snapshot, summary string) []string {
	lines := []string{"Name:\t" + t.Name(), "Namespace:\t" + t.Namespace, "Status:\t" + summary}
	add := func(key, value string) {
		if value != "" {
			lines = append(lines, key+":\t"+value)
		}
	}
	if t.Claim != nil {
		add("Claim", t.Claim.Name+printing.AgeSuffix(t.Claim.CreationTimestamp, snapshot.Now))
		add("Source", claimSource(&t.Claim.Spec))
	}
	if t.Sandbox == nil {
		add("Sandbox", "none yet")
		return append(lines, "Ends:\t"+shutdownText(snapshot))
	}
	s := t.Sandbox
	add("Served", served(t.Claim, s))
	add("Sandbox", s.Name+printing.AgeSuffix(s.CreationTimestamp, snapshot.Now))
	if asked, by := s.Spec.SuspensionRequested(); asked {
		add("Suspended by", "spec."+strings.Join(by, ", spec."))
	}
	switch {
	case t.Pod != nil:
		add("Pod", fmt.Sprintf("%s (%s)%s", t.Pod.Name, ending.DisplayStatus(t.Pod),
			printing.AgeSuffix(t.Pod.CreationTimestamp, snapshot.Now)))
		add("Node", t.Pod.Spec.NodeName)
	case t.PodHidden:
		add("Pod", "not shown: you may not read Pods")
	default:
		add("Pod", "none")
	}
	add("Pod IPs", strings.Join(s.Status.PodIPs, ", "))
	add("Service", s.Status.ServiceFQDN)
	return append(lines, "Ends:\t"+shutdownText(snapshot))
}

// claimSource returns the pool or template that a claim gets its Sandbox from.
func claimSource(spec *extensionsv1beta1.SandboxClaimSpec) string {
	switch {
	case spec.WarmPoolRef != nil:
		return "pool " + spec.WarmPoolRef.Name
	case spec.TemplateRef == nil:
		return ""
	case spec.WarmPoolPolicy() == apis.WarmPoolDefault:
		return "template " + spec.TemplateRef.Name + ", warm from any of its pools"
	case spec.WarmPoolPolicy() == apis.WarmPoolNone:
		return "template " + spec.TemplateRef.Name + ", always a new Sandbox"
	}
	return "template " + spec.TemplateRef.Name + ", warm from pool " + spec.PoolName()
}

// served says whether the claim was served warm.
func served(claim *extensionsv1beta1.SandboxClaim, held *agentsv1beta1.Sandbox) string {
	if claim == nil {
		return ""
	}
	switch from := pool.SourcePool(claim, held); {
	case pool.ServedWarm(claim, held):
		return "warm, with a Ready member of pool " + from
	case from != "":
		return "late, with a member of pool " + from + " that was not Ready yet"
	}
	return "cold, with a new Sandbox"
}

func shutdownText(snapshot *diagnose.Snapshot) string {
	deadline := snapshot.Deadline()
	if !deadline.IsSet() {
		return "when it is deleted"
	}
	at := deadline.At().UTC().Format(time.RFC3339)
	if deadline.Reached(snapshot.Now) {
		return at + " (over)"
	}
	return fmt.Sprintf("%s (in %s)", at, duration.HumanDuration(deadline.Remaining(snapshot.Now)))
}

func volumeLines(s *agentsv1beta1.Sandbox, existing []corev1.PersistentVolumeClaim) []string {
	var lines []string
	fates := volume.Outcomes(nil, s, existing)
	for i := range s.Spec.VolumeClaimTemplates {
		found := false
		template := &s.Spec.VolumeClaimTemplates[i]
		size := template.Spec.Resources.Requests[corev1.ResourceStorage]
		state := "no PersistentVolumeClaim yet"
		for j := range existing {
			if existing[j].Name == naming.PersistentVolumeClaim(template.Name, s.Name) {
				state = fmt.Sprintf("PersistentVolumeClaim %s is %s", existing[j].Name, existing[j].Status.Phase)
				found = true
			}
		}
		if found && fates[i].Stays {
			state += ", stays when the Sandbox is deleted"
		} else if found {
			state += ", deleted with the Sandbox"
		}
		lines = append(lines, fmt.Sprintf("%s\t%s\t%s", template.Name, size.String(), state))
	}
	return lines
}

// keptVolumeLines lists the volumes that outlived the Sandbox of a claim.
func keptVolumeLines(volumes []corev1.PersistentVolumeClaim) []string {
	var lines []string
	for i := range volumes {
		lines = append(lines,
			fmt.Sprintf("%s\t%s\tkept for the claim's next Sandbox", volumes[i].Name, volume.Size(&volumes[i])))
	}
	return lines
}

// shownEvents is how many of the latest events are shown.
const shownEvents = 10

// eventLines lists the latest events. Text that the diagnosis repeats in full is shortened.
func eventLines(snapshot *diagnose.Snapshot, d *diagnose.Diagnosis) []string {
	latest := snapshot.Events
	if len(latest) > shownEvents {
		latest = latest[len(latest)-shownEvents:]
	}
	var lines []string
	for i := range latest {
		e := &latest[i]
		ago := duration.HumanDuration(snapshot.Now.Sub(diagnose.EventTime(e).Time))
		lines = append(lines, fmt.Sprintf("%s ago\t%s\t%s\t%s/%s: %s", ago, e.Type, e.Reason,
			strings.ToLower(e.InvolvedObject.Kind), e.InvolvedObject.Name,
			shorten(strings.Join(strings.Fields(e.Message), " "), d)))
	}
	return lines
}

// shorten replaces the parts of an event's message that a container's finding quotes.
func shorten(message string, d *diagnose.Diagnosis) string {
	for i := range d.Containers {
		if quotation := d.Containers[i].Quotation(); quotation != "" {
			message = strings.ReplaceAll(message, quotation, "see Containers")
		}
	}
	return message
}
