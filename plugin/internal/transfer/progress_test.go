// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package transfer

import (
	"testing"
	"time"
)

func TestProgressLine(t *testing.T) {
	const mebi = 1 << 20
	tests := map[string]struct {
		done, total int64
		after       time.Duration
		want        string
	}{
		"rate and remaining time": {
			50 * mebi, 200 * mebi, 5 * time.Second, "[=====               ]  25%  50.0 MiB of 200.0 MiB  10.0 MiB/s  ETA 0:15",
		},
		"nothing copied yet": {
			0, 2048, time.Second, "[                    ]   0%  0 B of 2.0 KiB  0 B/s",
		},
		"everything copied": {
			mebi, mebi, time.Second, "[====================] 100%  1.0 MiB of 1.0 MiB  1.0 MiB/s  ETA 0:00",
		},
		"without a total":        {mebi, 0, 2 * time.Second, "1.0 MiB  512.0 KiB/s"},
		"more than the estimate": {2 * mebi, mebi, 2 * time.Second, "2.0 MiB  1.0 MiB/s"},
		"hours are shown in minutes": {
			mebi, 3601 * mebi, time.Second, "[                    ]   0%  1.0 MiB of 3.5 GiB  1.0 MiB/s  ETA 60:00",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := progressLine(tt.done, tt.total, tt.after); got != tt.want || len(got) > 79 {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}
