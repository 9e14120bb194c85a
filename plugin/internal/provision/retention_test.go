// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package provision

import (
	"strings"
	"testing"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
)

func TestVolumesAreRetainedWhenAsked(t *testing.T) {
	for value, want := range map[string]bool{"": false, "delete": false, "Retain": true, "retain": true} {
		o := NewOptions()
		o.Name, o.Image, o.Volumes, o.VolumeRetention = "dev", "img", []string{"data=1Gi"}, value
		if err := o.Validate(); err != nil {
			t.Fatal(err)
		}
		s := o.BuildSandbox("ns", now)
		if s.Spec.RetainsVolumes() != want || (s.Spec.PersistentVolumeClaimRetentionPolicy == nil) != (value == "") {
			t.Errorf("%q: %+v", value, s.Spec.PersistentVolumeClaimRetentionPolicy)
		}
	}
	for says, change := range map[string]func(*Options){
		"use Delete or Retain": func(o *Options) { o.Image, o.VolumeRetention = "img", "keep" },
		"set by the template":  func(o *Options) { o.Template, o.VolumeRetention = "python", "Retain" },
	} {
		o := NewOptions()
		o.Name = "dev"
		change(o)
		if err := o.Validate(); cli.ExitCode(err) != cli.ExitUsage || !strings.Contains(err.Error(), says) {
			t.Errorf("got %v, want %q", err, says)
		}
	}
}
