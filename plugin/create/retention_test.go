// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package create

import (
	"strings"
	"testing"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/exit"
)

func TestVolumesAreRetainedWhenAsked(t *testing.T) {
	for value, want := range map[string]bool{"": false, "delete": false, "Retain": true, "retain": true} {
		o := NewOptions()
		o.Name, o.Image, o.Volumes, o.VolumeRetention = "dev", "img", []string{"data=1Gi"}, value
		if err := o.Validate(); err != nil {
			t.Fatal(err)
		}
		s := o.Build("ns", now)
		if s.Spec.RetainsVolumes() != want || (s.Spec.PersistentVolumeClaimRetentionPolicy == nil) != (value == "") {
			t.Errorf("%q: %+v", value, s.Spec.PersistentVolumeClaimRetentionPolicy)
		}
	}
	for says, change := range map[string]func(*Options){
		"use Delete or Retain":  func(o *Options) { o.Image, o.VolumeRetention = "img", "keep" },
		"the template's affair": func(o *Options) { o.Template, o.VolumeRetention = "python", "Retain" },
	} {
		o := NewOptions()
		o.Name = "dev"
		change(o)
		if err := o.Validate(); exit.Code(err) != exit.WrongUsage || !strings.Contains(err.Error(), says) {
			t.Errorf("got %v, want %q", err, says)
		}
	}
}

func TestWhatGoesAtTheEndIsSaidAtTheBeginning(t *testing.T) {
	_, errOut, _, err := command(t, false, "dev", "--image", "img", "--volume", "data=1Gi", "--ttl", "1h", "--shutdown-policy", "Delete")
	if err != nil || errOut != "When its time is over the Sandbox is deleted, with volume data-dev (1Gi)\n" {
		t.Errorf("%v, %q", err, errOut)
	}
	_, errOut, _, err = command(t, false, "dev", "--template", "python", "--ttl", "1h")
	if err != nil || !strings.Contains(errOut, "the claim stays and its Sandbox is deleted; volumes go too, unless the template has them retained") {
		t.Errorf("%v, %q", err, errOut)
	}
}
