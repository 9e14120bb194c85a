// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package target

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/terminal"
)

// ProcessOptions are flags about the process that a command starts in a container. The API of Kubernetes starts a
// program as the container is: with its user, working directory and variables. A shell in the container changes them.
type ProcessOptions struct {
	Workdir string
	User    string
	Env     cli.EnvOptions

	env []cli.EnvVar
}

// AddFlags adds --workdir, --run-as-user, --env and --env-file.
func (o *ProcessOptions) AddFlags(cmd *cobra.Command) {
	o.AddPlaceFlags(cmd)
	o.Env.AddFlags(cmd, "the command")
}

// AddPlaceFlags adds --workdir and --run-as-user.
func (o *ProcessOptions) AddPlaceFlags(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&o.Workdir, "workdir", "w", "",
		"The directory to run the command in; the image needs sh. (default: the container's working directory)")
	cmd.Flags().StringVarP(&o.User, "run-as-user", "u", "",
		"The user, a name or number, to run the command as: that of the container, or any if the container runs as root "+
			"and its image has setpriv or su. (--user is the user of the kubeconfig)")
}

// userName matches what --run-as-user takes.
var userName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]*$`)

// Validate checks the flags and parses them.
func (o *ProcessOptions) Validate() error {
	if strings.Contains(o.User, ":") {
		return cli.UsageError(fmt.Errorf("--run-as-user %q: give the user alone, who has the groups of the image", o.User))
	}
	if o.User != "" && !userName.MatchString(o.User) {
		return cli.UsageError(fmt.Errorf("--run-as-user %q is neither the name nor the number of a user", o.User))
	}
	env, err := o.Env.Parse()
	if err != nil {
		return cli.UsageError(err)
	}
	o.env = env
	return nil
}

// setUp enters the directory $1, sets the variables up to "--", and becomes the command that follows. The path begins
// with / or ./, so that cd prints nothing.
const setUp = `CDPATH= cd -- "$1" || exit 126; shift; ` +
	`until [ "$1" = -- ]; do export "$1"; shift; done; shift; exec "$@"`

// become becomes the command $3... as user $1. $2 is that command in the words of a shell, which is what su takes. A
// user without a name has no group but that of the same number.
const become = `__user=$1 __words=$2; shift 2
if [ "$__user" = "$(id -un 2>/dev/null)" ] || [ "$__user" = "$(id -u)" ]; then exec "$@"; fi
if [ "$(id -u)" != 0 ]; then
  echo "the container runs as user $(id -u), and only root becomes another user: $__user" >&2; exit 126
fi
if id "$__user" >/dev/null 2>&1; then eval "HOME=~$(id -un "$__user")"; export HOME; fi
if setpriv --reuid="$__user" --clear-groups true 2>/dev/null; then
  __group=$(id -g "$__user" 2>/dev/null)
  if [ -n "$__group" ]; then exec setpriv --reuid="$__user" --regid="$__group" --init-groups -- "$@"; fi
  exec setpriv --reuid="$__user" --regid="$__user" --clear-groups -- "$@"
fi
if id "$__user" >/dev/null 2>&1 && command -v su >/dev/null; then exec su -s /bin/sh -c "exec $__words" "$__user"; fi
echo "user $__user: the image does not have that user, or neither setpriv nor su" >&2; exit 126`

// Command returns the command line that runs the command with the options.
func (o *ProcessOptions) Command(command []string) []string {
	if o.User != "" {
		command = append([]string{"sh", "-c", become, "sh", o.User, quoteAll(command)}, command...)
	}
	if o.Workdir == "" && len(o.env) == 0 {
		return command
	}
	directory := o.Workdir
	if !strings.HasPrefix(directory, "/") {
		directory = "./" + directory
	}
	line := []string{"sh", "-c", setUp, "sh", directory}
	for _, variable := range o.env {
		line = append(line, variable.Name+"="+variable.Value)
	}
	return append(append(line, "--"), command...)
}

// RunProcess is like Run, with the options of the process.
func (c *Container) RunProcess(
	ctx context.Context, session *terminal.Session, o *ProcessOptions, command []string,
) error {
	return c.Result(o.explain(session.Run(ctx, c.Factory.Clock(), c.Network, c.Address, o.Command(command))))
}

// quoteAll quotes every word for a shell, so that none of them is a keyword or an alias.
func quoteAll(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return strings.Join(quoted, " ")
}

// explain adds to the error that a program is missing that the options need a shell.
func (o *ProcessOptions) explain(err error) error {
	start, is := errors.AsType[*stream.StartError](err)
	if is && (o.Workdir != "" || o.User != "" || len(o.env) > 0) {
		return &stream.StartError{Message: start.Message + " (--workdir, --run-as-user and --env need sh in the image)"}
	}
	return err
}
