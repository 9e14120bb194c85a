// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package factory

import (
	"flag"
	"fmt"
	"strconv"

	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
)

// startLog logs what client-go does at the level of -v. Without -v the program's own choice stays: it logs nothing.
func (f *Flags) startLog() error {
	if f.verbosity < 0 {
		return fmt.Errorf("-v is %d: use 0 or more", f.verbosity)
	}
	if f.verbosity == 0 {
		return nil
	}
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	klog.InitFlags(flags)
	if err := flags.Set("v", strconv.Itoa(f.verbosity)); err != nil {
		return fmt.Errorf("-v: %w", err)
	}
	klog.SetLogger(textlogger.NewLogger(textlogger.NewConfig(
		textlogger.Verbosity(f.verbosity), textlogger.Output(printable.Writer(f.errOut)),
	)))
	return nil
}
