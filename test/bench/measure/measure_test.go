// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package measure

import (
	"maps"
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

func event(user, stage, verb, resource, subresource, code string) string {
	return `{"stage":"` + stage + `","verb":"` + verb + `","user":{"username":"` + user + `"},"objectRef":{"resource":"` +
		resource +
		`","subresource":"` + subresource + `"},"responseStatus":{"code":` + code + "}}\n"
}

func TestRequestsAreCountedByVerbResourceAndRefusal(t *testing.T) {
	const us = "operator"
	log := event(us, "ResponseComplete", "create", "pods", "", "201") +
		event(us, "RequestReceived", "create", "pods", "", "0") +
		event("other", "ResponseComplete", "create", "pods", "", "201") +
		event(us, "ResponseComplete", "patch", "sandboxes", "status", "200") +
		event(us, "ResponseComplete", "patch", "sandboxes", "status", "409") +
		event(us, "ResponseComplete", "get", "sandboxes", "", "200")
	got, err := countRequests([]byte(log), us)
	if err != nil {
		t.Fatal(err)
	}
	writes, reads := got.Split()
	if want := (Requests{
		"create pods": 1, "patch sandboxes/status": 1, "patch sandboxes/status 409": 1,
	}); !maps.Equal(writes, want) {
		t.Errorf("writes are %v, want %v", writes, want)
	}
	if want := (Requests{"get sandboxes": 1}); !maps.Equal(reads, want) {
		t.Errorf("reads are %v, want %v", reads, want)
	}
	if writes.Total() != 3 {
		t.Errorf("total is %d", writes.Total())
	}
	if _, err := countRequests([]byte("no event\n"), us); err == nil {
		t.Error("a line that is not an event gives no error")
	}
}

func TestAnAuditLogIsReadOnFromWhereItWas(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	line := event("u", "ResponseComplete", "create", "pods", "", "201")
	appendTo := func(text string) {
		t.Helper()
		file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := file.WriteString(text); err != nil {
			t.Fatal(err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
	}
	appendTo(line)
	log := NewAuditLog(path, "u")
	expect := func(why string, want int) {
		t.Helper()
		got, err := log.Next()
		if err != nil || got.Total() != want {
			t.Errorf("%s: %v, %v; want %d", why, got, err, want)
		}
	}
	expect("what was there before does not count", 0)
	appendTo(line + line[:20])
	expect("half a line waits", 1)
	appendTo(line[20:])
	expect("its other half completes it", 1)
	if _, err := NewAuditLog(path+"x", "u").Next(); err == nil {
		t.Error("a missing log gives no error")
	}
}

func TestScrape(t *testing.T) {
	const text = `# TYPE runs counter
runs{controller="a",result="ok"} 3
runs{controller="a",result="error"} 1
runs{controller="b",result="ok"} 5
# TYPE took histogram
took_bucket{controller="a",le="+Inf"} 4
took_sum{controller="a"} 0.5
took_count{controller="a"} 4
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
