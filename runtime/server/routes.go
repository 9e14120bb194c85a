// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build linux

package server

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/agent-sandbox/kubectl-sandbox/runtime/tracing"
)

// route is one method and path of the contract. Paths that end with a slash have a parameter, the rest of the path.
// Those with an operation are traced.
type route struct {
	method, path, operation string

	answer func(s *server, w http.ResponseWriter, r *http.Request, parameter string)
}

// parameter reports whether the path has one.
func (r route) parameter() bool { return r.path != "/" && strings.HasSuffix(r.path, "/") }

// routes returns the contract. http.ServeMux is not used, because it redirects a path with dots or double slashes to
// another one; here such a path is an attempt to leave the base directory, and is answered as that.
func routes() []route {
	return []route{
		{http.MethodGet, "/", "", (*server).health},
		{http.MethodPost, "/execute", "execute", (*server).execute},
		{http.MethodPost, "/execute/stream", "stream", (*server).stream},
		{http.MethodPost, "/upload", "upload", (*server).upload},
		{http.MethodGet, "/download/", "download", (*server).download},
		{http.MethodGet, "/list/", "list", (*server).list},
		{http.MethodGet, "/exists/", "exists", (*server).exists},
	}
}

// find returns the route of an escaped path, and the parameter in it as it was escaped.
func find(path string) (found route, parameter string, ok bool) {
	for _, one := range routes() {
		if one.path == path {
			return one, "", true
		}
		rest, within := strings.CutPrefix(path, one.path)
		if within && one.parameter() {
			return one, rest, true
		}
	}
	return route{}, "", false
}

// dispatch answers a request and returns the path of its route.
func (s *server) dispatch(w *recorder, r *http.Request) string {
	found, escaped, ok := find(r.URL.EscapedPath())
	if !ok {
		refuse(w, http.StatusNotFound, "there is no such endpoint")
		return ""
	}
	if !slices.Contains(methods(found), r.Method) {
		w.Header().Set("Allow", strings.Join(methods(found), ", "))
		refuse(w, http.StatusMethodNotAllowed, "this endpoint takes "+strings.Join(methods(found), " or "))
		return found.path
	}
	parameter, err := url.PathUnescape(escaped)
	if err != nil {
		refuse(w, http.StatusBadRequest, "the path is not escaped correctly")
		return found.path
	}
	if found.operation == "" { // probes are many
		found.answer(s, w, r, parameter)
		return found.path
	}
	r, end := s.tracer.Start(r, found.operation, found.path)
	w.traceID = tracing.ID(r.Context())
	found.answer(s, w, r, parameter)
	end(w.status)
	return found.path
}

func methods(one route) []string {
	if one.method == http.MethodGet {
		return []string{http.MethodGet, http.MethodHead}
	}
	return []string{one.method}
}

func (s *server) health(w http.ResponseWriter, _ *http.Request, _ string) {
	reply(w, http.StatusOK, Health{Status: "ok"})
}
