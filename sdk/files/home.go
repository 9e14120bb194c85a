// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"context"
	"errors"
	"path"
	"strings"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
)

// ExpandHome replaces ~ at the beginning of a remote path with the home directory of the container's user. Other paths
// are returned as they are, also ~name, which is the name of a file here.
func (c *Copier) ExpandHome(ctx context.Context, remote string) (string, error) {
	below, found := strings.CutPrefix(remote, "~")
	if !found || below != "" && !strings.HasPrefix(below, "/") {
		return remote, nil
	}
	var out limitedOutput
	err := c.run(ctx, []string{"sh", "-c", `printf '%s\n' "$HOME"`}, &out)
	if err != nil && !stream.Missing(err) {
		return "", err
	}
	home := strings.TrimSuffix(out.String(), "\n")
	if !path.IsAbs(home) {
		return "", errors.New("the sandbox does not say which directory ~ is: give the path from / on")
	}
	return strings.TrimSuffix(home, "/") + below, nil
}
