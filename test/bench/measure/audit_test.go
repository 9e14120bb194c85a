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
	got, err := parseRequests([]byte(log), us)
	if err != nil {
		t.Fatal(err)
	}
	writes, reads := Count(got).Split()
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
	if _, err := parseRequests([]byte("no event\n"), us); err == nil {
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
		if err != nil || len(got) != want {
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

func TestARequestHasItsObjectAndItsTimes(t *testing.T) {
	got, err := parseRequests([]byte(`{"stage":"ResponseComplete","verb":"patch","user":{"username":"u"},`+
		`"objectRef":{"resource":"sandboxclaims","subresource":"status","name":"c","namespace":"n"},`+
		`"responseStatus":{"code":200},"requestReceivedTimestamp":"2026-11-29T10:00:00.000250Z",`+
		`"stageTimestamp":"2026-11-29T10:00:00.004000Z"}`+"\n"), "u")
	if err != nil || len(got) != 1 {
		t.Fatalf("got %v, %v", got, err)
	}
	at := time.Date(2026, 11, 29, 10, 0, 0, 0, time.UTC)
	want := Request{
		Verb: "patch", Resource: "sandboxclaims/status", Name: "c", Code: 200,
		Received: at.Add(250 * time.Microsecond), Completed: at.Add(4 * time.Millisecond),
	}
	if got[0] != want {
		t.Errorf("got %+v, want %+v", got[0], want)
	}
}

func TestRequestsUntilTheLastClaimIsReady(t *testing.T) {
	begin := time.Unix(1700000000, 0)
	at := func(ms int) time.Time { return begin.Add(time.Duration(ms) * time.Millisecond) }
	// A request takes two milliseconds.
	request := func(ms int, verb, resource, name string, code int) Request {
		return Request{verb, resource, name, code, at(ms), at(ms + 2)}
	}
	status := func(ms int, name string) Request { return request(ms, "patch", "sandboxclaims/status", name, 200) }
	ready := map[string]time.Time{"a": at(12), "b": at(23)}
	both := []Request{status(10, "a"), status(20, "b")}
	tests := map[string]struct {
		more []Request
		want Requests
	}{
		"nothing but the writes": {nil, Requests{"patch sandboxclaims/status": 2}},
		"every kind of request is counted, refused ones apart": {
			[]Request{
				request(1, "patch", "sandboxes", "s", 200), request(2, "patch", "sandboxes", "t", 409),
				request(3, "create", "events", "", 201), request(4, "get", "sandboxtemplates", "t", 200),
			},
			Requests{
				"patch sandboxclaims/status": 2, "patch sandboxes": 1, "patch sandboxes 409": 1, "create events": 1,
				"get sandboxtemplates": 1,
			},
		},
		"what came before the first claim does not count": {
			[]Request{request(-1, "create", "pods", "", 201)}, Requests{"patch sandboxclaims/status": 2},
		},
		"what was received at the same time as the first claim counts": {
			[]Request{request(0, "create", "pods", "", 201)}, Requests{"patch sandboxclaims/status": 2, "create pods": 1},
		},
		"what was received while the last write was handled counts": {
			[]Request{request(21, "create", "pods", "", 201)}, Requests{"patch sandboxclaims/status": 2, "create pods": 1},
		},
		"what came after the last write does not count": {
			[]Request{request(23, "create", "pods", "", 201)}, Requests{"patch sandboxclaims/status": 2},
		},
		"a later status write of a claim is not the one that made it Ready": {
			[]Request{status(30, "b"), request(31, "create", "pods", "", 201)}, Requests{"patch sandboxclaims/status": 2},
		},
		"a refused status write made no claim Ready": {
			[]Request{request(22, "patch", "sandboxclaims/status", "b", 409), request(23, "create", "pods", "", 201)},
			Requests{"patch sandboxclaims/status": 2, "patch sandboxclaims/status 409": 1},
		},
		"a write of a claim's metadata made no claim Ready": {
			[]Request{request(22, "patch", "sandboxclaims", "b", 200), request(24, "create", "pods", "", 201)},
			Requests{"patch sandboxclaims/status": 2, "patch sandboxclaims": 1},
		},
		"an operator may write the status with another verb": {
			[]Request{request(21, "update", "sandboxclaims/status", "b", 200), request(23, "create", "pods", "", 201)},
			Requests{"patch sandboxclaims/status": 2, "update sandboxclaims/status": 1, "create pods": 1},
		},
		"another claim's status write does not count as the last": {
			[]Request{status(30, "c")}, Requests{"patch sandboxclaims/status": 2},
		},
		"a claim's first status write did not make it Ready if a second one did": {
			[]Request{status(5, "b"), status(1, "a")}, Requests{"patch sandboxclaims/status": 4},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := UntilReady(append(both[:2:2], tt.more...), at(0), ready)
			if err != nil || !maps.Equal(got, tt.want) {
				t.Errorf("got %v, %v; want %v", got, err, tt.want)
			}
		})
	}
	if _, err := UntilReady(both[:1], at(0), ready); err == nil || !strings.Contains(err.Error(), "claim b") {
		t.Errorf("a claim without a status write: %v", err)
	}
}
