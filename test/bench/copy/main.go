// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Command copy compares exec, cp, sync and port-forward of the plugin with what kubectl has. It measures them in turn
// and prints a table of medians. It needs a cluster with the operator ($KUBECONFIG), and kubectl and kubectl-sandbox in
// $PATH.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
)

func main() {
	b := &bench{}
	flag.IntVar(&b.rounds, "rounds", 3, "how often each copy is measured")
	flag.IntVar(&b.execs, "execs", 15, "how often exec is measured")
	flag.IntVar(&b.mebibytes, "mebibytes", 1024, "size of the large file")
	flag.IntVar(&b.files, "files", 10_000, "number of small files")
	flag.StringVar(&b.image, "image", "localhost/sandbox-python:v1", "image of the sandbox, with tar and python3")
	flag.StringVar(&b.namespace, "namespace", "default", "namespace of the sandbox")
	flag.StringVar(&b.only, "only", "", "measure only this: exec, file, files, sync or forward")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := b.run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "copy:", err)
		os.Exit(1)
	}
}
