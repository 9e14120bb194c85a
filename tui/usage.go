// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tui

import (
	"fmt"

	"k8s.io/apimachinery/pkg/types"

	"github.com/agent-sandbox/kubectl-sandbox/tui/rows"
	"github.com/agent-sandbox/kubectl-sandbox/tui/store"
	"github.com/agent-sandbox/kubectl-sandbox/tui/view"
)

// usageColumns are the columns of CPU and memory, where metrics are served.
func (m *Model) usageColumns() []view.Column {
	if m.snapshot == nil || len(m.snapshot.Usage) == 0 {
		return nil
	}
	return []view.Column{
		{Title: "CPU", Width: 5, Right: true, Rank: 8},
		{Title: "MEMORY", Width: 7, Right: true, Rank: 7},
	}
}

// usageCells are the cells of the columns of usageColumns.
func (m *Model) usageCells(r *rows.Row) []view.Cell {
	if len(m.snapshot.Usage) == 0 {
		return nil
	}
	used, known := m.usage(r)
	if !known {
		return []view.Cell{{Text: none}, {Text: none}}
	}
	return []view.Cell{{Text: cpu(used.MilliCPU)}, {Text: memory(used.Memory)}}
}

// usage returns what the Pod of a row uses.
func (m *Model) usage(r *rows.Row) (used store.Usage, known bool) {
	used, known = m.snapshot.Usage[types.NamespacedName{Namespace: r.Namespace, Name: r.Sandbox}]
	return used, known
}

// cpu formats thousandths of a CPU: as they are, or as CPUs if there are many.
func cpu(milli int64) string {
	switch {
	case milli < 1000:
		return fmt.Sprintf("%dm", milli)
	case milli < 100_000:
		return fmt.Sprintf("%.1f", float64(milli)/1000)
	default:
		return fmt.Sprintf("%d", milli/1000)
	}
}

// memory formats bytes.
func memory(bytes int64) string {
	const mebi, gibi = 1 << 20, 1 << 30
	switch {
	case bytes < gibi:
		return fmt.Sprintf("%dMi", (bytes+mebi/2)/mebi)
	case bytes < 100*gibi:
		return fmt.Sprintf("%.1fGi", float64(bytes)/gibi)
	default:
		return fmt.Sprintf("%dGi", bytes/gibi)
	}
}
