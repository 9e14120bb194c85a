// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/cli-runtime/pkg/printers"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
)

// ErrNotConfirmed is the error of Confirm for any answer but yes.
var ErrNotConfirmed = errors.New("nothing was deleted")

// Confirm asks the question on stderr and reads the answer from stdin. It returns nil for yes; the default is no. It
// returns when the context is cancelled, although the read goes on.
func Confirm(ctx context.Context, streams genericiooptions.IOStreams, question string) error {
	if _, err := io.WriteString(streams.ErrOut, printable.Text(question)+" [y/N] "); err != nil {
		return err
	}
	answer := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(streams.In).ReadString('\n') // an answer that EOF cuts short counts as it is
		answer <- line
	}()
	select {
	case <-ctx.Done():
		_, _ = io.WriteString(streams.ErrOut, "\n") // ends the line of the prompt
		return ctx.Err()
	case line := <-answer:
		switch strings.ToLower(strings.TrimSpace(line)) {
		case "y", "yes":
			return nil
		}
		return ErrNotConfirmed
	}
}

// AddYesFlag adds --yes, which skips the confirmation.
func AddYesFlag(cmd *cobra.Command, yes *bool) {
	cmd.Flags().BoolVarP(yes, "yes", "y", false, "Do not ask.")
}

// RequireConfirmable returns a usage error if the command has to ask and there is no terminal.
func RequireConfirmable(in io.Reader, yes bool, command string) error {
	if yes || printers.IsTerminal(in) {
		return nil
	}
	return UsageError(errors.New(command + " cannot ask without a terminal: give --yes if you mean it"))
}

// maxNamesInQuestion is how many names JoinNames spells out.
const maxNamesInQuestion = 5

// JoinNames joins names for a question. It counts those after the first few, as in "a, b, c, d, e, 3 more".
func JoinNames(names []string) string {
	if more := len(names) - maxNamesInQuestion; more > 0 {
		names = append(slices.Clone(names[:maxNamesInQuestion]), fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}

// JoinNamespaces joins the namespaces of objects for a question, as in "namespace a" or "namespaces a, b".
func JoinNamespaces(namespaces []string) string {
	var names []string
	for _, name := range namespaces {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 1 {
		return "namespace " + names[0]
	}
	return "namespaces " + JoinNames(names)
}
