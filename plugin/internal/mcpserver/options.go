// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// The limits of a session unless the user sets others.
const (
	DefaultMax = 5
	DefaultTTL = time.Hour
)

// Options restrict a session.
type Options struct {
	// Templates, Pools and Images are what sandboxes may be created from. If all are empty, any template and any pool may
	// be used, and no image.
	Templates, Pools, Images []string
	// Use are existing sandboxes that the session may work in.
	Use []string
	// Max is how many sandboxes of the session may exist at once.
	Max int
	// TTL is how long a sandbox may live without being extended.
	TTL time.Duration
	// Keep leaves the sandboxes in place when the session ends, until their time is over.
	Keep bool
	// ReadOnly offers only tools that change nothing.
	ReadOnly bool
	// Allow are the tools to offer; all if it is empty.
	Allow []string
	// LocalDir is the directory of this machine that may be copied from and to; empty for none.
	LocalDir string

	use   map[string]resolve.Ref // by name
	local string                 // LocalDir without symbolic links
}

// Validate checks the options. It needs no cluster.
func (o *Options) Validate() error {
	for _, check := range []func() error{o.validateLimits, o.validateUse, o.validateTools, o.validateLocalDir} {
		if err := check(); err != nil {
			return err
		}
	}
	for flag, values := range map[string][]string{
		"--template": o.Templates, "--pool": o.Pools, "--image": o.Images,
	} {
		if slices.Contains(values, "") {
			return fmt.Errorf("%s has an empty value", flag)
		}
	}
	if slices.Contains(o.Pools, apis.WarmPoolNone) {
		return errors.New("--pool none names no pool: give --template alone")
	}
	return nil
}

func (o *Options) validateLimits() error {
	switch {
	case o.Max < 1:
		return fmt.Errorf("--max is %d: a session needs at least one sandbox", o.Max)
	case o.TTL < time.Minute:
		return fmt.Errorf("--ttl is %s: give at least a minute", o.TTL)
	}
	return nil
}

func (o *Options) validateUse() error {
	o.use = map[string]resolve.Ref{}
	for _, text := range o.Use {
		ref, err := resolve.Parse(text)
		switch {
		case err != nil:
			return fmt.Errorf("--use: %w", err)
		case ref.Kind != resolve.KindAny && ref.Kind != resolve.KindClaim && ref.Kind != resolve.KindSandbox:
			return fmt.Errorf("--use %s: give the name of a claim or of a Sandbox", text)
		}
		if other, twice := o.use[ref.Name]; twice && other != ref {
			return fmt.Errorf("--use names both %s and %s: agents know them by their names alone", other, ref)
		}
		o.use[ref.Name] = ref
	}
	if o.ReadOnly && len(o.use) == 0 {
		return errors.New("--read-only creates no sandboxes: give with --use which ones the session may look at")
	}
	return nil
}

func (o *Options) validateTools() error {
	all := definitions()
	for _, name := range o.Allow {
		at := slices.IndexFunc(all, func(d definition) bool { return d.name == name })
		switch {
		case at < 0:
			return fmt.Errorf("--allow %q names no tool; there are: %s", name, strings.Join(ToolNames(), ", "))
		case o.ReadOnly && all[at].changes:
			return fmt.Errorf("--allow %s does not go together with --read-only", name)
		case o.LocalDir == "" && all[at].local:
			return fmt.Errorf("--allow %s needs --local-dir", name)
		}
	}
	return nil
}

func (o *Options) validateLocalDir() error {
	if o.LocalDir == "" {
		return nil
	}
	directory, err := filepath.Abs(o.LocalDir)
	if err == nil {
		directory, err = filepath.EvalSymlinks(directory)
	}
	if err != nil {
		return fmt.Errorf("--local-dir: %w", err)
	}
	info, err := os.Stat(directory)
	if err != nil {
		return fmt.Errorf("--local-dir: %w", err)
	}
	if !info.IsDir() {
		return fmt.Errorf("--local-dir %s is not a directory", o.LocalDir)
	}
	o.local = directory
	return nil
}

// offers reports whether the session has a tool.
func (o *Options) offers(d *definition) bool {
	switch {
	case o.ReadOnly && d.changes, o.LocalDir == "" && d.local:
		return false
	case d.name == toolReadOutput && len(o.Allow) > 0:
		// What is too long for a result must be readable.
		return slices.ContainsFunc(o.Allow, func(name string) bool {
			return slices.Contains([]string{toolReadOutput, toolRunCommand, toolRunCode, toolReadLogs}, name)
		})
	}
	return len(o.Allow) == 0 || slices.Contains(o.Allow, d.name)
}

// offersTool is offers for the name of a tool.
func (o *Options) offersTool(name string) bool {
	return slices.ContainsFunc(definitions(), func(d definition) bool { return d.name == name && o.offers(&d) })
}

// restricted reports whether the user has said what sandboxes may be created from.
func (o *Options) restricted() bool { return len(o.Templates)+len(o.Pools)+len(o.Images) > 0 }
