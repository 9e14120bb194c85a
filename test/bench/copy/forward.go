// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"
)

// forwardBytes is how many bytes one request fetches through a forwarded port.
const forwardBytes = 256 << 20

// forward measures fetching a file through the forwarded port of kubectl and of the plugin, and how soon the plugin's
// responds after suspend and resume.
func (b *bench) forward(ctx context.Context) error {
	serve := "cd /tmp && { [ -f large ] || head -c " + fmt.Sprint(forwardBytes) +
		" /dev/zero >large; } && (python3 -m http.server 8000 >/dev/null 2>&1 &)"
	if err := b.execInside(ctx, serve); err != nil {
		return err
	}
	ours, endOurs, err := b.startForward(ctx, "kubectl-sandbox")
	if err != nil {
		return err
	}
	defer endOurs()
	// wait for the server: kubectl's port-forward ends if it is down
	if err := eventually(ctx, func() error { return fetch(ctx, ours, "") }); err != nil {
		return err
	}
	theirs, endTheirs, err := b.startForward(ctx, "kubectl")
	if err != nil {
		return err
	}
	defer endTheirs()
	err = b.compare(ctx, fmt.Sprintf("port-forward of %d MiB", forwardBytes>>20), b.rounds, forwardBytes, nil,
		func(ctx context.Context) error { return fetch(ctx, theirs, "large") },
		func(ctx context.Context) error { return fetch(ctx, ours, "large") })
	if err != nil {
		return err
	}
	return b.reconnect(ctx, ours)
}

func (b *bench) reconnect(ctx context.Context, address string) error {
	var times []time.Duration
	for range b.rounds {
		for _, verb := range []string{"suspend", "resume"} {
			if err := b.plugin(ctx, verb, sandbox, "--wait"); err != nil {
				return err
			}
		}
		if err := b.execInside(ctx, "cd /tmp && (python3 -m http.server 8000 >/dev/null 2>&1 &)"); err != nil {
			return err
		}
		began := time.Now()
		if err := eventually(ctx, func() error { return fetch(ctx, address, "") }); err != nil {
			return err
		}
		times = append(times, time.Since(began))
	}
	fmt.Printf("| first answer after suspend and resume | never (it ends) | %v | |\n",
		median(times).Round(time.Millisecond))
	return nil
}

// startForward starts a forward on a free local port and returns its address.
func (b *bench) startForward(ctx context.Context, program string) (string, func(), error) {
	what := "pod/" + sandbox
	if program == "kubectl-sandbox" {
		what = sandbox
	}
	c := exec.CommandContext(ctx, program, "-n", b.namespace, "port-forward", what, ":8000")
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		return "", nil, err
	}
	end := func() {
		_ = c.Process.Kill() // it may have ended
		_ = c.Wait()
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		address, _, found := strings.Cut(strings.TrimPrefix(lines.Text(), "Forwarding from "), " -> ")
		if found && strings.HasPrefix(address, "127.0.0.1:") {
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return address, end, nil
		}
	}
	end()
	return "", nil, errors.New(program + " port-forward gave no port")
}

func fetch(ctx context.Context, address, path string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/"+path, http.NoBody)
	if err != nil {
		return err
	}
	answer, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	n, err := io.Copy(io.Discard, answer.Body)
	if err == nil && path != "" && n != forwardBytes {
		err = fmt.Errorf("%d bytes came", n)
	}
	return err
}

func eventually(ctx context.Context, do func() error) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		err := do()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-tick.C:
		}
	}
}
