// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/printing"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
)

// Status is the outcome of a check.
type Status string

// The outcomes. Only Failed makes a cluster unhealthy.
const (
	OK      Status = "ok"
	Warning Status = "warning"
	Failed  Status = "failed"
	Unknown Status = "unknown" // the user may not read it, or it cannot be determined
)

// Finding is what a check found.
type Finding struct {
	Check   string `json:"check"`
	Status  Status `json:"status"`
	Message string `json:"message"`
	Cure    string `json:"cure,omitempty"` // what to do; set for Failed and Warning
}

// Report is the output with -o json or yaml.
type Report struct {
	// Healthy reports that no check failed. Unknown lists the checks whose result is unknown.
	Healthy  bool      `json:"healthy"`
	Unknown  []string  `json:"unknown,omitempty"`
	Findings []Finding `json:"findings"`
}

func ok(format string, arguments ...any) []Finding {
	return []Finding{{Status: OK, Message: fmt.Sprintf(format, arguments...)}}
}

func unknown(format string, arguments ...any) []Finding {
	return []Finding{{Status: Unknown, Message: fmt.Sprintf(format, arguments...)}}
}

func failed(cure, format string, arguments ...any) []Finding {
	return []Finding{{Status: Failed, Message: fmt.Sprintf(format, arguments...), Cure: cure}}
}

func warning(cure, format string, arguments ...any) []Finding {
	return []Finding{{Status: Warning, Message: fmt.Sprintf(format, arguments...), Cure: cure}}
}

// failure returns an error with the names of the failed checks, or nil.
func (r Report) failure() error {
	var all []string
	for _, finding := range r.Findings {
		if finding.Status == Failed && !slices.Contains(all, finding.Check) {
			all = append(all, finding.Check)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return fmt.Errorf("failed: %s", strings.Join(all, ", "))
}

func (r Report) print(out io.Writer, format string, color bool) error {
	return printing.WriteDocument(out, format, r, r.text(color))
}

func (r Report) text(color bool) string {
	style := printing.Style{Colored: color}
	paint := map[Status]func(string) string{
		OK: style.Good, Warning: style.Careful, Failed: style.Alert, Unknown: style.Faint,
	}
	var text strings.Builder
	for _, finding := range r.Findings {
		status := paint[finding.Status](fmt.Sprintf("%-8s", finding.Status))
		fmt.Fprintf(&text, "%s %-22s %s\n", status, finding.Check, printable.Line(finding.Message))
		if finding.Cure != "" {
			fmt.Fprintf(&text, "%-8s %-22s -> %s\n", "", "", printable.Line(finding.Cure))
		}
	}
	return text.String()
}
