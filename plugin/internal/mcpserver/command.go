// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"context"
	_ "embed" // for the scripts
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"k8s.io/apimachinery/pkg/util/rand"

	"github.com/agent-sandbox/kubectl-sandbox/sdk"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
)

// The scripts that run in sandboxes. Each says at its beginning what it does.
var (
	//go:embed scripts/read_text.sh
	readTextScript string
	//go:embed scripts/watchdog.sh
	watchdogScript string
	//go:embed scripts/run.sh
	runScript string
	//go:embed scripts/search.sh
	searchScript string
)

const (
	// maxText is how long a command or a program may be. A program gets a command as an argument, and Linux permits
	// 128 KiB for one.
	maxText = 100_000
	// defaultCommandTime and maxCommandTime are how long a command may run.
	defaultCommandTime = 5 * time.Minute
	maxCommandTime     = 6 * time.Hour
)

func commandTools() []definition {
	const background = " A program that shall go on running, such as a server, must not keep the outputs: start it with " +
		"nohup PROGRAM >log 2>&1 &."
	return []definition{
		{
			name: toolRunCommand, title: "Run a command", changes: true, destroys: true,
			description: "Run a command line with sh in a sandbox, and return its exit code and outputs. It has no input and " +
				"no terminal." + background,
			add: tool((*request).runCommand, func(_ *Server, schema *jsonschema.Schema) { limitTime(schema) }),
		},
		{
			name: toolRunCode, title: "Run code", changes: true, destroys: true,
			description: "Run a program that is given as source code in a sandbox, and return its exit code and outputs. The " +
				"image of the sandbox must have the interpreter." + background,
			add: tool((*request).runCode, func(_ *Server, schema *jsonschema.Schema) {
				limitTime(schema)
				oneOf(schema, "language", slices.Sorted(maps.Keys(interpreters())))
			}),
		},
		{
			name: toolReadOutput, title: "Read a long output",
			description: "Read a part of an output that was too long for a result.",
			add: tool((*request).readOutput, func(_ *Server, schema *jsonschema.Schema) {
				limitPart(schema)
			}),
		},
	}
}

func limitTime(schema *jsonschema.Schema) {
	between(schema, "timeout_seconds", 1, int(maxCommandTime/time.Second))
	property(schema, "timeout_seconds").Description += fmt.Sprintf("; by default %d", int(defaultCommandTime/time.Second))
}

// execution is what commands and code have in common.
type execution struct {
	targeted

	Directory string `json:"directory,omitempty" jsonschema:"directory to run in; by default that of the image"`
	Timeout   int    `json:"timeout_seconds,omitempty" jsonschema:"after how many seconds it is ended"`
}

type commandLine struct {
	execution

	Command string `json:"command" jsonschema:"the command line for sh"`
}

type program struct {
	execution

	Language string `json:"language" jsonschema:"what the code is written in"`
	Code     string `json:"code" jsonschema:"the source code"`
}

// interpreter says how a program is run.
type interpreter struct {
	how     string // argument or input: how it gets the code
	command []string
}

// interpreters returns the interpreters of the languages. Those that get the code as an argument are shells, whose
// commands would otherwise read the code as their input.
func interpreters() map[string]interpreter {
	return map[string]interpreter{
		"bash":       {"argument", []string{"bash", "-c"}},
		"javascript": {"input", []string{"node", "-"}},
		"perl":       {"input", []string{"perl", "-"}},
		"python":     {"input", []string{"python3", "-"}},
		"ruby":       {"input", []string{"ruby", "-"}},
		"sh":         {"argument", []string{"sh", "-c"}},
	}
}

func (r *request) runCommand(ctx context.Context, in commandLine) (executed, error) {
	return r.run(ctx, &in.execution, interpreters()["sh"], in.Command)
}

func (r *request) runCode(ctx context.Context, in program) (executed, error) {
	with, known := interpreters()[in.Language]
	if !known {
		return executed{}, fmt.Errorf("%s is none of the languages", quote(in.Language))
	}
	return r.run(ctx, &in.execution, with, in.Code)
}

// run runs a text with an interpreter.
func (r *request) run(ctx context.Context, in *execution, with interpreter, text string) (executed, error) {
	if err := checkText("the command or code", text); err != nil {
		return executed{}, err
	}
	directory, err := optionalPath("directory", in.Directory)
	if err != nil {
		return executed{}, err
	}
	e, err := r.server.table.find(in.Sandbox)
	if err != nil {
		return executed{}, err
	}
	limit := defaultCommandTime
	if in.Timeout > 0 {
		limit = min(time.Duration(in.Timeout)*time.Second, maxCommandTime)
	}
	limited, cancel := context.WithTimeoutCause(ctx, limit, errTimeOver)
	defer cancel()
	progress := r.progress()
	out, errOut := r.server.outputs.capture(progress), r.server.outputs.capture(progress)
	code, err := r.script(limited, e, script{
		text: text, program: readTextScript + watchdogScript + runScript, out: out, errOut: errOut,
		words: append([]string{directory, with.how}, with.command...),
	})
	progress.finish()
	result := executed{
		Sandbox: e.ref.Name, Stdout: out.finish(), Stderr: errOut.finish(), Note: r.server.expiryNote(e),
	}
	switch {
	case err == nil:
		result.ExitCode = &code
	case errors.Is(context.Cause(limited), errTimeOver):
		result.Note = fmt.Sprintf("it was ended because it ran for longer than %s", limit)
	case errors.Is(err, sdk.ErrLost) && ctx.Err() == nil:
		result.Note = "the connection was lost, so the exit code is unknown: " + r.server.cluster.explain(err).Error()
	default:
		return executed{}, err
	}
	return result, nil
}

// errTimeOver is why a command that has run for too long ends.
var errTimeOver = errors.New("its time is over")

// script is a script to run in a sandbox. It begins with the first two scripts of this package.
type script struct {
	program     string
	text        string // which read_text.sh reads
	words       []string
	out, errOut io.Writer
}

// endLength is the number of random characters in the line that ends a text.
const endLength = 20

// script runs a script. It ends with the context: then its input ends, which the script notices.
func (r *request) script(ctx context.Context, e *entry, of script) (int, error) {
	box, err := r.server.box(ctx, e)
	if err != nil {
		return 0, err
	}
	end := rand.String(endLength)
	open, over := io.Pipe()
	defer over.Close()
	return box.Exec(ctx, stream.Process{
		Command: append([]string{"sh", "-c", withoutComments(of.program), "sh", end}, of.words...),
		Stdin:   io.MultiReader(strings.NewReader(of.text+"\n"+end+"\n"), open),
		Stdout:  of.out, Stderr: of.errOut, Bulk: true,
	})
}

// withoutComments returns a script without the lines that are comments.
func withoutComments(script string) string {
	var kept strings.Builder
	for line := range strings.Lines(script) {
		if !strings.HasPrefix(line, "#") {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

// checkText checks a text that a shell reads and passes on.
func checkText(what, text string) error {
	switch {
	case text == "":
		return fmt.Errorf("%s is empty", what)
	case len(text) > maxText:
		return fmt.Errorf("%s has %d bytes, at most %d are possible: write it to a file first, and run that", what, len(text),
			maxText)
	case strings.Contains(text, "\x00"):
		return fmt.Errorf("%s has a NUL character", what)
	}
	return nil
}
