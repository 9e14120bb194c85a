// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// report prints how long the parts of the rollouts took, and then the rewards.
func report(out io.Writer, results []trajectory) error {
	table := &strings.Builder{}
	columns := tabwriter.NewWriter(table, 0, 0, 3, ' ', 0)
	fmt.Fprintln(columns, "PART\tTIMES\tMEDIAN\tLONGEST")
	for _, name := range []part{partClaim, partSuspend, partThink, partResume, partStep} {
		var all []time.Duration
		for _, result := range results {
			all = append(all, result.took[name]...)
		}
		slices.Sort(all)
		fmt.Fprintf(columns, "%s\t%d\t%s\t%s\n", name, len(all), all[len(all)/2].Round(time.Millisecond),
			all[len(all)-1].Round(time.Millisecond))
	}
	if err := columns.Flush(); err != nil {
		return err
	}
	for i, result := range results {
		fmt.Fprintf(table, "rollout %d: rewards %v\n", i+1, result.rewards)
	}
	_, err := io.WriteString(out, table.String())
	return err
}
