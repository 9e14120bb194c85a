// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package lag

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

func TestEventsOfOneObjectKeepTheirOrderAndNoneCrossesABookmark(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // not a secret
		var batch []event
		for i := range 30 {
			e := event{raw: []byte(fmt.Sprint(i)), kind: watch.Modified, uid: types.UID(fmt.Sprint(random.IntN(5)))}
			if i%10 == 9 {
				e.kind, e.uid = watch.Bookmark, ""
			}
			batch = append(batch, e)
		}
		before := slices.Clone(batch)
		moved := reorder(random, batch)
		if moved == 0 {
			t.Errorf("seed %d: nothing moved", seed)
		}
		for part := range 3 {
			from, to := part*10, part*10+10
			if was, is := byObject(before[from:to]), byObject(batch[from:to]); was != is {
				t.Errorf("seed %d: events %d to %d were\n%s\nand are\n%s", seed, from, to, was, is)
			}
		}
	}
}

// byObject lists the events of each object in their order, and where the bookmark is.
func byObject(batch []event) string {
	var lines []string
	for uid := range 5 {
		line := fmt.Sprintf("object %d:", uid)
		for _, e := range batch {
			if string(e.uid) == fmt.Sprint(uid) {
				line += " " + string(e.raw)
			}
		}
		lines = append(lines, line)
	}
	return strings.Join(append(lines, fmt.Sprintf("last: %s %s", batch[len(batch)-1].kind, batch[len(batch)-1].raw)), "\n")
}

func TestALateWatchShowsEveryEventAndEndsWithTheServer(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1)) //nolint:gosec // not a secret
	p := &Proxy{options: Options{WatchDelay: 20 * time.Millisecond, Reorder: true}, random: random}
	server, feed := io.Pipe()
	body := p.delayWatch(server)
	const count = 100
	go func() {
		for i := range count {
			_, _ = fmt.Fprintf(feed, `{"type":"ADDED","object":{"metadata":{"uid":"u%d"}}}`+"\n", i)
		}
		_ = feed.Close()
	}()
	seen := map[string]bool{}
	lines := bufio.NewScanner(body)
	for lines.Scan() {
		seen[lines.Text()] = true
	}
	if err := lines.Err(); err != nil || len(seen) != count {
		t.Errorf("%d of %d events, then %v", len(seen), count, err)
	}
	if p.counts.Delayed != count || p.counts.Reordered == 0 {
		t.Errorf("counted %+v", p.counts)
	}
	if err := body.Close(); err != nil {
		t.Error(err)
	}
}

func TestAClientThatLeavesALateWatchEndsTheServersSide(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1)) //nolint:gosec // not a secret
	p := &Proxy{options: Options{WatchDelay: time.Millisecond}, random: random}
	server, feed := io.Pipe()
	body := p.delayWatch(server)
	if err := body.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := feed.Write([]byte("{}")); err == nil {
		t.Error("the server's side is still read")
	}
}
