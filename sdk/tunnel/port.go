// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tunnel

import (
	"fmt"
	"strconv"
	"strings"
)

// Port is a local and a remote port. Local 0 means any free port.
type Port struct {
	Local  uint16
	Remote uint16
}

// PortSpec is a pair of ports as the user wrote it: Remote may be the name of a container's port.
type PortSpec struct {
	Local  string
	Remote string
}

// ParsePort parses [LOCAL:]REMOTE. An empty LOCAL before the colon means any free port.
func ParsePort(text string) (PortSpec, error) {
	local, remote, found := strings.Cut(text, ":")
	if !found {
		local, remote = "", local
	} else if local == "" {
		local = "0"
	}
	ask := PortSpec{Local: local, Remote: remote}
	if remote == "" || strings.Contains(remote, ":") {
		return PortSpec{}, fmt.Errorf("%q is no port: use REMOTE, LOCAL:REMOTE or :REMOTE", text)
	}
	if local != "" {
		if _, err := number(local, 0); err != nil {
			return PortSpec{}, fmt.Errorf("local port of %q: %w", text, err)
		}
	}
	if _, err := number(remote, 1); err != nil && isNumeric(remote) {
		return PortSpec{}, fmt.Errorf("remote port of %q: %w", text, err)
	}
	return ask, nil
}

// Resolve returns the port numbers. named finds the number of a container's port by its name.
func (a PortSpec) Resolve(named func(name string) (int32, bool)) (Port, error) {
	remote, err := number(a.Remote, 1)
	if err != nil {
		found, ok := named(a.Remote)
		if !ok {
			return Port{}, fmt.Errorf("no container has a port called %q", a.Remote)
		}
		remote = uint16(found) // the API server admits no port above 65535
	}
	if a.Local == "" {
		return Port{Local: remote, Remote: remote}, nil
	}
	local, err := number(a.Local, 0)
	return Port{Local: local, Remote: remote}, err
}

func number(text string, least uint64) (uint16, error) {
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil || n < least {
		return 0, fmt.Errorf("%q is not a number from %d to 65535", text, least)
	}
	return uint16(n), nil
}

func isNumeric(text string) bool { return strings.Trim(text, "-0123456789") == "" }
