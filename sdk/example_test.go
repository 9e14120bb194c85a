// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sdk_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"k8s.io/client-go/tools/clientcmd"

	"github.com/agent-sandbox/kubectl-sandbox/sdk"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
)

// The usual way to a Client is the configuration that kubectl uses.
func ExampleNew() {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return // outside of a cluster and without a kubeconfig
	}
	client, err := sdk.New(config, sdk.WithNamespace("agents"), sdk.WithReadyTimeout(time.Minute))
	if err != nil {
		fmt.Println(err)
		return
	}
	// If this process is terminated, no sandbox stays behind.
	stop := client.CleanUpOnSignals()
	defer stop()
}

// A sandbox for one task is created, used and deleted.
func ExampleClient_Create() {
	w := newWorld() // in a program: sdk.New
	defer w.close()
	client, ctx := w.client(), context.Background()

	box, err := client.Create(ctx, sdk.Spec{Template: "python", TTL: time.Hour})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() {
		if err := box.Close(ctx); err != nil {
			fmt.Println(err)
		}
	}()
	result, err := box.Run(ctx, "sh", "-c", "echo $((6 * 7)); exit 3")
	fmt.Printf("%s%d %v\n", result.Stdout, result.ExitCode, err)
	// Output:
	// 42
	// 3 <nil>
}

// Files are copied in and out, and directories are listed.
func ExampleSandbox_Write() {
	w := newWorld()
	defer w.close()
	ctx := context.Background()
	box, err := w.client().Create(ctx, sdk.Spec{Pool: "python-warm"})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := box.Write(ctx, "work/main.py", []byte("print('hello')\n")); err != nil {
		fmt.Println(err)
	}
	content, err := box.Read(ctx, "work/main.py")
	fmt.Printf("%s%v\n", content, err)
	entries, err := box.List(ctx, "work")
	for _, entry := range entries {
		fmt.Println(entry.Name, entry.Size, entry.Mode.Perm())
	}
	fmt.Println(err)
	exists, err := box.Exists(ctx, "nothing")
	fmt.Println(exists, err)
	// Output:
	// print('hello')
	// <nil>
	// main.py 15 -rw-r--r--
	// <nil>
	// false <nil>
}

// A sandbox outlives the process: it is suspended, and another process attaches to it by name and continues.
func ExampleClient_Open() {
	w := newWorld()
	defer w.close()
	ctx := context.Background()
	box, err := w.client().Create(ctx, sdk.Spec{Name: "dev", Image: "python:3.13"})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := box.Suspend(ctx); err != nil {
		fmt.Println(err)
	}
	box.Disconnect()

	elsewhere := w.client()
	if _, err = elsewhere.Open(ctx, "dev"); errors.Is(err, sdk.ErrSuspended) {
		fmt.Println("it is suspended")
	}
	again, err := elsewhere.Attach(ctx, "dev")
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := again.Resume(ctx); err != nil {
		fmt.Println(err)
	}
	status, err := again.Status(ctx)
	fmt.Println(again.Name(), status.Verdict, err)
	// Output:
	// it is suspended
	// dev Ready <nil>
}

// Streams are connected directly: nothing is buffered in memory.
func ExampleSandbox_Exec() {
	w := newWorld()
	defer w.close()
	ctx := context.Background()
	box, err := w.client().Create(ctx, sdk.Spec{Template: "python"})
	if err != nil {
		fmt.Println(err)
		return
	}
	code, err := box.Exec(ctx, stream.Process{
		Command: []string{"sh", "-c", "tr a-z A-Z"}, Stdin: strings.NewReader("quietly\n"), Stdout: os.Stdout,
	})
	fmt.Println(code, err)
	// Output:
	// QUIETLY
	// 0 <nil>
}

// Client.List returns all sandboxes of a namespace, and Client.Active those of this Client.
func ExampleClient_List() {
	w := newWorld()
	defer w.close()
	client, ctx := w.client(), context.Background()
	for _, name := range []string{"one", "two"} {
		if _, err := client.Create(ctx, sdk.Spec{Name: name, Template: "python"}); err != nil {
			fmt.Println(err)
		}
	}
	names, err := client.List(ctx)
	fmt.Println(names, err, len(client.Active()))
	err = client.DeleteAll(ctx)
	fmt.Println(err, len(client.Active()))
	// Output:
	// [one two] <nil> 2
	// <nil> 0
}
