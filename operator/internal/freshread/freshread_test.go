// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package freshread

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	clocktesting "k8s.io/utils/clock/testing"
)

var testNow = time.Date(2026, 4, 13, 12, 0, 0, 0, time.UTC)

// server answers each read with the number of reads so far, when the test lets it.
type server struct {
	*testing.T
	clock  *clocktesting.FakePassiveClock
	reader *Reader[string, string]

	mutex sync.Mutex
	reads []string          // the keys that were read, in order
	holds chan chan<- error // of the reads that run, if the test holds them
}

func newServer(t *testing.T, held bool) *server {
	s := &server{T: t, clock: clocktesting.NewFakePassiveClock(testNow)}
	if held {
		s.holds = make(chan chan<- error, 100)
	}
	var err error
	if s.reader, err = New(s.read, s.clock); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *server) read(ctx context.Context, key string) (string, error) {
	s.mutex.Lock()
	s.reads = append(s.reads, key)
	answer := fmt.Sprintf("%s %d", key, len(s.reads))
	s.mutex.Unlock()
	if s.holds == nil {
		return answer, ctx.Err()
	}
	release := make(chan error)
	s.holds <- release
	return answer, errors.Join(<-release, ctx.Err())
}

// end lets the read that runs end, and waits until nothing moves any more.
func (s *server) end(err error) {
	s.Helper()
	synctest.Wait()
	select {
	case release := <-s.holds:
		release <- err
	default:
		s.Fatal("no read runs")
	}
	synctest.Wait()
}

func (s *server) after(d time.Duration) { s.clock.SetTime(s.clock.Now().Add(d)) }

// get calls Get in the background; result returns what it returned, or "waits".
func (s *server) get(ctx context.Context, key string, notBefore time.Time) (result func() string) {
	answer := make(chan string, 1)
	go func() {
		value, err := s.reader.Get(ctx, key, notBefore)
		if err != nil {
			value = err.Error()
		}
		answer <- value
	}()
	synctest.Wait()
	return func() string {
		synctest.Wait()
		select {
		case got := <-answer:
			return got
		default:
			return "waits"
		}
	}
}

func (s *server) expect(what, want string, result func() string) {
	s.Helper()
	if got := result(); got != want {
		s.Errorf("%s: got %q, want %q", what, got, want)
	}
}

func (s *server) expectReads(want ...string) {
	s.Helper()
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if !slices.Equal(s.reads, want) {
		s.Errorf("reads: %q, want %q", s.reads, want)
	}
}

func TestAnAnswerServesWhoNeedsNoLaterRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, false)
		s.expect("the first", "a 1", s.get(t.Context(), "a", testNow.Add(-time.Second)))
		s.expect("who came before the read", "a 1", s.get(t.Context(), "a", testNow.Add(-time.Nanosecond)))
		s.expect("who came at the time of the read", "a 2", s.get(t.Context(), "a", testNow))
		s.after(time.Second)
		s.expect("who came after the read", "a 3", s.get(t.Context(), "a", testNow.Add(time.Millisecond)))
		s.expect("who came between the reads", "a 3", s.get(t.Context(), "a", testNow.Add(time.Millisecond)))
		s.expect("who asks for the future", "a 4", s.get(t.Context(), "a", testNow.Add(time.Hour)))
		s.expect("another key", "b 5", s.get(t.Context(), "b", testNow.Add(-time.Hour)))
	})
}

func TestARunningReadIsJoinedOnlyByThoseThatItIsFreshFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, true)
		first := s.get(t.Context(), "a", testNow.Add(-time.Second))
		joins := s.get(t.Context(), "a", testNow.Add(-time.Millisecond))
		s.after(time.Second)
		var later []func() string
		for range 50 {
			later = append(later, s.get(t.Context(), "a", s.clock.Now()))
		}
		other := s.get(t.Context(), "b", s.clock.Now())
		s.expectReads("a", "b")
		s.after(time.Second)
		s.end(nil)
		s.expect("the first", "a 1", first)
		s.expect("who joins", "a 1", joins)
		s.expectReads("a", "b", "a")
		s.end(nil)
		s.expect("another key", "b 2", other)
		s.expect("who came later", "waits", later[0])
		between := s.get(t.Context(), "a", testNow.Add(1500*time.Millisecond))
		s.end(nil)
		for _, result := range append(later, between) {
			s.expect("who came later", "a 3", result)
		}
		s.expectReads("a", "b", "a")
	})
}

