// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package diagnose

import "testing"

func TestPodObstacleIsWhatTheOperatorPassesOn(t *testing.T) {
	const pending, running = "Pod exists with phase: Pending", "Pod is Running but not Ready"
	tests := map[string]struct {
		message, why string
		stuck        bool
	}{
		"nothing is passed on":      {message: pending},
		"nor of another message":    {message: "no template python: none"},
		"no node":                   {pending + ": Unschedulable: 0/1 nodes: no room", "Unschedulable: 0/1 nodes: no room", true},
		"no image":                  {pending + `: container c: ImagePullBackOff: cannot pull image "a:b"`, `container c: ImagePullBackOff: cannot pull image "a:b"`, true},
		"it crashes":                {running + ": container c: CrashLoopBackOff: exited with code 1 (Error)", "container c: CrashLoopBackOff: exited with code 1 (Error)", true},
		"no word from the kubelet":  {pending + ": container c: CrashLoopBackOff", "container c: CrashLoopBackOff", true},
		"the second one":            {running + ": container a: PodInitializing2; container b: CreateContainerError: x", "container a: PodInitializing2; container b: CreateContainerError: x", true},
		"the scheduler waits":       {pending + ": SchedulingGated: held back", "SchedulingGated: held back", false},
		"another Pod is waited for": {pending + ": waiting until Pod a is gone", "waiting until Pod a is gone", false},
	}
	for name, tt := range tests {
		if why, stuck := PodObstacle(tt.message); why != tt.why || stuck != tt.stuck {
			t.Errorf("%s: got %q, %t", name, why, stuck)
		}
	}
}
