// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// The program browser-pool prints the title of each page that its arguments name. It opens each page in a browser of
// its own, which it claims from a pool, and speaks the Chrome DevTools Protocol with it through the API server.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/agent-sandbox/kubectl-sandbox/sdk"
)

// devtoolsPort is the port of DevTools in the sandboxes.
const devtoolsPort = 9222

func main() {
	pool := flag.String("pool", "browsers", "The SandboxWarmPool of the browsers.")
	limit := flag.Duration("limit", time.Minute, "How long a page may take.")
	flag.Parse()
	client, err := sdk.New(nil)
	if err == nil {
		stop := client.CleanUpOnSignals()
		readTitle := func(ctx context.Context, page string) (string, error) {
			box, err := client.Create(ctx, sdk.Spec{Pool: *pool, TTL: time.Hour})
			if err != nil {
				return "", err
			}
			of, cancel := context.WithTimeout(ctx, *limit)
			defer cancel()
			read, err := title(of, page, func(ctx context.Context) (net.Conn, error) { return box.Dial(ctx, devtoolsPort) })
			return read, errors.Join(err, box.Close(ctx))
		}
		err = printTitles(context.Background(), flag.Args(), os.Stdout, readTitle)
		stop()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "browser-pool:", err)
		os.Exit(1)
	}
}

// printTitles prints the titles of the pages, which it reads in parallel. It returns the error of the first that fails.
func printTitles(
	ctx context.Context, pages []string, out io.Writer, title func(ctx context.Context, page string) (string, error),
) error {
	if len(pages) == 0 {
		return errors.New("give the URL of a page, or several")
	}
	titles := make([]string, len(pages))
	group, ctx := errgroup.WithContext(ctx)
	for i, page := range pages {
		group.Go(func() (err error) {
			if titles[i], err = title(ctx, page); err != nil {
				return fmt.Errorf("%s: %w", page, err)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for i, page := range pages {
		if _, err := fmt.Fprintf(out, "%s %q\n", page, titles[i]); err != nil { // quoted: it is foreign text
			return err
		}
	}
	return nil
}
