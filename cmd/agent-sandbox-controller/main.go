// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Command agent-sandbox-controller is the operator.
package main

import (
	"flag"
	"fmt"
	"os"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	"github.com/agent-sandbox/kubectl-sandbox/apis/buildinfo"
	"github.com/agent-sandbox/kubectl-sandbox/operator/manager"
)

func main() {
	line := manager.CommandLine{Config: manager.Defaults()}
	line.Environment(os.LookupEnv)
	line.AddFlags(flag.CommandLine)
	flag.Parse()
	if line.Version {
		fmt.Println(buildinfo.Get())
		return
	}
	ctrl.SetLogger(zap.New(zap.UseFlagOptions(&line.Logging)))
	ctrl.Log.Info("starting", "build", buildinfo.Get())
	restConfig, err := ctrl.GetConfig()
	if err == nil {
		err = manager.Run(ctrl.SetupSignalHandler(), line.Config, restConfig, ctrl.Log)
	}
	if err != nil {
		ctrl.Log.Error(err, "run the operator")
		os.Exit(1)
	}
}
