// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Command sandbox-router sends HTTP requests to sandboxes.
package main

import (
	"flag"
	"fmt"
	"os"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	"github.com/agent-sandbox/kubectl-sandbox/apis/buildinfo"
	"github.com/agent-sandbox/kubectl-sandbox/router"
)

func main() {
	line := router.CommandLine{Config: router.Defaults()}
	warnings := line.Environment(os.LookupEnv)
	line.AddFlags(flag.CommandLine)
	flag.Parse()
	if line.Version {
		fmt.Println(buildinfo.Get())
		return
	}
	ctrl.SetLogger(zap.New(zap.UseFlagOptions(&line.Logging)))
	ctrl.Log.Info("starting", "build", buildinfo.Get(), "warnings", warnings)
	clients, err := router.Connect(ctrl.GetConfig())
	if err == nil {
		err = router.Run(ctrl.SetupSignalHandler(), line.Config, clients, ctrl.Log)
	}
	if err != nil {
		ctrl.Log.Error(err, "run the router")
		os.Exit(1)
	}
}
