// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package header

import (
	"errors"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/agent-sandbox/kubectl-sandbox/router/internal/reply"
)

func headers(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i < len(pairs); i += 2 {
		h.Add(pairs[i], pairs[i+1])
	}
	return h
}

func TestWhatTheHeadersMean(t *testing.T) {
	tests := map[string]struct {
		headers http.Header
		want    Address
	}{
		"only the name is needed": {
			headers("X-Sandbox-ID", "box"), Address{Namespace: "default", Name: "box", Port: 8888},
		},
		"everything is given": {
			headers("X-Sandbox-ID", "box.one", "X-Sandbox-Namespace", "team-a", "X-Sandbox-Port", "65535",
				"X-Sandbox-Pod-IP", "fd00::1", "X-Sandbox-UID", "3f0E-1", "X-Sandbox-Timeout", "1.5"),
			Address{Namespace: "team-a", Name: "box.one", UID: "3f0E-1", Port: 65535,
				PodIP: netip.MustParseAddr("fd00::1"), Timeout: 1500 * time.Millisecond},
		},
		"an IPv4 address in the form of IPv6 is an IPv4 address": {
			headers("X-Sandbox-ID", "box", "X-Sandbox-Pod-IP", "::ffff:10.0.0.1"),
			Address{Namespace: "default", Name: "box", Port: 8888, PodIP: netip.MustParseAddr("10.0.0.1")},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got, err := Parse(tt.headers); err != nil || got != tt.want {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}

func TestWhatIsRefusedAndThatTheValueIsNotQuoted(t *testing.T) {
	wrong := map[string][]string{
		"X-Sandbox-ID": {"", "..", ".", "a..b", "-a", "a/b", "a%2fb", "A", "a:80", "[::1]", "a\r\nHost: b", "a\n", " a",
			"a@b", "ä", strings.Repeat("a", 254)},
		"X-Sandbox-Namespace": {"", "..", "a.b", "a/..", "a\r\nb", "kube_system", "svc.cluster.local",
			strings.Repeat("a", 64), strings.Repeat("a", 1<<20)},
		"X-Sandbox-Port":   {"", "0", "70000", "65536", "-1", "+1", " 80", "80 ", "0x50", "1e3", "80,81", "8888\r\n"},
		"X-Sandbox-Pod-IP": {"", "[::1]", "10.0.0.1:80", "10.0.0", "localhost", "fe80::1%eth0", "10.0.0.1\r\n", "010.0.0.1"},
		"X-Sandbox-UID":    {"", "a/b", "..", "a b", "a\n", strings.Repeat("a", 65)},
		"X-Sandbox-Timeout": {"", "0", "-1", "1e3", "inf", "NaN", "86401", "1s", ".", "0.0000000001", strings.Repeat("9",
			400)},
	}
	for name, values := range wrong {
		for _, value := range values {
			h := headers("X-Sandbox-ID", "box")
			h.Set(name, value)
			_, err := Parse(h)
			refused, ok := errors.AsType[*reply.Error](err)
			if !ok || refused.Status != http.StatusBadRequest || !strings.HasPrefix(refused.Detail, name+" header ") {
				t.Errorf("%s %.40q: %v", name, value, err)
			}
			if ok && len(value) > 3 && strings.Contains(refused.Detail, value) || ok && strings.ContainsAny(refused.Detail,
				"\r\n") {
				t.Errorf("%s %.40q is quoted: %.200s", name, value, refused.Detail)
			}
		}
		h := headers("X-Sandbox-ID", "box")
		h.Del(name)
		h.Add(name, "1")
		h.Add(name, "1")
		if _, err := Parse(h); err == nil || !strings.Contains(err.Error(), "more than once") {
			t.Errorf("%s twice: %v", name, err)
		}
	}
	if _, err := Parse(http.Header{}); err == nil || err.Error() != "X-Sandbox-ID header is required." {
		t.Errorf("without headers: %v", err)
	}
}

// Whatever is accepted is safe in a URL, a path of the API server and a log.
func FuzzParse(f *testing.F) {
	for _, seed := range [][6]string{
		{"box", "default", "8888", "10.0.0.1", "u-1", "180"},
		{"a\r\nHost: b", "..", "0", "[::1]", "\x00", "1e9"},
		{"a.b.svc", "a.b", "70000", "fe80::1%lo", strings.Repeat("a", 9000), "0.5"},
	} {
		f.Add(seed[0], seed[1], seed[2], seed[3], seed[4], seed[5])
	}
	f.Fuzz(func(t *testing.T, name, namespace, port, ip, uid, timeout string) {
		a, err := Parse(headers("X-Sandbox-ID", name, "X-Sandbox-Namespace", namespace, "X-Sandbox-Port", port,
			"X-Sandbox-Pod-IP", ip, "X-Sandbox-UID", uid, "X-Sandbox-Timeout", timeout))
		if err != nil {
			if refused, ok := errors.AsType[*reply.Error](err); !ok || refused.Status != 400 || len(refused.Detail) > 200 {
				t.Errorf("error %v", err)
			}
			return
		}
		if len(validation.IsDNS1123Subdomain(a.Name)) > 0 || len(validation.IsDNS1123Label(a.Namespace)) > 0 {
			t.Errorf("names %q %q", a.Name, a.Namespace)
		}
		if a.Port == 0 || !a.PodIP.IsValid() || a.PodIP.Zone() != "" || a.Timeout <= 0 || a.Timeout > 24*time.Hour {
			t.Errorf("address %+v", a)
		}
		if len(a.UID) > 64 || strings.ContainsAny(string(a.UID), "/\\.\r\n \x00%") {
			t.Errorf("UID %q", a.UID)
		}
	})
}
