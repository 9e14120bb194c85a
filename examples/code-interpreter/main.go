// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// The program code-interpreter answers the tool calls of a model: it reads them, one JSON object in a line, runs the
// code in a sandbox, and prints one answer in a line. With -definition it prints the schema of the tool instead.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/sdk"
)

func main() {
	template := flag.String("template", "", "The SandboxTemplate of the sandbox.")
	pool := flag.String("pool", "", "The SandboxWarmPool of the sandbox.")
	limit := flag.Duration("limit", time.Minute, "How long one call may run.")
	definition := flag.Bool("definition", false, "Print the schema of the tool.")
	flag.Parse()
	var err error
	if *definition {
		err = json.NewEncoder(os.Stdout).Encode(Definition())
	} else {
		err = run(context.Background(), sdk.Spec{Template: *template, Pool: *pool, TTL: time.Hour}, *limit)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "code-interpreter:", err)
		os.Exit(1)
	}
}

// run answers the calls on standard input in one sandbox, which it deletes at the end.
func run(ctx context.Context, spec sdk.Spec, limit time.Duration) (err error) {
	client, err := sdk.New(nil)
	if err != nil {
		return err
	}
	defer client.CleanUpOnSignals()()
	box, err := client.Create(ctx, spec)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, box.Close(ctx)) }()
	return answer(ctx, NewInterpreter(box, limit), os.Stdin, os.Stdout)
}

// Call is a tool call of a model. All APIs of models have these three, under names of their own.
type Call struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// Answer is what the model gets for a Call.
type Answer struct {
	ID      string `json:"id"`
	Content string `json:"content"`
}

// answer answers the calls of a reader, in their order.
func answer(ctx context.Context, interpreter *Interpreter, in io.Reader, out io.Writer) error {
	calls, answers := json.NewDecoder(bufio.NewReader(in)), json.NewEncoder(out)
	answers.SetEscapeHTML(false)
	for {
		var call Call
		if err := calls.Decode(&call); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("read a call: %w", err)
		}
		content, err := interpreter.Call(ctx, call.Name, call.Arguments)
		if err != nil {
			return fmt.Errorf("call %s: %w", call.ID, err)
		}
		if err := answers.Encode(Answer{ID: call.ID, Content: content}); err != nil {
			return err
		}
	}
}
