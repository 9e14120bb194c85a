// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package describe

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/report"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/diagnose"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// writer lays out a page in two columns.
type writer struct {
	style report.Style
	text  strings.Builder
}

// section writes a title and lines of "key<TAB>value", aligned with each other. Without lines it writes nothing.
func (w *writer) section(title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	indent := ""
	if title != "" {
		fmt.Fprintf(&w.text, "%s\n", w.style.Heading(title+":"))
		indent = "  "
	}
	tabs := tabwriter.NewWriter(&w.text, 0, 8, 2, ' ', 0)
	for _, line := range lines {
		fmt.Fprintf(tabs, "%s%s\n", indent, line)
	}
	tabs.Flush()
}

// Text is the whole page about one sandbox.
func Text(t *resolve.Target, facts diagnose.Facts, style report.Style, command func(string) string) string {
	d := diagnose.Of(facts)
	w := &writer{style: style}
	w.section("", head(t, &facts, style.Summary(&d)))
	if t.Sandbox != nil {
		w.section("Labels", pairs(t.Sandbox.Labels))
		for i := range t.Sandbox.Spec.PodTemplate.Spec.Containers {
			c := &t.Sandbox.Spec.PodTemplate.Spec.Containers[i]
			w.section("Container "+c.Name, container(c))
		}
		w.section("Volumes", volumes(t.Sandbox, facts.Volumes))
	}
	w.section("Events", events(&facts))
	w.text.WriteString(style.Diagnosis(&d, command))
	return w.text.String()
}

func head(t *resolve.Target, facts *diagnose.Facts, summary string) []string {
	lines := []string{"Name:\t" + t.Name(), "Namespace:\t" + t.Namespace, "Status:\t" + summary}
	add := func(key, value string) {
		if value != "" {
			lines = append(lines, key+":\t"+value)
		}
	}
	if t.Claim != nil {
		add("Claim", t.Claim.Name+age(t.Claim.CreationTimestamp, facts.Now))
	}
	if t.Sandbox == nil {
		add("Sandbox", "none yet")
		return append(lines, "Ends:\t"+ends(facts))
	}
	s := t.Sandbox
	add("Sandbox", s.Name+age(s.CreationTimestamp, facts.Now))
	if asked, by := s.Spec.SuspensionAsked(); asked {
		add("Suspended by", "spec."+strings.Join(by, ", spec."))
	}
	switch {
	case t.Pod != nil:
		add("Pod", fmt.Sprintf("%s (%s)%s", t.Pod.Name, t.Pod.Status.Phase, age(t.Pod.CreationTimestamp, facts.Now)))
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

func age(created metav1.Time, now time.Time) string {
	if created.IsZero() {
		return ""
	}
	return ", " + duration.HumanDuration(now.Sub(created.Time)) + " old"
}

func ends(facts *diagnose.Facts) string {
	deadline := facts.Deadline()
	if !deadline.Set() {
		return "when somebody deletes it"
	}
	at := deadline.At().UTC().Format(time.RFC3339)
	if deadline.Reached(facts.Now) {
		return at + " (over)"
	}
	return fmt.Sprintf("%s (in %s)", at, duration.HumanDuration(deadline.Remaining(facts.Now)))
}

func pairs(all map[string]string) []string {
	var lines []string
	for _, key := range slices.Sorted(maps.Keys(all)) {
		lines = append(lines, key+"="+all[key])
	}
	return lines
}

func container(c *corev1.Container) []string {
	lines := []string{"Image:\t" + c.Image}
	if len(c.Command)+len(c.Args) > 0 {
		lines = append(lines, "Command:\t"+strings.Join(slices.Concat(c.Command, c.Args), " "))
	}
	for _, port := range c.Ports {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("Port:\t%d/%s %s", port.ContainerPort, port.Protocol, port.Name)))
	}
	for _, name := range slices.Sorted(maps.Keys(c.Resources.Requests)) {
		quantity := c.Resources.Requests[name]
		lines = append(lines, fmt.Sprintf("Request:\t%s %s", quantity.String(), name))
	}
	for _, name := range slices.Sorted(maps.Keys(c.Resources.Limits)) {
		quantity := c.Resources.Limits[name]
		lines = append(lines, fmt.Sprintf("Limit:\t%s %s", quantity.String(), name))
	}
	for i := range c.Env { // values may be secret
		lines = append(lines, "Env:\t"+c.Env[i].Name)
	}
	for _, mount := range c.VolumeMounts {
		lines = append(lines, fmt.Sprintf("Mount:\t%s at %s", mount.Name, mount.MountPath))
	}
	return lines
}

func volumes(s *agentsv1beta1.Sandbox, existing []corev1.PersistentVolumeClaim) []string {
	var lines []string
	for i := range s.Spec.VolumeClaimTemplates {
		template := &s.Spec.VolumeClaimTemplates[i]
		size := template.Spec.Resources.Requests[corev1.ResourceStorage]
		state := "no PersistentVolumeClaim yet"
		for j := range existing {
			if existing[j].Name == naming.PersistentVolumeClaim(template.Name, s.Name) {
				state = fmt.Sprintf("PersistentVolumeClaim %s is %s", existing[j].Name, existing[j].Status.Phase)
			}
		}
		lines = append(lines, fmt.Sprintf("%s\t%s\t%s", template.Name, size.String(), state))
	}
	return lines
}

// shownEvents is how many of the latest events are shown.
const shownEvents = 10

func events(facts *diagnose.Facts) []string {
	latest := facts.Events
	if len(latest) > shownEvents {
		latest = latest[len(latest)-shownEvents:]
	}
	var lines []string
	for i := range latest {
		e := &latest[i]
		ago := duration.HumanDuration(facts.Now.Sub(diagnose.EventTime(e).Time))
		lines = append(lines, fmt.Sprintf("%s ago\t%s\t%s\t%s/%s: %s", ago, e.Type, e.Reason,
			strings.ToLower(e.InvolvedObject.Kind), e.InvolvedObject.Name, strings.Join(strings.Fields(e.Message), " ")))
	}
	return lines
}
