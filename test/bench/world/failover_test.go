// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package world

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/agent-sandbox/kubectl-sandbox/test/bench/report"
)

func TestTheLeaderIsKnownByItsMetrics(t *testing.T) {
	const metric = "# TYPE leader_election_master_status gauge\nleader_election_master_status{name=\"lease\"} "
	tests := map[string]struct {
		metrics string
		leads   bool
	}{
		"the holder of the lease":             {metric + "1\n", true},
		"a standby":                           {metric + "0\n", false},
		"an operator that has not asked yet":  {"# TYPE other gauge\nother 1\n", false},
		"another metric of the same operator": {metric + "0\n# TYPE other gauge\nother{name=\"lease\"} 1\n", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				_, _ = w.Write([]byte(tt.metrics))
			}))
			defer server.Close()
			o := &Operator{metrics: server.URL, log: "operator.log"}
			if err := expectLeads(t.Context(), o, tt.leads); err != nil {
				t.Error(err)
			}
			if err := expectLeads(t.Context(), o, !tt.leads); err == nil {
				t.Error("the contrary gives no error")
			}
		})
	}
	if err := expectLeads(t.Context(), &Operator{metrics: "http://127.0.0.1:1"}, true); err == nil {
		t.Error("an operator that does not answer gives no error")
	}
}

func TestTheProcessesOfTheClusterAreFoundInItsRecords(t *testing.T) {
	dir := t.TempDir()
	write := func(name, record string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(record), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("etcd.json", `{"pid":11}`)
	if got, err := readPIDs(dir); err == nil {
		t.Errorf("without a record of kube-apiserver: %v", got)
	}
	write("kube-apiserver.json", `{"pid":12}`)
	write("kwok.json", `{"pid":13}`)
	want := map[report.Figure]int{report.EtcdCPU: 11, report.APIServerCPU: 12}
	if got, err := readPIDs(dir); err != nil || !maps.Equal(got, want) {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
}

func TestEachProcessOfTheOperatorHasALogOfItsOwn(t *testing.T) {
	if first, second := logName(1), logName(2); first != "operator.log" || second != "operator-2.log" {
		t.Errorf("logs are %s and %s", first, second)
	}
}
