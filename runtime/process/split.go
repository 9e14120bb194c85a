// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build linux

package process

import (
	"errors"
	"fmt"

	"github.com/kballard/go-shellquote"
)

// ErrEmpty is returned for a command without a word in it.
var ErrEmpty = errors.New("the command is empty")

// Split splits a command into arguments by the quoting rules of a shell. It expands nothing, and gives no meaning to
// operators, comments and assignments. shellquote does exactly this. Other libraries drop the backslash in "\n" and
// everything after a # (google/shlex), or expand variables and refuse operators (mvdan.cc/sh).
func Split(command string) ([]string, error) {
	words, err := shellquote.Split(command)
	switch {
	case errors.Is(err, shellquote.UnterminatedSingleQuoteError):
		return nil, errors.New("a single quote in the command is not closed")
	case errors.Is(err, shellquote.UnterminatedDoubleQuoteError):
		return nil, errors.New("a double quote in the command is not closed")
	case errors.Is(err, shellquote.UnterminatedEscapeError):
		return nil, errors.New("the command ends with a backslash")
	case err != nil:
		return nil, fmt.Errorf("split the command: %w", err)
	case len(words) == 0:
		return nil, ErrEmpty
	}
	return words, nil
}
