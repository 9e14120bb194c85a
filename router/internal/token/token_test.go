// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package token

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	clocktesting "k8s.io/utils/clock/testing"
)

type key string

func (k key) Bytes() []byte { return []byte(k) }

const (
	first  = key("1111111111111111111111111111111111")
	second = key("2222222222222222222222222222222222")
)

func at(second int64) *clocktesting.FakePassiveClock {
	return clocktesting.NewFakePassiveClock(time.Unix(second, 0))
}

func TestATokenSurvivesOneChangeOfKeys(t *testing.T) {
	scope := Scope{Namespace: "team", Name: "box", UID: "u-1"}
	text, end, err := NewSigner(first, key(""), at(100)).Sign(scope, time.Minute)
	if err != nil || !end.Equal(time.Unix(160, 0)) {
		t.Fatalf("%v, %v", end, err)
	}
	signers := map[string]struct {
		signer *Signer
		valid  bool
	}{
		"the signer":              {NewSigner(first, key(""), at(159)), true},
		"one with a newer key":    {NewSigner(second, first, at(159)), true},
		"one without the old key": {NewSigner(second, key(""), at(159)), false},
		"one without a key":       {NewSigner(key(""), key(""), at(159)), false},
		"one at the end":          {NewSigner(first, key(""), at(161)), false},
	}
	for name, tt := range signers {
		t.Run(name, func(t *testing.T) {
			got, err := tt.signer.Verify(text)
			if (err == nil) != tt.valid || tt.valid && got != scope {
				t.Errorf("%+v, %v", got, err)
			}
			if errors.Is(err, ErrForeign) {
				t.Error("it is not known as a scoped token")
			}
		})
	}
}

func TestForgedTokens(t *testing.T) {
	s := NewSigner(first, key(""), at(100))
	good := claims{Namespace: "team", Name: "box", UID: "u", RegisteredClaims: jwt.RegisteredClaims{
		Issuer: issuer, Audience: jwt.ClaimStrings{issuer}, ExpiresAt: jwt.NewNumericDate(time.Unix(200, 0)),
	}}
	sign := func(method jwt.SigningMethod, key any, change func(*claims)) string {
		is := good
		change(&is)
		unsigned := jwt.NewWithClaims(method, is)
		unsigned.Header["kid"] = identify(first.Bytes())
		text, err := unsigned.SignedString(key)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	same := func(*claims) {}
	if _, err := s.Verify(sign(jwt.SigningMethodHS256, first.Bytes(), same)); err != nil {
		t.Fatalf("the good one: %v", err)
	}
	foreign := sign(jwt.SigningMethodHS256, first.Bytes(), func(c *claims) { c.Issuer = "x" })
	const other = `{"iss":"sandbox-router","aud":["sandbox-router"],"exp":200,"namespace":"x","name":"box","uid":"u"}`
	parts := strings.Split(sign(jwt.SigningMethodHS256, first.Bytes(), same), ".")
	for name, text := range map[string]string{
		"no algorithm":      sign(jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, same),
		"another algorithm": sign(jwt.SigningMethodHS512, first.Bytes(), same),
		"another key":       sign(jwt.SigningMethodHS256, second.Bytes(), same),
		"no end":            sign(jwt.SigningMethodHS256, first.Bytes(), func(c *claims) { c.ExpiresAt = nil }),
		"an end in the past": sign(jwt.SigningMethodHS256, first.Bytes(),
			func(c *claims) { c.ExpiresAt = jwt.NewNumericDate(time.Unix(99, 0)) }),
		"another issuer":   foreign,
		"another audience": sign(jwt.SigningMethodHS256, first.Bytes(), func(c *claims) { c.Audience = nil }),
		"no namespace":     sign(jwt.SigningMethodHS256, first.Bytes(), func(c *claims) { c.Namespace = "" }),
		"no name":          sign(jwt.SigningMethodHS256, first.Bytes(), func(c *claims) { c.Name = "" }),
		"no UID":           sign(jwt.SigningMethodHS256, first.Bytes(), func(c *claims) { c.UID = "" }),
		"no signature":     parts[0] + "." + parts[1] + ".",
		"a changed scope":  parts[0] + "." + base64.RawURLEncoding.EncodeToString([]byte(other)) + "." + parts[2],
		"nothing":          "",
		"dots":             "..",
		"a very long one":  strings.Repeat("a.", 1<<16),
	} {
		got, err := s.Verify(text)
		if err == nil {
			t.Errorf("%s opens %+v", name, got)
		}
		says := text != foreign && strings.Count(text, ".") == 2 && text != ".."
		if errors.Is(err, ErrForeign) == says { // such a one may be a token of Kubernetes
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A key that is missing or weak is known to everybody, or soon will be.
func TestAKeyThatIsNoneVerifiesNothing(t *testing.T) {
	for name, none := range map[string]key{"no key": "", "a weak key": first[:MinKey-1]} {
		unsigned := jwt.NewWithClaims(jwt.SigningMethodHS256, claims{
			Namespace: "team", Name: "box", UID: "u", RegisteredClaims: jwt.RegisteredClaims{
				Issuer: issuer, Audience: jwt.ClaimStrings{issuer}, ExpiresAt: jwt.NewNumericDate(time.Unix(200, 0)),
			}})
		unsigned.Header["kid"] = identify(none.Bytes())
		text, err := unsigned.SignedString(none.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []*Signer{NewSigner(none, first, at(100)), NewSigner(first, none, at(100))} {
			if got, err := s.Verify(text); err == nil {
				t.Errorf("%s opens %+v", name, got)
			}
		}
	}
}

func TestWithoutAGoodKeyNothingIsSigned(t *testing.T) {
	for _, k := range []key{"", "short", first[:MinKey-1]} {
		if text, _, err := NewSigner(k, first, at(0)).Sign(Scope{"a", "b", "c"}, time.Hour); !errors.Is(err, ErrOff) {
			t.Errorf("%q signs %q, %v", k, text, err)
		}
	}
}

// No text opens anything but what was signed.
func FuzzVerify(f *testing.F) {
	s := NewSigner(first, second, at(100))
	scope := Scope{Namespace: "team", Name: "box", UID: "u"}
	good, _, err := s.Sign(scope, time.Hour)
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{good, good + ".", good[1:], "", "..", "a.b.c", "eyJhbGciOiJub25lIn0.e30."} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got, err := s.Verify(text); err == nil && got != scope {
			t.Errorf("%q opens %+v", text, got)
		}
	})
}
