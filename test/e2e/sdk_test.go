// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"k8s.io/client-go/tools/clientcmd"

	"github.com/agent-sandbox/kubectl-sandbox/sdk"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/await"
	"github.com/agent-sandbox/kubectl-sandbox/test/e2e/harness"
)

func TestAGoProgramUsesASandboxFromItsBirthToItsEnd(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	config, err := clientcmd.BuildConfigFromFlags("", harness.RequireEnv("KUBECONFIG"))
	if err != nil {
		t.Fatal(err)
	}
	client, err := sdk.New(config, sdk.WithNamespace(h.Namespace), sdk.WithReadyTimeout(harness.DefaultTimeout))
	if err != nil {
		t.Fatal(err)
	}
	h.Must("template", "create", "shell", "--image", harness.ImageShell, "--", "sleep", "infinity")
	h.Must("pool", "create", "warm", "--template", "shell")
	for name, spec := range map[string]sdk.Spec{
		"bare": {Image: harness.ImageShell, Command: []string{"sleep", "infinity"}}, "claimed": {Template: "shell"},
		"pooled": {Pool: "warm"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			spec.Name = name
			box, err := client.Create(ctx, spec)
			if err != nil {
				t.Fatal(err)
			}
			result, err := box.Run(ctx, "sh", "-c", "echo out; echo err >&2; exit 3")
			if err != nil || result.ExitCode != 3 || string(result.Stdout) != "out\n" || string(result.Stderr) != "err\n" {
				t.Errorf("%v, %+v", err, result)
			}
			content := randomBytes(1 << 20)
			if err := box.Write(ctx, "/tmp/in/data", content); err != nil {
				t.Error(err)
			}
			if got, err := box.Read(ctx, "/tmp/in/data"); err != nil || !bytes.Equal(got, content) {
				t.Errorf("%d bytes, %v", len(got), err)
			}
			entries, err := box.List(ctx, "/tmp/in")
			if err != nil || len(entries) != 1 || entries[0].Name != "data" || entries[0].Size != 1<<20 ||
				!entries[0].Mode.IsRegular() {
				t.Errorf("%+v, %v", entries, err)
			}
			if err := box.Suspend(ctx); err != nil {
				t.Fatal(err)
			}
			if _, err := box.Run(ctx, "true"); !errors.Is(err, sdk.ErrSuspended) {
				t.Errorf("got %v", err)
			}
			box.Disconnect()
			again, err := client.Attach(ctx, name)
			if err != nil {
				t.Fatal(err)
			}
			if err := again.Resume(ctx); err != nil {
				t.Fatal(err)
			}
			if exists, err := again.Exists(ctx, "/etc/passwd"); err != nil || !exists {
				t.Errorf("%v, %v", exists, err)
			}
			if err := again.Wait(ctx, await.Ready); err != nil {
				t.Error(err)
			}
			if err := again.Close(ctx); err != nil {
				t.Error(err)
			}
			// Garbage collection deletes a claim's Sandbox, which has the claim's name, a moment after the claim.
			over := false
			for i := 0; i < 100 && !over; i++ {
				left, err := client.Open(ctx, name)
				if err == nil {
					left.Disconnect()
					<-time.After(100 * time.Millisecond)
					continue
				}
				over = errors.Is(err, sdk.ErrNotFound) || errors.Is(err, sdk.ErrDeleted) || errors.Is(err, sdk.ErrNotReady)
				if !over {
					t.Fatalf("got %v", err)
				}
			}
			if !over {
				t.Error("a closed sandbox can still be opened")
			}
		})
	}
	if left := client.Active(t.Context()); len(left) > 0 {
		t.Errorf("%d handles are left", len(left))
	}
}
