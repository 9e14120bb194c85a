// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package token signs and verifies scoped tokens: JSON Web Tokens for one claim or Sandbox, with an end.
//
// A token names the UID of its object, so that it ends with the object, whatever gets the name afterwards. Only the
// routers have the key. Two keys are accepted, so that it can be replaced without a token becoming invalid.
package token

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
)

// MinKey is the least number of bytes of a key: that of the hash.
const MinKey = sha256.Size

// issuer is the iss and the aud of all tokens.
const issuer = apis.AppRouter

// ErrOff means that there is no key to sign with.
var ErrOff = errors.New("scoped tokens are off")

// ErrForeign means that a text is no scoped token, but perhaps another one.
var ErrForeign = errors.New("it is no scoped token")

// Scope is what a token opens.
type Scope struct {
	Namespace, Name string
	UID             types.UID // of the claim or the Sandbox
}

// Key returns the current content of a key; empty: there is no such key.
type Key interface{ Bytes() []byte }

// Signer signs and verifies. It is safe for concurrent use.
type Signer struct {
	current, previous Key
	clock             clock.PassiveClock
	parser            *jwt.Parser
}

// NewSigner returns a Signer. It signs with the current key, and verifies with both.
func NewSigner(current, previous Key, clk clock.PassiveClock) *Signer {
	return &Signer{current: current, previous: previous, clock: clk, parser: jwt.NewParser(
		jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Alg()}), jwt.WithIssuer(issuer), jwt.WithAudience(issuer),
		jwt.WithExpirationRequired(), jwt.WithTimeFunc(clk.Now),
	)}
}

type claims struct {
	jwt.RegisteredClaims

	Namespace string    `json:"namespace"`
	Name      string    `json:"name"`
	UID       types.UID `json:"uid"`
}

// Sign returns a token for the scope that is valid for that long, and its end.
func (s *Signer) Sign(scope Scope, valid time.Duration) (string, time.Time, error) {
	key := s.current.Bytes()
	if len(key) < MinKey {
		return "", time.Time{}, ErrOff
	}
	now := s.clock.Now()
	end := jwt.NewNumericDate(now.Add(valid))
	unsigned := jwt.NewWithClaims(jwt.SigningMethodHS256, claims{
		RegisteredClaims: jwt.RegisteredClaims{
			Issuer: issuer, Audience: jwt.ClaimStrings{issuer}, Subject: scope.Namespace + "/" + scope.Name,
			IssuedAt: jwt.NewNumericDate(now), ExpiresAt: end,
		},
		Namespace: scope.Namespace, Name: scope.Name, UID: scope.UID,
	})
	unsigned.Header["kid"] = identify(key)
	signed, err := unsigned.SignedString(key)
	if err != nil {
		return "", time.Time{}, fmt.Errorf("sign a token: %w", err)
	}
	return signed, end.Time, nil
}

// identify names a key without telling it.
func identify(key []byte) string {
	sum := sha256.Sum256(append([]byte("kid:"), key...))
	return hex.EncodeToString(sum[:4])
}

// Verify returns the scope of a valid token. The error wraps ErrForeign if the text does not say of itself that it is a
// scoped token. A text that does is no other kind of token.
func (s *Signer) Verify(text string) (Scope, error) {
	var says claims
	_, err := s.parser.ParseWithClaims(text, &says, func(t *jwt.Token) (any, error) {
		for _, key := range [][]byte{s.current.Bytes(), s.previous.Bytes()} {
			if len(key) >= MinKey && t.Header["kid"] == identify(key) {
				return key, nil
			}
		}
		return nil, errors.New("no such key")
	})
	if says.Issuer != issuer {
		return Scope{}, ErrForeign
	}
	if err != nil {
		return Scope{}, fmt.Errorf("verify a token: %w", err)
	}
	scope := Scope{says.Namespace, says.Name, says.UID}
	if scope.Namespace == "" || scope.Name == "" || scope.UID == "" {
		return Scope{}, errors.New("verify a token: it has no scope")
	}
	return scope, nil
}
