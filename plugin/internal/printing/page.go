// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package printing

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
)

// Page is a text that is laid out in sections of two columns.
type Page struct {
	Style Style
	text  strings.Builder
}

// Section adds a title and aligned lines of the form "key<TAB>value". Without lines it adds nothing.
func (p *Page) Section(title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	indent := ""
	if title != "" {
		fmt.Fprintf(&p.text, "%s\n", p.Style.heading(title+":"))
		indent = "  "
	}
	tabs := tabwriter.NewWriter(&p.text, 0, 8, 2, ' ', 0)
	for _, line := range lines {
		fmt.Fprintf(tabs, "%s%s\n", indent, line)
	}
	tabs.Flush()
}

// Add adds text unchanged.
func (p *Page) Add(text string) { p.text.WriteString(text) }

// String returns the text of the page.
func (p *Page) String() string { return p.text.String() }

// AgeSuffix returns the age of an object with a leading comma, as in ", 5m old", or nothing if it is unknown.
func AgeSuffix(created metav1.Time, now time.Time) string {
	if created.IsZero() {
		return ""
	}
	return ", " + duration.HumanDuration(now.Sub(created.Time)) + " old"
}

// SortedPairs returns labels or annotations as sorted lines of the form "key=value".
func SortedPairs(all map[string]string) []string {
	var lines []string
	for _, key := range slices.Sorted(maps.Keys(all)) {
		lines = append(lines, key+"="+all[key])
	}
	return lines
}

// ContainerLines describes the spec of a container. Values of environment variables may be secret, so only their names
// are shown.
func ContainerLines(c *corev1.Container) []string {
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
	for i := range c.Env {
		lines = append(lines, "Env:\t"+c.Env[i].Name)
	}
	for _, mount := range c.VolumeMounts {
		lines = append(lines, fmt.Sprintf("Mount:\t%s at %s", mount.Name, mount.MountPath))
	}
	return lines
}
