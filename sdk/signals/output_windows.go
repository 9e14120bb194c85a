// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package signals

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

func isBrokenPipe(err error) bool {
	return errors.Is(err, windows.ERROR_BROKEN_PIPE) || errors.Is(err, windows.ERROR_NO_DATA)
}

// OutputClosed returns false: Windows has no SIGPIPE.
func OutputClosed(*os.File) bool { return false }
