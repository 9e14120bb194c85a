// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build linux

package sdk_test

import (
	"context"
	"fmt"

	"github.com/agent-sandbox/kubectl-sandbox/sdk"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/connect"
)

// A program that may not use Pods runs a command through the router and the runtime in the sandbox. Outside of the
// cluster, connect.Tunnel finds the router, and connect.ConfigToken is a token for it.
func ExampleWithConnection() {
	w := newRouted() // in a program: sdk.New
	defer w.close()
	ctx := context.Background()
	client := w.client(sdk.WithConnection(connect.URL("http://"+w.router)),
		sdk.WithRouterToken(connect.TokenFile(w.token)), sdk.WithRuntimePort(w.runtime))
	box, err := client.Create(ctx, sdk.Spec{Template: "python"})
	if err != nil {
		fmt.Println(err)
		return
	}
	runtime := box.Runtime()
	if err := runtime.Write(ctx, "greeting", []byte("hello\n")); err != nil {
		fmt.Println(err)
	}
	result, err := runtime.Run(ctx, "cat", "greeting")
	fmt.Printf("%s%d %v\n", result.Stdout, result.ExitCode, err)
	// Output:
	// hello
	// 0 <nil>
}
