// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package process

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// startSleep starts a process that is killed when the test ends.
func startSleep(t *testing.T) (Record, *exec.Cmd) {
	t.Helper()
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	record, err := Of(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	return record, cmd
}

func TestARecycledPidIsNeverKilled(t *testing.T) {
	living, _ := startSleep(t)
	for name, change := range map[string]func(*Record){
		"started at another time": func(r *Record) { r.Start++ },
		"before the last boot":    func(r *Record) { r.Boot = "another" },
	} {
		t.Run(name, func(t *testing.T) {
			record := living
			change(&record)
			if record.Alive() {
				t.Error("another process passes for the recorded one")
			}
			if err := record.Kill(time.Second); err != nil {
				t.Error(err)
			}
			if !living.Alive() {
				t.Fatal("the process that has the pid now was killed")
			}
		})
	}
}

func TestTheRecordedProcessIsKilled(t *testing.T) {
	record, _ := startSleep(t)
	if err := record.Kill(5 * time.Second); err != nil {
		t.Fatal(err)
	}
	if record.Alive() { // the test has not waited for it, and a zombie counts as ended
		t.Error("still alive")
	}
	if err := record.Kill(time.Second); err != nil {
		t.Errorf("killing it again: %v", err)
	}
}

func TestSavedRecordsAreLoaded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "processes", "etcd.json")
	if got := Load(path); got != (Record{}) || got.Alive() {
		t.Errorf("a missing file gives %v", got)
	}
	record := Record{PID: 7, Start: 8, Boot: "b"}
	if err := record.Save(path); err != nil {
		t.Fatal(err)
	}
	if got := Load(path); got != record {
		t.Errorf("got %v, want %v", got, record)
	}
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := Load(path); got != (Record{}) {
		t.Errorf("a broken file gives %v", got)
	}
}

func TestStartTime(t *testing.T) {
	const rest = "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4711 20"
	tests := map[string]struct {
		stat string
		want uint64
		fail bool
	}{
		"field 22":                           {stat: "7 (sleep) S " + rest, want: 4711},
		"a name with spaces and parentheses": {stat: "7 (a) b (c)) S " + rest, want: 4711},
		"a zombie has ended":                 {stat: "7 (sleep) Z " + rest, fail: true},
		"a line cut short":                   {stat: "7 (sleep) S 1 2", fail: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			proc := t.TempDir()
			if err := os.MkdirAll(filepath.Join(proc, "7"), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(proc, "7", "stat"), []byte(test.stat), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := startTime(proc, 7)
			if got != test.want || (err != nil) != test.fail {
				t.Errorf("got %d, %v", got, err)
			}
		})
	}
}
