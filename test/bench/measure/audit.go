// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package measure

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"
)

// Requests counts requests by verb, resource with subresource and, if the request failed, status code, as in
// "patch sandboxes/status" or "patch sandboxes/status 409".
type Requests map[string]int

// readVerbs are the verbs that change nothing.
var readVerbs = []string{"get", "list", "watch"}

// Split separates writes from reads.
func (r Requests) Split() (writes, reads Requests) {
	writes, reads = Requests{}, Requests{}
	for what, count := range r {
		verb, _, _ := strings.Cut(what, " ")
		if slices.Contains(readVerbs, verb) {
			reads[what] = count
		} else {
			writes[what] = count
		}
	}
	return writes, reads
}

// Total returns the number of requests.
func (r Requests) Total() int {
	sum := 0
	for count := range maps.Values(r) {
		sum += count
	}
	return sum
}

// AuditLog counts the requests of one user in an API server's audit log. It is not safe for concurrent use.
type AuditLog struct {
	path   string
	user   string
	offset int64
}

// NewAuditLog returns an AuditLog that counts from the current end of the file. The file need not exist yet.
func NewAuditLog(path, user string) *AuditLog {
	log := &AuditLog{path: path, user: user}
	if info, err := os.Stat(path); err == nil {
		log.offset = info.Size()
	}
	return log
}

// Next returns the user's requests since the last call.
func (a *AuditLog) Next() ([]Request, error) {
	data, offset, err := readFrom(a.path, a.offset)
	if err != nil {
		return nil, fmt.Errorf("read the audit log: %w", err)
	}
	a.offset = offset
	return parseRequests(data, a.user)
}

// Request is one answered request.
type Request struct {
	Verb     string
	Resource string // with the subresource, as in "sandboxes/status"
	Name     string // of the object; empty for a creation
	Code     int
	// Received and Completed are times of the API server's clock.
	Received, Completed time.Time
}

// failed reports whether the API server refused the request.
func (r Request) failed() bool { return r.Code >= 400 }

// String returns the request's key in Requests.
func (r Request) String() string {
	if r.failed() {
		return fmt.Sprintf("%s %s %d", r.Verb, r.Resource, r.Code)
	}
	return r.Verb + " " + r.Resource
}

// Count counts requests by kind.
func Count(all []Request) Requests {
	counted := Requests{}
	for _, one := range all {
		counted[one.String()]++
	}
	return counted
}

// entry contains the fields of an audit event that are read.
type entry struct {
	Stage string `json:"stage"`
	Verb  string `json:"verb"`
	User  struct {
		Username string `json:"username"`
	} `json:"user"`
	Object struct {
		Resource    string `json:"resource"`
		Subresource string `json:"subresource"`
		Name        string `json:"name"`
	} `json:"objectRef"`
	Response struct {
		Code int `json:"code"`
	} `json:"responseStatus"`
	Received  time.Time `json:"requestReceivedTimestamp"`
	Completed time.Time `json:"stageTimestamp"`
}

// parseRequests returns each completed request of the user once. The log has a line for every stage of a request.
func parseRequests(lines []byte, user string) ([]Request, error) {
	var all []Request
	for line := range bytes.Lines(lines) {
		var e entry
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, fmt.Errorf("audit event: %w", err)
		}
		if e.User.Username != user || e.Stage != "ResponseComplete" {
			continue
		}
		one := Request{
			Verb: e.Verb, Resource: e.Object.Resource, Name: e.Object.Name, Code: e.Response.Code,
			Received: e.Received, Completed: e.Completed,
		}
		if e.Object.Subresource != "" {
			one.Resource += "/" + e.Object.Subresource
		}
		all = append(all, one)
	}
	return all, nil
}
