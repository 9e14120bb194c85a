// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tui

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/diagnose"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	"github.com/agent-sandbox/kubectl-sandbox/tui/action"
	"github.com/agent-sandbox/kubectl-sandbox/tui/rows"
	"github.com/agent-sandbox/kubectl-sandbox/tui/store"
)

// hostile has each kind of control or invisible character: C0, DEL, C1 as UTF-8 and as a byte, bidi, zero width.
const hostile = "\x1b]0;owned\x07\x1b[2J\r\b\x7f\u009b2J\x9b2J\u0085\u202e\u2066\u200b\ufeff\u2028"

// decides has the names of fields whose values select what is shown; they must stay valid.
var decides = []string{"UID", "Resource", "Format"}

// poison appends hostile to every string that is reachable from the pointer, except those of the fields in decides.
func poison(v reflect.Value) {
	switch v.Interface().(type) {
	case diagnose.Verdict, diagnose.State, rows.Source, resolve.Kind, action.Verb:
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			poison(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if field := v.Type().Field(i); field.IsExported() && !slices.Contains(decides, field.Name) {
				poison(v.Field(i))
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			poison(v.Index(i))
		}
	case reflect.Map:
		for entries := v.MapRange(); entries.Next(); {
			if entries.Value().Kind() == reflect.String {
				v.SetMapIndex(entries.Key(), reflect.ValueOf(entries.Value().String()+hostile))
			} else {
				poison(entries.Value())
			}
		}
	case reflect.String:
		if v.CanSet() {
			v.SetString(v.String() + hostile)
		}
	default:
	}
}

// colours matches the only escape sequences that a frame may have.
var colours = regexp.MustCompile(`\x1b\[[0-9;:]*m`)

func TestNoTextFromTheClusterSteersTheTerminalOnAnyScreen(t *testing.T) {
	for _, keys := range []string{
		"", "tab", "j enter", "j enter enter", "j enter enter y", "tab enter",
		"tab j enter", "tab j enter y", "tab j enter E", "tab j enter y / o w n e d", "t", "t enter", "f",
		"tab d", "tab space space d", "S", "n", "tab z y", "tab l", "tab c", "tab x", "/ o w n e d", "tab o",
		":", ": c l a i m s space", ": p o o l space x enter",
	} {
		for _, width := range []int{80, 120, 200} {
			w := newWorld(t.Context(), width, 40, func(o *Options) { o.Color = true })
			w.actor.answer = func(r action.Request) action.Result {
				result := stuck(r)
				result.Message += hostile
				result.Err = nil
				if r.Verb != action.Inspect {
					result.Err = fmt.Errorf("it failed: %s", hostile)
				}
				if result.Page != nil {
					poison(reflect.ValueOf(&result.Page.Diagnosis))
					poison(reflect.ValueOf(&result.Page.Snapshot))
					result.Page.YAML += hostile
				}
				return result
			}
			s := demo()
			poison(reflect.ValueOf(s))
			w.Update(snapshotMsg{s})
			typed(t, w, keys)
			w.Update(tea.WindowSizeMsg{Width: width, Height: 40})
			obeysNobody(t, w, fmt.Sprintf("%q at %d", keys, width))
		}
	}
}

func TestALineWithoutAnEndTakesNoMemory(t *testing.T) {
	const endless = 64 << 20
	from := bufio.NewReaderSize(io.MultiReader(io.LimitReader(letters{}, endless), strings.NewReader("\nthe next\n")),
		64<<10)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	line, err := readLine(from)
	runtime.ReadMemStats(&after)
	if len(line) != maxLineLength || err != nil {
		t.Errorf("%d characters are shown, %v", len(line), err)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
		t.Errorf("%d bytes of memory for it", took)
	}
	if line, err := readLine(from); line != "the next\n" || err != nil {
		t.Errorf("the next line is %q, %v", line, err)
	}
	if line, err := readLine(from); line != "" || err == nil {
		t.Errorf("after the end there is %q", line)
	}
}

// letters is an endless reader.
type letters struct{}

func (letters) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// obeysNobody fails the test if a frame has control characters other than our colours.
func obeysNobody(t *testing.T, w *world, after string) {
	t.Helper()
	for _, line := range w.frame() {
		plain := colours.ReplaceAllString(line, "")
		if printable.Line(plain) != plain || strings.Contains(plain, "\n") {
			t.Fatalf("after %s: %q", after, line)
		}
	}
}

// These texts come from a cluster too, and are shown beside its objects or instead of them.
func TestNoErrorLogOrNameSteersTheTerminal(t *testing.T) {
	failure := resultMsg{Result: action.Result{Verb: action.Inspect, Err: errors.New("it failed: " + hostile)}}
	for name, meet := range map[string]func(w *world){
		"a cluster that cannot be read": func(w *world) {
			s := demo()
			s.Health = unwell(store.Disconnected, false, "x"+hostile)
			w.Update(snapshotMsg{s})
		},
		"an object that cannot be read": func(w *world) {
			typed(t, w, "tab enter")
			w.page = nil
			w.Update(failure)
		},
		"an object that can be read no more": func(w *world) {
			typed(t, w, "tab enter")
			w.Update(failure)
		},
		"a log": func(w *world) {
			log := &logReader{from: io.NopCloser(strings.NewReader("x" + hostile + "owned\n")), more: make(chan struct{}, 1)}
			log.read()
			w.push(location{screen: screenLogs})
			w.log = log
			w.Update(logMsg{from: log, lines: log.lines})
		},
		"why a log ended": func(w *world) {
			w.push(location{screen: screenLogs})
			w.Update(logMsg{err: failure.Err})
		},
		"namespaces": func(w *world) {
			typed(t, w, "n")
			w.Update(namespacesMsg{into: w.overlay.(*choice), names: []string{"x" + hostile}})
		},
		"namespaces of the command line": func(w *world) {
			typed(t, w, ": n s space")
			w.Update(namespacesMsg{into: w.overlay.(*commandLine), names: []string{"x" + hostile}})
		},
		"ports and containers that a Pod declares": func(w *world) {
			w.actor.answer = func(r action.Request) action.Result {
				return action.Result{Verb: r.Verb, Pod: &action.Pod{Containers: []string{"x" + hostile},
					Ports: []action.Port{{Number: 8888, Name: hostile}}}}
			}
			typed(t, w, "tab p esc C")
		},
		"why a Pod cannot be read": func(w *world) {
			w.actor.answer = func(r action.Request) action.Result {
				return action.Result{Verb: r.Verb, Err: failure.Err}
			}
			typed(t, w, "tab p")
		},
		"what is wrong with an answer": func(w *world) {
			typed(t, w, "/")
			w.overlay.(*prompt).invalid = failure.Err.Error()
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := filled(t.Context(), 120, 40, func(o *Options) { o.Color = true })
			w.actor.answer = stuck
			meet(w)
			if frame := strings.Join(w.frame(), "\n"); !strings.Contains(frame, "owned") {
				t.Errorf("it is not shown: %s", frame)
			}
			obeysNobody(t, w, name)
		})
	}
}
