// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Command bench measures the operator on a cluster of simulated nodes, which run.sh starts and deletes.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"syscall"
	"time"

	"k8s.io/klog/v2"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/agent-sandbox/kubectl-sandbox/test/bench/report"
	"github.com/agent-sandbox/kubectl-sandbox/test/bench/scenario"
	"github.com/agent-sandbox/kubectl-sandbox/test/bench/world"
)

// settings contains the values of the flags.
type settings struct {
	world.Options

	selection *regexp.Regexp
	scale     scenario.Scale
	profile   string
	// kubernetes is the cluster's version, for the report.
	kubernetes string
	runs       int
	list       bool
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	s, err := parse(os.Args[1:])
	if err == nil {
		err = run(ctx, s, os.Stdout, os.Stderr)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func parse(args []string) (settings, error) {
	var s settings
	var selection string
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.StringVar(&s.Kubeconfig, "kubeconfig", "", "of the cluster's administrator")
	flags.StringVar(&s.Binary, "operator", "bin/agent-sandbox-controller", "the operator's binary")
	flags.StringVar(&s.AuditLog, "audit-log", "", "file in which the API server notes the operator's requests")
	flags.StringVar(&s.Processes, "processes", "", "directory with testcluster's records of the cluster's processes")
	flags.StringVar(&s.Artifacts, "artifacts", "artifacts", "directory for reports and the operator's log")
	flags.StringVar(&selection, "run", "",
		"scenarios to run: a regular expression over their names; empty: all but the longest")
	flags.StringVar(&s.profile, "profile", "full", "how large loads are: full (the budgets are about these) or small")
	flags.StringVar(&s.kubernetes, "kubernetes", "", "version of the cluster, for the report")
	flags.IntVar(&s.runs, "runs", 3, "how often a scenario runs whose figures vary; medians are reported")
	flags.BoolVar(&s.list, "list", false, "list all scenarios and end")
	flags.Func("operator-arg", "a further argument for the operator; may be given several times", func(arg string) error {
		s.Args = append(s.Args, arg)
		return nil
	})
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	profiles := map[string]scenario.Scale{"full": scenario.Full(), "small": scenario.Small()}
	scale, ok := profiles[s.profile]
	if !ok {
		return s, fmt.Errorf("-profile %s: it takes full or small", s.profile)
	}
	if s.runs < 1 {
		return s, fmt.Errorf("-runs %d: it takes a positive number", s.runs)
	}
	s.scale = scale
	var err error
	s.selection, err = regexp.Compile(selection)
	return s, err
}

func run(ctx context.Context, s settings, out, progress io.Writer) error {
	all := scenario.All(s.scale)
	if s.list {
		for _, one := range all {
			about := one.About
			if one.OnRequest {
				about += " (only if RUN matches it)"
			}
			_, _ = fmt.Fprintf(out, "%s: %s\n", one.Name, about)
		}
		return nil
	}
	selected := scenario.Select(all, s.selection)
	if len(selected) == 0 {
		return fmt.Errorf("no scenario matches %q", s.selection)
	}
	if err := os.MkdirAll(s.Artifacts, 0o755); err != nil {
		return err
	}
	ctrllog.SetLogger(klog.Background())
	machine := describeMachine(s)
	w, err := world.New(ctx, s.Options, progress)
	if err != nil {
		return err
	}
	whole := report.Report{Machine: machine}
	for _, one := range selected {
		if ctx.Err() != nil {
			break
		}
		whole.Results = append(whole.Results, runScenario(ctx, w, one, s.runs))
	}
	err = errors.Join(ctx.Err(), w.Close(), write(whole, s.Artifacts, out))
	if err == nil && whole.Failed() {
		err = errors.New("a rule was broken, or a scenario came to no result")
	}
	return err
}

// runScenario runs a scenario the given number of times, or once if more runs are pointless. A failure is in the
// result, so that the other scenarios still run.
func runScenario(ctx context.Context, w *world.World, one scenario.Scenario, runs int) report.Result {
	if one.Once {
		runs = 1
	}
	begin := time.Now()
	var samples []report.Sample
	var failed error
	for i := range runs {
		w.Logf("%s, run %d of %d: %s", one.Name, i+1, runs, one.About)
		sample, err := one.Run(ctx, w)
		if err != nil {
			w.Logf("%s: %v", one.Name, err)
			failed = err
			break
		}
		samples = append(samples, sample)
	}
	result := report.Merge(one.Name, one.About, one.Limits, samples)
	result.Seconds = time.Since(begin).Seconds()
	if failed != nil {
		result.Error = failed.Error()
	}
	return result
}

func write(whole report.Report, dir string, out io.Writer) error {
	err := whole.WriteTable(out)
	for name, write := range map[string]func(io.Writer) error{
		"bench.json": whole.WriteJSON, "junit-bench.xml": whole.WriteJUnit,
	} {
		file, failed := os.Create(filepath.Join(dir, name))
		if failed == nil {
			failed = errors.Join(write(file), file.Close())
		}
		err = errors.Join(err, failed)
	}
	return err
}
