// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package measure

import (
	"maps"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func seconds(all ...int) []time.Duration {
	var durations []time.Duration
	for _, n := range all {
		durations = append(durations, time.Duration(n)*time.Second)
	}
	return durations
}

func TestSummarize(t *testing.T) {
	var hundred []time.Duration
	for i := 100; i > 0; i-- {
		hundred = append(hundred, time.Duration(i)*time.Second)
	}
	tests := map[string]struct {
		all  []time.Duration
		want Summary
	}{
		"nothing was measured":           {nil, Summary{}},
		"one value is every percentile":  {seconds(4), Summary{1, 4e9, 4e9, 4e9, 4e9}},
		"a percentile is a measured one": {seconds(3, 1, 2), Summary{3, 2e9, 3e9, 3e9, 3e9}},
		"order does not matter":          {hundred, Summary{100, 50e9, 90e9, 99e9, 100e9}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := Summarize(tt.all); got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestMedian(t *testing.T) {
	tests := map[string]struct {
		all  []float64
		want float64
	}{
		"of none":                    {nil, 0},
		"the one in the middle":      {[]float64{9, 1, 2}, 2},
		"between two in the middle":  {[]float64{4, 1, 2, 9}, 3},
		"one bad run does not count": {[]float64{1, 1, 100}, 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := Median(tt.all); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestParseProcess(t *testing.T) {
	const status = "Name:\tx\nVmHWM:\t  2048 kB\nVmRSS:\t  1024 kB\nThreads:\t9\n"
	tests := map[string]struct {
		stat, status string
		want         Process
		fails        bool
	}{
		"user and kernel time add up": {
			"1 (x) S 0 0 0 0 0 0 0 0 0 0 150 50 0 0", status, Process{CPU: 2 * time.Second, Resident: 1 << 20, Peak: 2 << 20},
			false,
		},
		"a name may look like the end of itself": {
			"1 (a) b) S 0 0 0 0 0 0 0 0 0 0 100 0 0 0", status, Process{CPU: time.Second, Resident: 1 << 20, Peak: 2 << 20},
			false,
		},
		"too few fields":    {"1 (x) S 0", status, Process{}, true},
		"time is no number": {"1 (x) S 0 0 0 0 0 0 0 0 0 0 a 0", status, Process{}, true},
		"size is no number": {"1 (x) S 0 0 0 0 0 0 0 0 0 0 1 0", "VmRSS: much", Process{}, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := parseProcess([]byte(tt.stat), []byte(tt.status))
			if (err != nil) != tt.fails || (err == nil && got != tt.want) {
				t.Errorf("got %+v, %v; want %+v", got, err, tt.want)
			}
		})
	}
	if own, err := ReadProcess(os.Getpid()); err != nil || own.Resident == 0 {
		t.Errorf("own process: %+v, %v", own, err)
	}
}

func TestReadPID(t *testing.T) {
	tests := map[string]struct {
		record string
		want   int
	}{
		"the record of a component":   {`{"pid":42,"start":7,"boot":"b"}`, 42},
		"a record without a process":  {`{"start":7}`, 0},
		"a file that is not a record": {`42 is it`, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "etcd.json")
			if err := os.WriteFile(path, []byte(tt.record), 0o600); err != nil {
				t.Fatal(err)
			}
			if got, err := ReadPID(path); got != tt.want || (err == nil) != (tt.want > 0) {
				t.Errorf("got %d, %v; want %d", got, err, tt.want)
			}
		})
	}
	if _, err := ReadPID(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a missing record gives no error")
	}
}

func TestTheMachinesCPUTime(t *testing.T) {
	tests := map[string]struct {
		stat  string
		want  Machine
		fails bool
	}{
		"user, nice, system and interrupts are busy":   {"cpu  1 2 4 0 0 8 16 0 0 0\ncpu0 9 9", Machine{31, 31}, false},
		"waiting for a disk is idle":                   {"cpu  1 0 0 10 100 0 0 0 0 0\n", Machine{1, 111}, false},
		"time that a hypervisor took is busy":          {"cpu  0 0 0 10 0 0 0 5 0 0\n", Machine{5, 15}, false},
		"guests are part of user and do not add to it": {"cpu  7 0 0 0 0 0 0 0 7 7\n", Machine{7, 7}, false},
		"an old kernel without guests":                 {"cpu  1 0 0 0 0 0 0 0", Machine{1, 1}, false},
		"one CPU is not all of them":                   {"cpu0 1 0 0 0 0 0 0 0\n", Machine{}, true},
		"too few fields":                               {"cpu  1 0 0 0 0 0 0\n", Machine{}, true},
		"a time is no number":                          {"cpu  1 0 0 x 0 0 0 0\n", Machine{}, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got, err := parseMachine(tt.stat); (err != nil) != tt.fails || got != tt.want {
				t.Errorf("got %+v, %v; want %+v", got, err, tt.want)
			}
		})
	}
	before := Machine{Busy: 10, All: 100}
	if got := (Machine{Busy: 40, All: 140}).BusySince(before); got != 0.75 {
		t.Errorf("busy %v, want 0.75", got)
	}
	if got := before.BusySince(before); got != 0 {
		t.Errorf("busy %v in no time", got)
	}
	if own, err := ReadMachine(); err != nil || own.Busy <= 0 || own.All <= own.Busy {
		t.Errorf("this machine: %+v, %v", own, err)
	}
}

func TestScrape(t *testing.T) {
	const text = `# TYPE runs counter
runs{controller="a",result="ok"} 3
runs{controller="a",result="error"} 1
runs{controller="b",result="ok"} 5
# TYPE leads gauge
leads{name="x"} 1
# TYPE took histogram
took_bucket{controller="a",zone="z",le="0.1"} 1
took_bucket{controller="a",zone="z",le="+Inf"} 4
took_sum{controller="a",zone="z"} 0.5
took_count{controller="a",zone="z"} 4
`
	scrape, err := ReadScrape(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if got := scrape.By("runs", "controller"); !maps.Equal(got, map[string]float64{"a": 4, "b": 5}) {
		t.Errorf("counters: %v", got)
	}
	if got := scrape.By("took", "controller"); !maps.Equal(got, map[string]float64{"a": 4}) {
		t.Errorf("observations: %v", got)
	}
	if got := scrape.SumBy("took", "controller"); !maps.Equal(got, map[string]float64{"a": 0.5}) {
		t.Errorf("sums: %v", got)
	}
	if got := scrape.By("leads", "name"); !maps.Equal(got, map[string]float64{"x": 1}) {
		t.Errorf("gauges: %v", got)
	}
	want := Buckets{0.1: 1, math.Inf(1): 4}
	if got := scrape.Buckets("took", "controller"); len(got) != 1 || !maps.Equal(got["a"], want) {
		t.Errorf("buckets: %v", got)
	}
	if got := scrape.By("none", "controller"); len(got) != 0 {
		t.Errorf("of a metric that is missing: %v", got)
	}
	if got := Since(map[string]float64{"a": 1, "b": 2},
		map[string]float64{"a": 4, "b": 2, "c": 1}); !maps.Equal(got, map[string]float64{"a": 3, "c": 1}) {
		t.Errorf("since: %v", got)
	}
	if _, err := ReadScrape(strings.NewReader("runs{ 3\n")); err == nil {
		t.Error("invalid text gives no error")
	}
}

func TestQuantilesAreInterpolatedWithinABucket(t *testing.T) {
	inf := math.Inf(1)
	tests := map[string]struct {
		buckets Buckets
		q, want float64
	}{
		"nothing was observed":                          {Buckets{1: 0, inf: 0}, 0.5, 0},
		"the middle of the first bucket, from zero":     {Buckets{1: 10, 2: 10, inf: 10}, 0.5, 0.5},
		"the middle of the second bucket":               {Buckets{1: 10, 2: 20, inf: 20}, 0.75, 1.5},
		"exactly at a bound":                            {Buckets{1: 10, 2: 20, inf: 20}, 0.5, 1},
		"an empty bucket in between has no observation": {Buckets{1: 5, 2: 5, 3: 10, inf: 10}, 0.75, 2.5},
		"the largest observation":                       {Buckets{1: 10, inf: 10}, 1, 1},
		"above the last finite bound":                   {Buckets{1: 5, 2: 5, inf: 10}, 0.99, 2},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := tt.buckets.Quantile(tt.q); math.Abs(got-tt.want) > 1e-9 {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
	later := Buckets{1: 15, inf: 20}
	if got := later.Since(Buckets{1: 10, inf: 12}); !maps.Equal(got, Buckets{1: 5, inf: 8}) || got.Count() != 8 {
		t.Errorf("since: %v", got)
	}
	if got := later.Since(nil); !maps.Equal(got, later) {
		t.Errorf("since the beginning: %v", got)
	}
}
