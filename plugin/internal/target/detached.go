// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package target

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/rand"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
)

// detachedLength is the number of characters of the name of a detached command.
const detachedLength = 8

// detachedName matches the name of a detached command.
var detachedName = regexp.MustCompile(`^[a-z0-9-]{1,40}$`)

// A detached command has a directory in the container: its output, its process and, when it has ended, its exit code.
const detachedDirectory = "/tmp/.kubectl-sandbox/"

// start runs the command $2... without this session. Only its user reads the directory $1. A SIGHUP does not end it.
const start = `__dir=$1; shift
if [ -e "$__dir" ]; then echo "a command of that name was started before" >&2; exit 126; fi
(umask 077; mkdir -p "$__dir" && : >"$__dir/output") || exit 126
(
  trap '' HUP
  "$@" >>"$__dir/output" 2>&1 </dev/null
  echo $? >"$__dir/ended"; mv "$__dir/ended" "$__dir/code"
) >/dev/null 2>&1 </dev/null &
echo $! >"$__dir/process"`

// running is a function that reports whether the command of the directory $dir runs: it has no exit code, and its
// process is there and no zombie.
const running = `dir=$1
if [ ! -d "$dir" ]; then echo "there is no such command" >&2; exit 3; fi
running() {
  if [ -e "$dir/code" ]; then return 1; fi
  if [ ! -e "$dir/process" ]; then return 0; fi
  case "$(cat "/proc/$(cat "$dir/process")/stat" 2>/dev/null)" in ''|*') Z '*) return 1;; esac
}
`

// awaitEnd prints the exit code when the command has ended.
const awaitEnd = running + `while running; do sleep 1; done
if [ ! -e "$dir/code" ]; then sleep 1; fi
if ! cat "$dir/code" 2>/dev/null; then echo "the command was killed, and its exit code is not known" >&2; exit 4; fi`

// output prints what the command has written; $2 is the number of the last lines, or all.
const output = running + `if [ "$2" = all ]; then exec cat "$dir/output"; fi
exec tail -n "$2" "$dir/output"`

// followOutput prints what the command writes until it has ended, after the last lines as in output.
const followOutput = running + `at=0
if [ "$2" != all ]; then at=$(($(wc -c <"$dir/output") - $(tail -n "$2" "$dir/output" | wc -c))); fi
while :; do
  if running; then more=1; else more=; fi
  size=$(wc -c <"$dir/output")
  if [ "$size" -gt "$at" ]; then tail -c +$((at + 1)) "$dir/output" | head -c $((size - at)); at=$size; fi
  if [ -z "$more" ]; then exit 0; fi
  sleep 1
done`

// CheckDetachedName returns an error for what is not the name of a detached command.
func CheckDetachedName(name string) error {
	if !detachedName.MatchString(name) {
		return fmt.Errorf("--exec %q: give what exec --detach printed", name)
	}
	return nil
}

// Start starts a command that outlives the session, and returns its name. An empty name is generated.
func (c *Container) Start(ctx context.Context, o *ProcessOptions, command []string, name string) (string, error) {
	if name == "" {
		name = rand.String(detachedLength)
	}
	line := append([]string{"sh", "-c", start, "sh", detachedDirectory + name}, o.Command(command)...)
	return name, c.detached(ctx, line, io.Discard)
}

// AwaitEnd waits until the detached command has ended, and returns its exit code.
func (c *Container) AwaitEnd(ctx context.Context, name string) (int, error) {
	var printed bytes.Buffer
	if err := c.detached(ctx, []string{"sh", "-c", awaitEnd, "sh", detachedDirectory + name}, &printed); err != nil {
		return 0, err
	}
	code, err := strconv.ParseUint(strings.TrimSpace(printed.String()), 10, 8)
	if err != nil {
		return 0, fmt.Errorf("the exit code of command %s cannot be read: %q", name, printable.Line(printed.String()))
	}
	return int(code), nil
}

// Output writes the output of the detached command: all of it if tail is negative, or that many of the last lines. With
// follow it goes on until the command has ended.
func (c *Container) Output(ctx context.Context, name string, tail int64, follow bool, out io.Writer) error {
	script, lines := output, "all"
	if follow {
		script = followOutput
	}
	if tail >= 0 {
		lines = strconv.FormatInt(tail, 10)
	}
	return c.detached(ctx, []string{"sh", "-c", script, "sh", detachedDirectory + name, lines}, out)
}

// detached runs one of the scripts. Its exit code is no remote one: what it prints on its standard error is the error.
func (c *Container) detached(ctx context.Context, command []string, out io.Writer) error {
	said := &limitedText{}
	err := c.Network.Exec(ctx, c.Address, stream.Process{Command: command, Stdout: out, Stderr: said})
	if ended, ok := errors.AsType[*stream.ExitError](err); ok {
		text := strings.TrimSpace(said.String())
		if text == "" {
			text = ended.Error()
		}
		return fmt.Errorf("container %s of %s: %s", c.Address.Name, c.Sandbox.Name(), printable.Line(text))
	}
	if start, ok := errors.AsType[*stream.StartError](err); ok {
		err = &stream.StartError{Message: start.Message + " (a detached command needs sh in the image)"}
	}
	return c.Result(err)
}

// limitedText keeps the first bytes of a text.
type limitedText struct{ bytes.Buffer }

// Write implements io.Writer.
func (l *limitedText) Write(p []byte) (int, error) {
	const limit = 4 << 10
	if room := limit - l.Len(); room > 0 {
		l.Buffer.Write(p[:min(room, len(p))]) // bytes.Buffer never fails
	}
	return len(p), nil
}

// ReadFrom hides the buffer's own method, which knows no limit.
func (l *limitedText) ReadFrom(r io.Reader) (int64, error) { return io.Copy(struct{ io.Writer }{l}, r) }