func TestAnErrorIsForThoseWhoWaitedForIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, true)
		before := testNow.Add(-time.Second)
		waited := []func() string{s.get(t.Context(), "a", before), s.get(t.Context(), "a", before)}
		s.after(time.Second)
		next := s.get(t.Context(), "a", s.clock.Now())
		s.end(errors.New("refused"))
		for _, result := range waited {
			s.expect("who waited", "refused", result)
		}
		s.expect("who waits for the next read", "waits", next)
		s.end(nil)
		s.expect("who waited for the next read", "a 2", next)
		s.after(time.Second)
		failed := s.get(t.Context(), "a", s.clock.Now())
		s.end(errors.New("refused"))
		s.expect("who waited for the third", "refused", failed)
		s.expect("the answer before the error", "a 2", s.get(t.Context(), "a", before))
		again := s.get(t.Context(), "a", s.clock.Now())
		s.end(nil)
		s.expect("after the error", "a 4", again)
	})
}

func TestWhoGivesUpEndsNoReadOfOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, true)
		ctx, giveUp := context.WithCancel(t.Context())
		first := s.get(ctx, "a", testNow.Add(-time.Second))
		joins := s.get(t.Context(), "a", testNow.Add(-time.Second))
		s.after(time.Second)
		next := s.get(ctx, "a", s.clock.Now())
		joinsNext := s.get(t.Context(), "a", s.clock.Now())
		giveUp()
		s.expect("who gave up", context.Canceled.Error(), first)
		s.expect("who gave up", context.Canceled.Error(), next)
		s.end(nil)
		s.expect("who waits on", "a 1", joins)
		s.end(nil)
		s.expect("who waits on", "a 2", joinsNext)
		s.expectReads("a", "a")
	})
}

func TestWhatNobodyAsksForIsDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, true)
		early := testNow.Add(-time.Second)
		for _, key := range []string{"idle", "used"} {
			result := s.get(t.Context(), key, early)
			s.end(nil)
			result()
		}
		slow := s.get(t.Context(), "slow", early)
		s.after(retention / 2)
		s.expect("an answer", "used 2", s.get(t.Context(), "used", early))
		s.after(retention / 2)
		s.expect("an answer that is in use", "used 2", s.get(t.Context(), "used", early))
		s.reader.mutex.Lock()
		kept := len(s.reader.entries)
		_, idle := s.reader.entries["idle"]
		s.reader.mutex.Unlock()
		if kept != 2 || idle {
			t.Errorf("%d entries stay, the idle one: %v", kept, idle)
		}
		s.end(nil)
		s.expect("a read that takes longer", "slow 3", slow)
		again := s.get(t.Context(), "idle", early)
		s.end(nil)
		s.expect("what was dropped", "idle 4", again)
	})
}

func TestABurstOfCallersNeedsFewReads(t *testing.T) {
	s := newServer(t, false)
	var group sync.WaitGroup
	for i := range 300 {
		group.Go(func() {
			if _, err := s.reader.Get(t.Context(), "a", testNow.Add(-time.Duration(i+1))); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	s.expectReads("a")
}

func TestADependencyIsMissing(t *testing.T) {
	if _, err := New[string, string](nil, clocktesting.NewFakePassiveClock(testNow)); err == nil {
		t.Error("no error without a read")
	}
	read := func(context.Context, string) (string, error) { return "", nil }
	if _, err := New[string, string](read, nil); err == nil {
		t.Error("no error without a clock")
	}
}
