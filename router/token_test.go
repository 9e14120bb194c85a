// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package router

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"
)

// issued is what POST /token gives, and what the token says.
type issued struct {
	answer

	token, uid string
	lasts      time.Duration
}

func (w *world) token(as, body string) issued {
	w.t.Helper()
	is := issued{answer: w.ask(http.MethodPost, "/token", body, "Authorization", "Bearer "+as)}
	if is.status != http.StatusOK {
		return is
	}
	var given tokenResponse
	if err := json.Unmarshal([]byte(is.body), &given); err != nil {
		w.t.Fatal(err)
	}
	is.token = given.Token
	end, err := time.Parse(time.RFC3339, given.ExpirationTimestamp)
	if err != nil {
		w.t.Fatal(err)
	}
	is.lasts = time.Until(end)
	payload, err := base64.RawURLEncoding.DecodeString(strings.Split(given.Token, ".")[1])
	if err != nil {
		w.t.Fatal(err)
	}
	var says struct{ UID string }
	if err := json.Unmarshal(payload, &says); err != nil {
		w.t.Fatal(err)
	}
	is.uid = says.UID
	return is
}

func TestAScopedTokenEndsWithWhatItsCallerNamed(t *testing.T) {
	key := secret(t, "0123456789abcdef0123456789abcdef")
	w := newWorld(t, func(c *Config) { c.SigningKeyFile, c.MaxTokenTTL = key, 30*time.Minute })
	for body, uid := range map[string]string{
		`{"name":"warm"}`:                  "c-warm", // a claim may get another Sandbox
		`{"name":"pool-1"}`:                "s-pool-1",
		`{"name":"pool-1","uid":"c-warm"}`: "s-pool-1",
		`{"name":"box"}`:                   "s-box",
	} {
		got := w.token("ann", body)
		if got.uid != uid || got.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %q, %v", body, got.uid, got.header)
		}
		if got.lasts > 30*time.Minute || got.lasts < 29*time.Minute {
			t.Errorf("%s: it lasts %s", body, got.lasts)
		}
	}
	if got := w.token("ann", `{"name":"box","namespace":"../default"}`); got.status != http.StatusBadRequest {
		t.Errorf("a hostile namespace: %+v", got.answer)
	}
}

// Who closes an open router later must not find tokens that everybody got.
func TestAnOpenRouterSignsNothing(t *testing.T) {
	key := secret(t, "0123456789abcdef0123456789abcdef")
	w := newWorld(t, func(c *Config) { c.SigningKeyFile, c.AllowUnauthenticated = key, true })
	if got := w.token("", `{"name":"box"}`); got.status != http.StatusForbidden {
		t.Errorf("answer %+v", got.answer)
	}
}
