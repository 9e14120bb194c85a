// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package reply

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

func TestWhatOfAnErrorIsSent(t *testing.T) {
	cause := errors.New("secret")
	for name, tt := range map[string]struct {
		err              *Error
		retry, challenge string
	}{
		"nothing helps":              {Errorf(http.StatusNotFound, "a %d.", 1), "", ""},
		"a cause stays in the log":   {Errorf(http.StatusBadGateway, "a %d.", 1).Because(cause), "", ""},
		"time helps":                 {Errorf(http.StatusServiceUnavailable, "a %d.", 1).After(2 * time.Second), "2", ""},
		"never sooner than it helps": {Errorf(http.StatusServiceUnavailable, "a %d.", 1).After(time.Millisecond), "1", ""},
		"a token helps":              {Errorf(http.StatusUnauthorized, "a %d.", 1), "", "Bearer"},
	} {
		t.Run(name, func(t *testing.T) {
			out := httptest.NewRecorder()
			tt.err.Write(out)
			is := out.Header()
			if out.Code != tt.err.Status || out.Body.String() != `{"detail":"a 1."}`+"\n" || is.Get("Retry-After") != tt.retry ||
				is.Get("WWW-Authenticate") != tt.challenge || is.Get("Cache-Control") != "no-store" {
				t.Errorf("answer %d %v %s", out.Code, is, out.Body)
			}
		})
	}
}
