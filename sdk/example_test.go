// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sdk_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"k8s.io/client-go/rest"

	"github.com/agent-sandbox/kubectl-sandbox/sdk"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/files"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
)

// Programs usually give no configuration (nil): then it is the one that kubectl uses.
func ExampleNew() {
	config := &rest.Config{Host: "https://cluster.example.com"}
	client, err := sdk.New(config, sdk.WithNamespace("agents"), sdk.WithReadyTimeout(time.Minute))
	if err != nil {
		fmt.Println(err)
		return
	}
	// If this process is terminated, no sandbox stays behind.
	stop := client.CleanUpOnSignals()
	defer stop()
	_, err = sdk.New(config, sdk.WithReadyTimeout(0))
	fmt.Println(len(client.Active(context.Background())), err)
	// Output:
	// 0 WithReadyTimeout: it must be greater than 0
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

// A project and its copy in the sandbox are made the same again: only what differs is copied.
func ExampleSandbox_SyncUp() {
	w := newWorld()
	defer w.close()
	ctx := context.Background()
	box, err := w.client().Create(ctx, sdk.Spec{Template: "python"})
	if err != nil {
		fmt.Println(err)
		return
	}
	project, err := os.MkdirTemp("", "project")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(project) }() // it is a temporary directory
	for _, name := range []string{"main.py", "test.py", "notes.log"} {
		if err := os.WriteFile(filepath.Join(project, name), []byte("# "+name+"\n"), 0o600); err != nil {
			fmt.Println(err)
		}
	}
	for range 2 {
		report, err := box.SyncUp(ctx, project, "work", files.SyncOptions{Delete: true}, sdk.Exclude("*.log"))
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(report.Copied, report.Unchanged, "unchanged")
	}
	// Output:
	// [main.py test.py] 0 unchanged
	// [] 2 unchanged
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
	fmt.Println(names, err, len(client.Active(ctx)))
	err = client.DeleteAll(ctx)
	fmt.Println(err, len(client.Active(ctx)))
	// Output:
	// [one two] <nil> 2
	// <nil> 0
}

// A port of the sandbox is reached over HTTP, through the API server. Through the router it is the same: see
// WithConnection.
func ExampleSandbox_HTTPClient() {
	w := newWorld()
	defer w.close()
	w.serve(func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "hello from", r.URL.Path) })
	ctx := context.Background()
	box, err := w.client().Create(ctx, sdk.Spec{Template: "python"})
	if err != nil {
		fmt.Println(err)
		return
	}
	response, err := box.HTTPClient(8080).Get("http://sandbox/page")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	fmt.Printf("%s%v\n", text, err)
	// Output:
	// hello from /page
	// <nil>
}

// A local address leads to a port of the sandbox, for programs that know nothing of it.
func ExampleSandbox_Forward() {
	w := newWorld()
	defer w.close()
	w.serve(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "hello") })
	ctx := context.Background()
	box, err := w.client().Create(ctx, sdk.Spec{Template: "python"})
	if err != nil {
		fmt.Println(err)
		return
	}
	forwarding, err := box.Forward(ctx, "localhost:0", 8080)
	if err != nil {
		fmt.Println(err)
		return
	}
	response, err := http.Get("http://" + forwarding.Addr().String())
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = response.Body.Close()
	fmt.Println(response.Status, forwarding.Close())
	// Output:
	// 200 OK <nil>
}

// A command that may run twice is repeated if the connection is lost.
func ExampleSandbox_Retry() {
	w := newWorld()
	defer w.close()
	ctx := context.Background()
	box, err := w.client().Create(ctx, sdk.Spec{Template: "python"})
	if err != nil {
		fmt.Println(err)
		return
	}
	var result sdk.Result
	err = box.Retry(ctx, func(ctx context.Context) error {
		result, err = box.Run(ctx, "sh", "-c", "echo $((6 * 7))")
		return err
	})
	fmt.Printf("%s%v\n", result.Stdout, err)
	// Output:
	// 42
	// <nil>
}
