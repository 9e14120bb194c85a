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
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/volume"
)

// Text is the whole page about one sandbox.
func Text(t *resolve.Target, facts diagnose.Snapshot, style printing.Style, command func(string) string) string {
	d := diagnose.Of(facts)
	w := printing.Page{Style: style}
	w.Section("", head(t, &facts, style.Summary(&d)))
	if t.Sandbox != nil {
		w.Section("Labels", printing.SortedPairs(t.Sandbox.Labels))
		for i := range t.Sandbox.Spec.PodTemplate.Spec.Containers {
			c := &t.Sandbox.Spec.PodTemplate.Spec.Containers[i]
			w.Section("Container "+c.Name, printing.ContainerLines(c))
		}
		w.Section("Volumes", volumes(t.Sandbox, facts.Volumes))
	} else {
		w.Section("Volumes", kept(facts.Volumes))
	}
	w.Section("Events", events(&facts, &d))
	w.Add(style.Diagnosis(&d, command))
	return w.String()
}

func head(t *resolve.Target, facts *diagnose.Snapshot, summary string) []string {
	lines := []string{"Name:\t" + t.Name(), "Namespace:\t" + t.Namespace, "Status:\t" + summary}
	add := func(key, value string) {
		if value != "" {
			lines = append(lines, key+":\t"+value)
		}
	}
	if t.Claim != nil {
		add("Claim", t.Claim.Name+printing.AgeSuffix(t.Claim.CreationTimestamp, facts.Now))
		add("Asks for", asks(&t.Claim.Spec))
	}
	if t.Sandbox == nil {
		add("Sandbox", "none yet")
		return append(lines, "Ends:\t"+ends(facts))
	}
	s := t.Sandbox
	add("Sandbox", s.Name+printing.AgeSuffix(s.CreationTimestamp, facts.Now))
	if asked, by := s.Spec.SuspensionRequested(); asked {
		add("Suspended by", "spec."+strings.Join(by, ", spec."))
	}
	switch {
	case t.Pod != nil:
		add(
			"Pod",
			fmt.Sprintf(
				"%s (%s)%s", t.Pod.Name, ending.DisplayStatus(t.Pod), printing.AgeSuffix(t.Pod.CreationTimestamp, facts.Now),
			),
		)
		add("Node", t.Pod.Spec.NodeName)
	case t.PodHidden:
		add("Pod", "not shown: you may not read Pods")
	default:
		add("Pod", "none")
	}
	add("Pod IPs", strings.Join(s.Status.PodIPs, ", "))
	add("Service", s.Status.ServiceFQDN)
	return append(lines, "Ends:\t"+ends(facts))
}

// asks says what a claim is to be served from.
func asks(spec *extensionsv1beta1.SandboxClaimSpec) string {
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

func ends(facts *diagnose.Snapshot) string {
	deadline := facts.Deadline()
	if !deadline.IsSet() {
		return "when somebody deletes it"
	}
	at := deadline.At().UTC().Format(time.RFC3339)
	if deadline.Reached(facts.Now) {
		return at + " (over)"
	}
	return fmt.Sprintf("%s (in %s)", at, duration.HumanDuration(deadline.Remaining(facts.Now)))
}

func volumes(s *agentsv1beta1.Sandbox, existing []corev1.PersistentVolumeClaim) []string {
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

// kept are the volumes that outlived the Sandbox of a claim.
func kept(volumes []corev1.PersistentVolumeClaim) []string {
	var lines []string
	for i := range volumes {
		lines = append(
			lines, fmt.Sprintf("%s\t%s\tkept for the claim's next Sandbox", volumes[i].Name, volume.Size(&volumes[i])),
		)
	}
	return lines
}

// shownEvents is how many of the latest events are shown.
const shownEvents = 10

// events are the latest ones, without what the diagnosis below tells in full.
func events(facts *diagnose.Snapshot, d *diagnose.Diagnosis) []string {
	latest := facts.Events
	if len(latest) > shownEvents {
		latest = latest[len(latest)-shownEvents:]
	}
	var lines []string
	for i := range latest {
		e := &latest[i]
		ago := duration.HumanDuration(facts.Now.Sub(diagnose.EventTime(e).Time))
		lines = append(lines, fmt.Sprintf(
			"%s ago\t%s\t%s\t%s/%s: %s", ago, e.Type, e.Reason,
			strings.ToLower(
				e.InvolvedObject.Kind,
			),
			e.InvolvedObject.Name,
			shorten(strings.Join(strings.Fields(e.Message), " "), d),
		))
	}
	return lines
}

// shorten replaces in an event's message what a container's finding says in the same words.
func shorten(message string, d *diagnose.Diagnosis) string {
	for i := range d.Containers {
		if detail := d.Containers[i].Detail(); detail != "" {
			message = strings.ReplaceAll(message, detail, "see Containers")
		}
	}
	return message
}
