// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/sdk"
)

// ToolName is the name of the tool.
const ToolName = "run_code"

// maxText limits each output in an answer: what a model reads costs tokens.
const maxText = 8 << 10

// codeTimeout is the exit code of the program timeout when the time is over.
const codeTimeout = 124

// Tool describes a function to a model: its name, what it is for, and the JSON schema of its arguments.
type Tool struct {
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Parameters  map[string]any `json:"parameters"`
}

// Definition returns the description of the tool. Some APIs call the parameters input_schema.
func Definition() Tool {
	return Tool{
		Name: ToolName,
		Description: "Runs a program in a sandbox and returns its exit code and outputs. Each call is a new process. " +
			"Files in the working directory stay until the end of the conversation.",
		Parameters: map[string]any{
			"type": "object",
			"properties": map[string]any{
				"language": map[string]any{
					"type": "string", "enum": []string{"python", "sh"}, "description": "The language of the code.",
				},
				"code": map[string]any{"type": "string", "description": "The whole program."},
			},
			"required":             []string{"language", "code"},
			"additionalProperties": false,
		},
	}
}

// Sandbox is the part of *sdk.Sandbox that an Interpreter uses.
type Sandbox interface {
	Write(ctx context.Context, path string, content []byte) error
	Run(ctx context.Context, command ...string) (sdk.Result, error)
}

// Interpreter runs the code of a conversation in one sandbox.
type Interpreter struct {
	box   Sandbox
	limit time.Duration
}

// NewInterpreter returns an Interpreter whose calls run for as long as limit at most.
func NewInterpreter(box Sandbox, limit time.Duration) *Interpreter { return &Interpreter{box, limit} }

// result is what the model learns about its program.
type result struct {
	ExitCode  int    `json:"exit_code"`
	Stdout    string `json:"stdout"`
	Stderr    string `json:"stderr"`
	Truncated bool   `json:"truncated,omitempty"`
	Remark    string `json:"remark,omitempty"`
}

// Call carries out a call of the model and returns the answer for it. Mistakes of the model are answers too: it can
// mend them. An error means that the sandbox cannot be used.
func (i *Interpreter) Call(ctx context.Context, name string, arguments []byte) (answer string, err error) {
	if name != ToolName {
		return mistake("there is no tool %q; call %s", name, ToolName)
	}
	var parameters struct{ Language, Code string }
	decoder := json.NewDecoder(bytes.NewReader(arguments))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&parameters); err != nil {
		return mistake("the arguments do not fit the schema: %v", err)
	}
	command, file := []string{"python3", "main.py"}, "main.py"
	switch parameters.Language {
	case "python":
	case "sh":
		command, file = []string{"sh", "main.sh"}, "main.sh"
	default:
		return mistake("language is %q; it must be python or sh", parameters.Language)
	}
	if err := i.box.Write(ctx, file, []byte(parameters.Code)); err != nil {
		return "", fmt.Errorf("write the code: %w", err)
	}
	return i.execute(ctx, command)
}

// execute runs a command in the sandbox. The program timeout ends it there, with what it has started.
func (i *Interpreter) execute(ctx context.Context, command []string) (string, error) {
	seconds := strconv.FormatFloat(i.limit.Seconds(), 'f', -1, 64)
	ran, err := i.box.Run(ctx, append([]string{"timeout", seconds}, command...)...)
	if err != nil && !errors.Is(err, sdk.ErrTooLarge) {
		return "", fmt.Errorf("run the code: %w", err)
	}
	told := result{ExitCode: ran.ExitCode, Truncated: err != nil}
	told.Stdout = cut(ran.Stdout, &told.Truncated)
	told.Stderr = cut(ran.Stderr, &told.Truncated)
	if ran.ExitCode == codeTimeout {
		told.Remark = "the program was ended after " + i.limit.String()
	}
	return encode(told)
}

// cut returns the end of a text that is too long: the end has the result, or the error.
func cut(text []byte, truncated *bool) string {
	if len(text) > maxText {
		*truncated = true
		text = text[len(text)-maxText:]
	}
	return string(bytes.ToValidUTF8(text, []byte("\uFFFD")))
}

func mistake(format string, args ...any) (string, error) {
	return encode(struct {
		Error string `json:"error"`
	}{fmt.Sprintf(format, args...)})
}

func encode(value any) (string, error) {
	text := &bytes.Buffer{}
	encoder := json.NewEncoder(text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return string(bytes.TrimSpace(text.Bytes())), err
}
