// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package portforward

import (
	"context"
	"net"
	"os/exec"
	"strconv"
)

// address returns the URL of a forwarded port: https for the usual TLS ports, http for all others.
func address(e Event) string {
	scheme := "http"
	if e.Remote == 443 || e.Remote == 8443 {
		scheme = "https"
	}
	host := e.Address
	if ip := net.ParseIP(host); ip != nil && (ip.IsLoopback() || ip.IsUnspecified()) {
		host = "localhost"
	}
	return scheme + "://" + net.JoinHostPort(host, strconv.Itoa(e.Port)) + "/"
}

// opener returns the program that opens a URL: the one that the user chose, or the default of the system.
func opener(system, chosen, url string) (program string, args []string) {
	switch {
	case chosen != "":
		return chosen, []string{url}
	case system == "darwin":
		return "open", []string{url}
	case system == "windows":
		return "rundll32", []string{"url.dll,FileProtocolHandler", url}
	}
	return "xdg-open", []string{url}
}

// browse starts a browser and does not wait for it to end.
func browse(ctx context.Context, system, chosen, url string) error {
	program, args := opener(system, chosen, url)
	command := exec.CommandContext(context.WithoutCancel(ctx), program, args...)
	if err := command.Start(); err != nil {
		return err
	}
	go func() { _ = command.Wait() }() // so that it does not become a zombie
	return nil
}
