// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package leaks

import "testing"

func TestWhoseCodeAGoroutineIsIn(t *testing.T) {
	const repository = "github.com/agent-sandbox/kubectl-sandbox/"
	for stack, want := range map[string]bool{
		"goroutine 7 [select]:\n" + repository + "sdk.(*Sandbox).drain(0x1)\n\t/sdk/lifecycle.go:3": true,
		"goroutine 7 [select]:\n" + repository + "sdk/stream.New.func1()\n\t/sdk/stream/x.go:3":     true,
		"goroutine 7 [select]:\n" + repository + "sdk_test.TestIt.func1()\n\t/sdk/x_test.go:3":      false,
		"goroutine 7 [select]:\n" + repository + "sdk/stream_test.TestIt.func1()\n\t/x_test.go:3":   false,
		"goroutine 7 [select]:\n" + repository + "test/proxy.run()\n\t/test/proxy/x.go:3":           false,
		"goroutine 7 [select]:\nnet/http.(*Server).Serve()\n\t/net/http/server.go:3":                false,
	} {
		if in(stack, "sdk") != want {
			t.Errorf("it is in sdk: %v\n%s", !want, stack)
		}
	}
}
